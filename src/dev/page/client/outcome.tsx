/** A run side by side: what the model reads, what ran, the messages, and the timeline. */
import type { ComponentChildren, JSX } from 'preact';
import { layOutRound } from '../../trace/timelineRows.js';
import type { Row } from '../../trace/timelineRows.js';
import { tracedCalls } from '../../trace/tracedCalls.js';
import { visibleText } from '../../../visibleText.js';
import type { RunEnding } from '../protocol.js';
import { STATE_WORDS, timeOf } from './graphView.js';
import { restingState } from './runView.js';
import type { RunView } from './runView.js';
import { nodes, outline, shownRun } from './state.js';
import { timesRun } from './unpinned.js';
import { Messages } from './wireMessage.js';

/** Renders the four parts of the shown run. */
export function Outcome(): JSX.Element {
  const run = shownRun.value;
  return (
    <div class="results">
      <Part place="reads" title="What the model reads">
        <Reads run={run} />
      </Part>
      <Part place="ran" title="What ran, with which values">
        <Ran run={run} />
      </Part>
      <Part place="time" title="Timeline">
        <Timeline run={run} />
      </Part>
      <Part place="wired" title="Messages on the wire">
        <Wire run={run} />
      </Part>
    </div>
  );
}

interface PartProps {
  /** The area of the layout. */
  readonly place: string;
  readonly title: string;
  readonly children: ComponentChildren;
}

function Part({ place, title, children }: PartProps): JSX.Element {
  const id = `${place}-title`;
  return (
    <section class={`panel part at-${place}`}>
      <h2 id={id}>{title}</h2>
      <div class="scroll" tabIndex={0} role="region" aria-labelledby={id}>
        {children}
      </div>
    </section>
  );
}

interface RunProps {
  readonly run: RunView | undefined;
}

function Empty({ children }: { readonly children: ComponentChildren }): JSX.Element {
  return <p class="empty">{children}</p>;
}

function Reads({ run }: RunProps): JSX.Element {
  return (
    <>
      <div role="status">
        <End run={run} />
      </div>
      {run?.ending === undefined ? undefined : <Content ending={run.ending} log={run.log} />}
    </>
  );
}

function End({ run }: RunProps): JSX.Element {
  if (run === undefined) return <Empty>The result of the call.</Empty>;
  const { ending } = run;
  if (ending === undefined) return <Empty>Nothing yet. The call is not over.</Empty>;
  return <p class={`verdict ${MOODS[ending.end]}`}>{endWords(ending)}</p>;
}

interface ContentProps {
  readonly ending: RunEnding;
  readonly log: readonly string[];
}

function Content({ ending, log }: ContentProps): JSX.Element {
  return (
    <>
      {ending.text === '' ? undefined : <pre>{visibleText(ending.text)}</pre>}
      {ending.others?.map((words, index) => (
        <p class="hint" key={index}>
          {words}
        </p>
      ))}
      {ending.structured === undefined ? undefined : (
        <>
          <h3>Structured content</h3>
          <pre>{visibleText(JSON.stringify(ending.structured, undefined, 2))}</pre>
        </>
      )}
      {ending.cause === undefined && log.length === 0 ? undefined : (
        <>
          <h3>Only the log has</h3>
          <pre>
            {visibleText(
              [...(ending.cause === undefined ? [] : [ending.cause]), ...log].join('\n'),
            )}
          </pre>
        </>
      )}
    </>
  );
}

const MOODS = {
  result: 'good',
  waits: 'open',
  toolError: 'bad',
  protocolError: 'bad',
  stopped: 'bad',
} as const;

function endWords({ end, code, bodyRuns }: RunEnding): string {
  const ran =
    bodyRuns === undefined
      ? 'The body may have run.'
      : `The body ${bodyRuns === 0 ? 'did not run' : 'ran'}.`;
  switch (end) {
    case 'result':
      return `A result. ${ran}`;
    case 'toolError':
      return `An error that the model reads. ${ran}`;
    case 'waits':
      return `The call waits for an approval. ${ran}`;
    case 'protocolError':
      return `Error ${code ?? ''} for the client. The model reads nothing. ${ran}`;
    case 'stopped':
      return `Stopped. ${ran}`;
  }
}

function Ran({ run }: RunProps): JSX.Element {
  const resolvers = outline.value?.explanation.resolvers ?? [];
  if (run === undefined) return <Empty>Each resolver, its value and its duration.</Empty>;
  if (resolvers.length === 0)
    return <Empty>No resolver. The body takes the arguments as they are.</Empty>;
  return (
    <table>
      <thead>
        <tr>
          <th scope="col">resolver</th>
          <th scope="col">value</th>
          <th scope="col">ran</th>
        </tr>
      </thead>
      <tbody>
        {resolvers.map(({ key }) => {
          const { state, value, durationMs } = nodes.value.get(key) ?? {
            state: restingState(nodes.value),
          };
          return (
            <tr key={key}>
              <th scope="row" class="mono">
                {key}
              </th>
              <td>
                {value === undefined ? undefined : <pre>{visibleText(value)}</pre>}
                <span class="hint">{STATE_WORDS[state]}</span>
              </td>
              <td class="number">
                {timesRun(run.events, key)}× {timeOf(durationMs)}
              </td>
            </tr>
          );
        })}
      </tbody>
    </table>
  );
}

function Timeline({ run }: RunProps): JSX.Element {
  if (run === undefined) return <Empty>When each resolver ran, and when it waited.</Empty>;
  const [call] = tracedCalls(run.events);
  if (call === undefined || !('rounds' in call)) return <Empty>The call did not begin.</Empty>;
  return (
    <>
      {call.rounds.map((round, index) => {
        const { rows, lasts } = layOutRound(round);
        return (
          <section key={index}>
            <h3>
              Request {index + 1} <span class="hint">{timeOf(round.completed?.durationMs)}</span>
            </h3>
            {rows.map((row) => (
              <TimelineRow key={row.name} row={row} lasts={lasts} />
            ))}
          </section>
        );
      })}
    </>
  );
}

const WIDTH = 1000;

function TimelineRow({ row, lasts }: { readonly row: Row; readonly lasts: number }): JSX.Element {
  const scale = lasts === 0 ? 0 : WIDTH / lasts;
  return (
    <div class="row">
      <span class="mono">{row.name}</span>
      <svg viewBox={`0 0 ${WIDTH} 10`} preserveAspectRatio="none" aria-hidden="true">
        {row.stretches.map(({ from, to, is }, index) => (
          <rect
            key={index}
            class={is}
            x={Math.min(WIDTH - 8, from * scale)}
            width={Math.max(8, (to - from) * scale)}
            height={10}
            rx={2}
          />
        ))}
      </svg>
      <span class="hint">{row.notes.map(({ text }) => text).join(', then ')}</span>
    </div>
  );
}

function Wire({ run }: RunProps): JSX.Element {
  if (run === undefined) return <Empty>The requests and responses, with the sealed state.</Empty>;
  return (
    <>
      <p class="hint">→ to the server, ← to the client</p>
      <Messages wire={run.wire} />
    </>
  );
}
