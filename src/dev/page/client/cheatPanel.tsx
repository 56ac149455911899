/** The cheats: a button for each, and the outcome with its reason. */
import type { JSX } from 'preact';
import { useState } from 'preact/hooks';
import type { CheatName, CheatReport, Outline } from '../protocol.js';
import { CHEATS } from '../protocol.js';
import type { RunView } from './runView.js';
import { act, module, shownRun } from './state.js';
import { unpinned } from './unpinned.js';
import { Messages } from './wireMessage.js';

/** Renders the cheats for the shown run. */
export function CheatPanel({ outline }: { readonly outline: Outline }): JSX.Element {
  const run = shownRun.value;
  const loose = run === undefined ? [] : unpinned(outline.explanation, run.events);
  const obstacles = CHEATS.map((cheat) => obstacleTo(cheat, run, outline));
  // The same reason is not said seven times.
  const common = obstacles.find(
    (one, index) => one !== undefined && obstacles.indexOf(one) < index,
  );
  return (
    <section class="panel at-cheats" aria-labelledby="cheats-title">
      <h2 id="cheats-title">Try to cheat</h2>
      <p class="hint">
        Take a dishonest step with the call that you have just made. The page shows what the client
        receives, and why.
      </p>
      {common === undefined ? undefined : <p class="obstacle">{common}</p>}
      <ul class="cheats">
        {CHEATS.map((cheat, index) => (
          <Cheat
            key={cheat}
            cheat={cheat}
            run={run}
            obstacle={obstacles[index]}
            hint={obstacles[index] === common ? ABOUT[cheat] : (obstacles[index] ?? ABOUT[cheat])}
          />
        ))}
      </ul>
      {loose.map((key) => (
        <p class="finding" key={key}>
          <strong>A value that the user did not approve can get through.</strong>{' '}
          <span class="mono">{key}</span> ran again after the answer, so the body may use another
          value than the question showed. The missing line:
          <code>{`{ pin: schema } // in the options of ${key}`}</code>
        </p>
      ))}
    </section>
  );
}

interface CheatProps {
  readonly cheat: CheatName;
  readonly run: RunView | undefined;
  /** The reason why the cheat is not possible now. */
  readonly obstacle: string | undefined;
  /** The text beside the button before there is a report. */
  readonly hint: string | undefined;
}

function Cheat({ cheat, run, obstacle, hint }: CheatProps): JSX.Element {
  const [sure, setSure] = useState(false);
  const report = run?.cheats.get(cheat);
  const press = (): void => {
    if (RUNS_BODY.has(cheat) && !sure) {
      setSure(true);
      return;
    }
    setSure(false);
    void act({ type: 'cheat', cheat });
  };
  return (
    <li>
      <button
        type="button"
        class={sure ? 'danger' : ''}
        disabled={obstacle !== undefined || run?.cheating !== undefined}
        onClick={press}
        onBlur={() => setSure(false)}
      >
        {sure ? 'The body may run again. Press to confirm' : TITLES[cheat]}
      </button>
      <div aria-live="polite">
        {report === undefined ? <p class="hint">{hint}</p> : <Report report={report} />}
      </div>
    </li>
  );
}

const TITLES: Readonly<Record<CheatName, string>> = {
  replay: 'Send the last round again',
  swap: 'Change an argument after the approval',
  spoil: 'Spoil the token',
  otherUser: 'Answer as another user',
  unasked: 'Answer a question that was not asked',
  hidden: 'Send the hidden parameters',
  twice: 'Answer twice at the same time',
};

const ABOUT: Readonly<Record<CheatName, string>> = {
  replay: 'A bug, or a client that tries again after a broken connection, does this too.',
  swap: 'The user approved one call, and the client makes another.',
  spoil: 'The client changes what the server noted between the two requests.',
  otherUser: 'Somebody has stolen the state of this call.',
  unasked: 'The client answers before the user has seen the question.',
  hidden: 'The model fills what only the resolvers may fill.',
  twice: 'Two requests race with one approval.',
};

/** The cheats that can run the body again. */
const RUNS_BODY: ReadonlySet<CheatName> = new Set(['replay', 'otherUser', 'hidden', 'twice']);

/** Returns the reason why a cheat is not possible now. */
function obstacleTo(
  cheat: CheatName,
  run: RunView | undefined,
  { explanation }: Outline,
): string | undefined {
  if (module.value?.status !== 'ready' || run?.ending === undefined)
    return 'Run the call to its end first.';
  if (run.lost) return 'The module was loaded again. Run the call again.';
  if (run.ending.end === 'stopped') return 'The call was stopped. Run it to its end.';
  if (cheat === 'hidden') {
    return explanation.parameters.length === 0 ? 'No resolver fills a parameter.' : undefined;
  }
  if (run.ending.end === 'waits') return 'The call waits for an approval. Decide first.';
  if (run.requests.length > 0 && NEEDS_CALL.has(cheat)) {
    return cheat === 'otherUser' && run.spec.authInfo === undefined ? NOBODY : undefined;
  }
  if (run.spec.era === 'legacy')
    return 'An older client holds no state. Run the call with 2026-07-28.';
  if (run.answered.length === 0) return 'The call asked nothing, so the client holds no state.';
  return cheat === 'otherUser' && run.spec.authInfo === undefined ? NOBODY : undefined;
}

const NOBODY = 'Nobody was signed in.';

/** The cheats that need no state of the client if the call was approved at a desk. */
const NEEDS_CALL: ReadonlySet<CheatName> = new Set(['replay', 'swap', 'otherUser', 'twice']);

const VERDICTS: Readonly<Record<CheatReport['verdict'], string>> = {
  refused: 'Refused',
  recorded: 'Answered from the record',
  ignored: 'Ignored',
  through: 'Went through',
  impossible: 'Not possible',
};

function Report({ report }: { readonly report: CheatReport }): JSX.Element {
  const { verdict, sent, received, log, why, missing, bodyRuns, wire } = report;
  return (
    <div class="report">
      <p class={`verdict ${verdict === 'through' ? 'bad' : 'good'}`}>
        {VERDICTS[verdict]}. The body ran {bodyRuns}×.
      </p>
      <p>{why}</p>
      {missing === undefined ? undefined : (
        <p class="finding">
          The missing line: <code>{missing}</code>
        </p>
      )}
      <dl>
        <dt>sent</dt>
        <dd>{sent}</dd>
        <dt>received</dt>
        <dd>{received}</dd>
        <dt>log</dt>
        <dd>{log.length === 0 ? 'nothing' : log.join('\n')}</dd>
      </dl>
      {wire.length === 0 ? undefined : <Messages wire={wire} />}
    </div>
  );
}
