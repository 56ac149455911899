/**
 * Alice's assistant asks for her lab results. She signs in on the clinic's page, or does not; and
 * Bob gets hold of her link, and then of her call.
 */
import type { ElicitResult } from '@modelcontextprotocol/client';
import { accept } from 'mcp-resolve/client';

import { type Answer, decline, type Link } from '../support/connect.js';
import { runStory } from '../support/story.js';
import { alice, bob, type Patient } from './people.js';
import { openClinic } from './server.js';
import { answerForSomebodyElse } from './stolenCall.js';
import { Browser, type Page } from './visit.js';

const HERS = 'blood: all values of alice are fine';
const error = (message: string): string => `Error executing tool lab_results: ${message}`;
const notSignedIn = ({ name }: Patient): string =>
  error(
    `nothing is handed over, because ${name} has not signed in on the page: call lab_results again for a new link, and have the person sign in there as ${name}`,
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
    opens: (link: Link) => ElicitResult | Promise<ElicitResult>,
  ): Promise<Answer> =>
    withClient({ token, opens }, (client) => client.call('lab_results', { test: 'blood' }));

  // She signs in while her call waits.
  const links: Link[] = [];
  let visit: Promise<Page> | undefined;
  const results = await ask(alice, (link) => {
    links.push(link);
    visit = hers.visit(link.url, alice);
    return opened;
  });
  const [first] = links;
  const message = 'Sign in at the clinic to hand over your lab results.';
  check('alice is sent to the page', first?.message, message);
  const { pathname, searchParams } = new URL(first!.url);
  check(
    'by a link that names a call',
    [pathname, [...searchParams.keys()]],
    ['/sign-in', ['call']],
  );
  check('she signs in', (await visit)?.title, 'Thank you');
  check('and her assistant gets her results', results.text, HERS);
  check('after one question', results.rounds, legacy ? [1] : [1, 0]);
  check('a link counts once', (await hers.open(first!.url)).title, 'This link has ended');

  // Opened is not signed in; and Bob can sign in for nobody but himself.
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
  check('who opens the page and leaves gets nothing', idle.text, notSignedIn(alice));
  const NOT_HIS = [403, 'This link is not for you'];
  check('bob signs in on her link in vain', [refusal?.status, refusal?.title], NOT_HIS);
  check('which does not count for her call', phished.text, notSignedIn(alice));
  check('nor for a call of his own', bobs.text, notSignedIn(bob));
  const again = await his.open(stolen);
  check('he sees no form there any more', [again.title, again.nonce], [NOT_HIS[1], undefined]);
  check('she still does', (await hers.open(stolen)).title, 'Hand over your lab results?');

  const declined = await ask(alice, () => decline);
  const no = "Resolver for parameter 'pageOpened' could not resolve: elicitation was decline";
  check('a declined link ends the call', declined.text, error(no));

  await answerForSomebodyElse({ check, legacy, withClient });

  const unable = await call('lab_results', { test: 'blood' });
  const cannot = 'results need a sign-in, and this client cannot open the page for it';
  check('a client that cannot open links is told so', unable.text, error(cannot));
  const unknown = await call('lab_results', { test: 'horoscope' });
  const tests = "there is no test 'horoscope'; there are blood, allergy";
  check('nobody signs in for a test that does not exist', unknown.text, error(tests));
});
