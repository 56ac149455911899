/**
 * Alice's client asks for her lab results. She signs in on the clinic's page, or does not sign in.
 * Bob obtains her link, and then her call.
 */
import type { ElicitResult } from '@modelcontextprotocol/client';
import { accept } from 'mcp-resolve/client';

import { type Answer, decline, type Link } from '../support/connect.js';
import { runStory } from '../support/story.js';
import { alice, bob, type Patient } from './people.js';
import { openClinic } from './server.js';
import { checkStolenCall } from './stolenCall.js';
import { Browser, type Page } from './visit.js';

const HERS = 'blood: all values of alice are fine';
const error = (message: string): string => `Error executing tool lab_results: ${message}`;
const notSignedIn = ({ name }: Patient): string =>
  error(
    `the clinic handed over nothing, because ${name} has not signed in on the page: call lab_results again for a new link, and ask the user to sign in as ${name}`,
  );

const opened = accept();
const hers = new Browser();
const his = new Browser();

const story = {
  server: new URL('server.ts', import.meta.url),
  openHttp: () => openClinic({ patienceMs: 5_000 }),
  token: alice.token,
};
await runStory(story, async ({ call, check, legacy, withClient }) => {
  const ask = (
    { token }: Patient,
    onLink: (link: Link) => ElicitResult | Promise<ElicitResult>,
  ): Promise<Answer> =>
    withClient({ token, onLink }, (client) => client.call('lab_results', { test: 'blood' }));

  // Alice signs in while her call waits.
  const links: Link[] = [];
  let visit: Promise<Page> | undefined;
  const results = await ask(alice, (link) => {
    links.push(link);
    visit = hers.visit(link.url, alice);
    return opened;
  });
  const [first] = links;
  const message = 'Sign in at the clinic to hand over your lab results.';
  check('the server asks alice to open the page', first?.message, message);
  const { pathname, searchParams } = new URL(first!.url);
  check(
    'with a link that contains only the id of the call',
    [pathname, [...searchParams.keys()]],
    ['/sign-in', ['call']],
  );
  check('she signs in', (await visit)?.title, 'Thank you');
  check('her client receives her results', results.text, HERS);
  check('after one question', results.rounds, legacy ? [1] : [1, 0]);
  check('the link is valid once', (await hers.open(first!.url)).title, 'This link has ended');

  // Opening the page is not enough, and Bob can sign in only as himself.
  let stolen = '';
  let refusal: Page | undefined;
  const [idle, phished, bobs] = await Promise.all([
    ask(alice, () => opened),
    ask(alice, async ({ url }) => {
      stolen = url;
      refusal = await his.visit(url, bob);
      return opened;
    }),
    ask(bob, () => opened),
  ]);
  check('without a sign-in there are no results', idle.text, notSignedIn(alice));
  const NOT_HIS = [403, 'This link is not for you'];
  check('the page refuses bob on her link', [refusal?.status, refusal?.title], NOT_HIS);
  check('his sign-in does not complete her call', phished.text, notSignedIn(alice));
  check('or a call of his own', bobs.text, notSignedIn(bob));
  const again = await his.open(stolen);
  check('the link shows him no form', [again.title, again.nonce], [NOT_HIS[1], undefined]);
  check(
    'and still shows her the form',
    (await hers.open(stolen)).title,
    'Hand over your lab results?',
  );

  const declined = await ask(alice, () => decline);
  const no = "Resolver for parameter 'pageOpened' could not resolve: elicitation was decline";
  check('a declined link ends the call', declined.text, error(no));

  await checkStolenCall({ check, legacy, withClient });

  const unable = await call('lab_results', { test: 'blood' });
  const cannot = 'results need a sign-in, but this client cannot open links';
  check('a client that cannot open links receives an error', unable.text, error(cannot));
  const unknown = await call('lab_results', { test: 'horoscope' });
  const tests = "there is no test 'horoscope'; there are blood, allergy";
  check('an unknown test fails before the sign-in', unknown.text, error(tests));
});
