/**
 * The tool: lab results for a patient who has signed in on the clinic's page. It needs three values
 * that are not arguments: the caller, the opened link, and the sign-in of that caller for this
 * call.
 */
import { argsOf, defineTool, elicitUrl, resolver, type Tool, ToolError } from 'mcp-resolve';
import * as z from 'zod';

import { resultsOf } from './people.js';
import type { SignIns } from './signIns.js';

export interface Clinic {
  signIns: SignIns;
  /** Returns the URL of the page for a call. */
  pageFor: (callId: string) => URL;
  /** How long a call waits for the sign-in, in milliseconds. */
  patienceMs: number;
}

const Wanted = z.object({ test: z.string().describe("Such as 'blood' or 'allergy'") });
const args = argsOf(Wanted);

export function labResults({ signIns, pageFor, patienceMs }: Clinic): Tool {
  // The bearer check has validated the token, so its subject is the caller.
  const patient = resolver({}, (_needs, { http }) => {
    const { sub } = { ...http?.authInfo?.extra };
    if (typeof sub !== 'string') throw new ToolError('the clinic cannot identify the caller');
    return sub;
  });

  const result = resolver({ patient, test: args.test }, ({ patient, test }) => {
    const results = resultsOf(patient);
    if (Object.hasOwn(results, test)) return results[test];
    const known = Object.keys(results).join(', ');
    throw new ToolError(`there is no test '${test}'; there are ${known}`);
  });

  // The link contains only the id of the call. An accept means that the user opened it.
  const pageOpened = resolver(
    { patient, result },
    ({ patient }, { callId }) => {
      signIns.ofCall(callId, patient);
      return elicitUrl('Sign in at the clinic to hand over your lab results.', pageFor(callId), {
        otherwise: () => {
          throw new ToolError('results need a sign-in, but this client cannot open links');
        },
      });
    },
    { asks: 'url' },
  );

  // The clinic's own records decide if the patient has signed in. The user needs time to type.
  const signedIn = resolver({ pageOpened, patient }, async ({ patient }, { callId, signal }) => {
    const signIn = signIns.ofCall(callId, patient);
    if (await signIn.isDoneWithin(patienceMs, signal)) return true;
    throw new ToolError(
      `the clinic handed over nothing, because ${patient} has not signed in on the page: call lab_results again for a new link, and ask the user to sign in as ${patient}`,
    );
  });

  return defineTool(
    'lab_results',
    {
      description: 'Get lab results of the user. The user signs in at the clinic first.',
      inputSchema: Wanted,
      resolve: { result, signedIn },
    },
    ({ test, result }) => `${test}: ${result}`,
  );
}
