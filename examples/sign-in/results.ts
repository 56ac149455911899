/**
 * The tool: lab results for a patient who has just signed in on the clinic's own page. Three things
 * have to come together, and none of them is an argument: who calls, that the link was opened, and
 * that this very patient signed in there for this very call.
 */
import { argsOf, defineTool, elicitUrl, resolver, type Tool, ToolError } from 'mcp-resolve';
import * as z from 'zod';

import { resultsOf } from './people.js';
import type { SignIns } from './signIns.js';

export interface Clinic {
  signIns: SignIns;
  /** Where the page for a call is. */
  pageFor: (callId: string) => URL;
  /** How long a call waits for a person who has opened the page. */
  patienceMs: number;
}

const Wanted = z.object({ test: z.string().describe("Such as 'blood' or 'allergy'") });
const args = argsOf(Wanted);

export function labResults({ signIns, pageFor, patienceMs }: Clinic): Tool {
  // Who calls stands in the token that the gate has validated.
  const patient = resolver({}, (_needs, { http }) => {
    const { sub } = { ...http?.authInfo?.extra };
    if (typeof sub !== 'string') throw new ToolError('the clinic does not know who is calling');
    return sub;
  });

  const result = resolver({ patient, test: args.test }, ({ patient, test }) => {
    const results = resultsOf(patient);
    if (Object.hasOwn(results, test)) return results[test];
    const known = Object.keys(results).join(', ');
    throw new ToolError(`there is no test '${test}'; there are ${known}`);
  });

  // The link is made for this call, and says nothing but its id. A yes means that it was opened.
  const pageOpened = resolver({ patient, result }, ({ patient }, { callId }) => {
    signIns.ofCall(callId, patient);
    return elicitUrl('Sign in at the clinic to hand over your lab results.', pageFor(callId), {
      otherwise: () => {
        throw new ToolError('results need a sign-in, and this client cannot open the page for it');
      },
    });
  });

  // Whether the patient did sign in is for the clinic to say. It gives a person time to type.
  const signedIn = resolver({ pageOpened, patient }, async ({ patient }, { callId, signal }) => {
    const signIn = signIns.ofCall(callId, patient);
    if (await signIn.isDoneWithin(patienceMs, signal)) return true;
    throw new ToolError(
      `nothing is handed over, because ${patient} has not signed in on the page: call lab_results again for a new link, and have the person sign in there as ${patient}`,
    );
  });

  return defineTool(
    'lab_results',
    {
      description: 'Lab results of the person you work for, who has to sign in at the clinic.',
      inputSchema: Wanted,
      resolve: { result, signedIn },
    },
    ({ test, result }) => `${test}: ${result}`,
  );
}
