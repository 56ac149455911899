/** The page of `mcp-resolve dev`: the definitions, the client, and the server that it calls. */
import { render } from 'preact';
import type { JSX } from 'preact';
import { visibleText } from '../../../visibleText.js';
import type { Outline } from '../protocol.js';
import { ApproverPanel } from './approverPanel.js';
import { CallerPanel, CallPanel } from './callPanel.js';
import { CheatPanel } from './cheatPanel.js';
import { GraphView } from './graphView.js';
import { Outcome } from './outcome.js';
import { QuestionPanel } from './questionCards.js';
import { Scrubber } from './scrubber.js';
import { act, connected, followNews, kept, module, outline, refusal } from './state.js';
import { TestPanel } from './testPanel.js';

function Page(): JSX.Element {
  const shown = outline.value;
  return (
    <>
      <a class="skip" href="#call-title">
        Skip to the call
      </a>
      <Header />
      <Problem />
      <div class="columns">
        <Definitions />
        {shown === undefined ? <Nothing /> : <Definition outline={shown} />}
      </div>
    </>
  );
}

function Header(): JSX.Element {
  const { file = '', status = 'loading' } = module.value ?? {};
  const words = connected.value ? STATUS[status] : 'The command has ended';
  return (
    <header>
      <p class="brand">
        mcp-resolve <span>dev</span>
      </p>
      <p class="file mono">{file}</p>
      <p class={`status ${connected.value ? status : 'failed'}`} role="status">
        {words}
      </p>
      <button type="button" onClick={() => void act({ type: 'reload' })}>
        Load again
      </button>
    </header>
  );
}

const STATUS = {
  loading: 'Loading…',
  ready: 'Loaded',
  stuck: 'Does not respond',
  failed: 'Cannot be loaded',
} as const;

const STUCK =
  'The code of the module blocks its process, for example in an endless loop, so the call cannot be stopped. Press “Load again” to end the process.';

/** Says why the module cannot be loaded, or why an action was refused. */
function Problem(): JSX.Element {
  const { problem, status } = module.value ?? {};
  const text = { failed: problem, stuck: STUCK }[String(status)] ?? refusal.value;
  return (
    <div role="alert">
      {text === undefined ? undefined : (
        <div class="banner">
          <pre>{text}</pre>
          {status === 'failed' ? <p>Save the file or press “Load again”.</p> : undefined}
        </div>
      )}
    </div>
  );
}

function Nothing(): JSX.Element {
  const failed = module.value?.status === 'failed';
  return (
    <main class="nothing">
      <p class="empty">{failed ? 'There is nothing to show yet.' : 'Loading the module…'}</p>
    </main>
  );
}

const KINDS = [
  ['tool', 'Tools'],
  ['prompt', 'Prompts'],
  ['resource', 'Resources'],
] as const;

function Definitions(): JSX.Element {
  const outlines = module.value?.outlines ?? [];
  return (
    <nav aria-label="Definitions">
      {KINDS.map(([kind, title]) => {
        const some = outlines.filter(({ explanation }) => explanation.kind === kind);
        return some.length === 0 ? undefined : (
          <section key={kind}>
            <h2>{title}</h2>
            <ul>
              {some.map((one) => (
                <li key={one.id}>
                  <Choice outline={one} />
                </li>
              ))}
            </ul>
          </section>
        );
      })}
    </nav>
  );
}

function Choice({ outline: { id, explanation } }: { readonly outline: Outline }): JSX.Element {
  return (
    <button
      type="button"
      aria-current={outline.value?.id === id ? 'page' : undefined}
      onClick={() => (kept.value = { ...kept.value, selected: id })}
    >
      <span class="mono">{visibleText(explanation.name)}</span>
      <span class="hint">{hintOf(explanation)}</span>
    </button>
  );
}

function hintOf({ resolvers, once }: Outline['explanation']): string {
  const kinds = resolvers.map(({ asks }) => asks.kind).filter((kind) => kind !== 'nothing');
  const questions = kinds.filter((kind) => kind !== 'approval').length;
  return [
    countOf(resolvers.length, 'resolver'),
    ...(questions > 0 ? [countOf(questions, 'question')] : []),
    ...(questions < kinds.length ? ['needs approval'] : []),
    ...(once ? ['once'] : []),
  ].join(' · ');
}

function countOf(count: number, noun: string): string {
  return `${count === 0 ? 'no' : count} ${noun}${count === 1 ? '' : 's'}`;
}

function Definition({ outline: shown }: { readonly outline: Outline }): JSX.Element {
  const { explanation, listed } = shown;
  return (
    <main aria-label={`${explanation.kind} ${explanation.name}`}>
      <h1 class="hidden">
        {explanation.kind} {explanation.name}
      </h1>
      <div class="client" role="group" aria-label="The client">
        <CallPanel outline={shown} />
        <QuestionPanel />
        {explanation.resolvers.some(({ asks }) => asks.kind === 'approval') ? (
          <ApproverPanel />
        ) : undefined}
        <CallerPanel />
        <details class="panel" open>
          <summary>What the model sees</summary>
          {listed === undefined ? (
            <p class="empty">The server does not list it.</p>
          ) : (
            <pre>{visibleText(JSON.stringify(listed, undefined, 2))}</pre>
          )}
        </details>
      </div>
      <div class="server" role="group" aria-label="The server">
        <section class="panel at-graph" aria-labelledby="graph-title">
          <h2 id="graph-title">Graph</h2>
          <Scrubber />
          <GraphView outline={shown} />
        </section>
        <Outcome />
        <CheatPanel key={shown.id} outline={shown} />
        <TestPanel outline={shown} />
      </div>
    </main>
  );
}

const place = document.getElementById('page');
if (place !== null) render(<Page />, place);
followNews();
