/** Writes a run as a test, with `mcp-resolve/testing`. */
import { visibleText } from '../../../visibleText.js';
import type { Outline } from '../protocol.js';
import type { Answered, RunView } from './runView.js';

/** The test runners that a test can be written for. */
export const RUNNERS = ['node:test', 'vitest'] as const;

/** One of the test runners. */
export type Runner = (typeof RUNNERS)[number];

/** The parts of a test. */
export interface TestParts {
  readonly outline: Outline;
  readonly run: RunView;
  /** The specifier of the author's module. */
  readonly specifier: string;
  readonly runner: Runner;
}

/** Returns the test, or `undefined` if the module does not export the definition. */
export function testCode({ outline, run, specifier, runner }: TestParts): string | undefined {
  const { exported, explanation } = outline;
  if (exported === undefined) return undefined;
  const answers = [...answersOf(run.answered), ...decisionsOf(run)];
  const helpers = HELPERS.filter((name) => answers.some((line) => line.includes(`${name}(`)));
  const isDefault = exported.name === 'default';
  const local = isDefault ? camel(explanation.name) : exported.name;
  const subject = `${local}${exported.path}`;
  return [
    ...(runner === 'vitest'
      ? [`import { expect, test } from 'vitest';`]
      : [`import assert from 'node:assert/strict';`, `import { test } from 'node:test';`]),
    ...(isUnknown(run) ? [`import { requestStateSeal } from 'mcp-resolve';`] : []),
    `import { ${[...helpers, 'run'].sort().join(', ')} } from 'mcp-resolve/testing';`,
    `import ${isDefault ? local : `{ ${local} }`} from ${quote(specifier)};`,
    '',
    `test(${quote(titleOf(outline, run))}, async () => {`,
    `  const { isError, questions, text } = await run(${subject}, ${inputOf(outline, run)}, {`,
    ...optionsOf(run).map((line) => `    ${line}`),
    ...(answers.length === 0
      ? []
      : ['    answers: {', ...answers.map((line) => `      ${line}`), '    },']),
    '  });',
    '',
    ...expectations(run, runner).map((line) => `  ${line}`),
    '});',
    '',
  ].join('\n');
}

const HELPERS = [
  'accept',
  'approvedBy',
  'cancel',
  'decline',
  'deniedBy',
  'roots',
  'says',
  'undecided',
];

/** Returns true if nobody is signed in. The kit names such a caller if the tool has approvals. */
function isUnknown({ spec, requests }: RunView): boolean {
  return spec.authInfo === undefined && requests.length > 0;
}

function titleOf({ explanation }: Outline, { ending, answered, spec }: RunView): string {
  const actions = answered.map(({ question, answer }) => `${question.key} ${actionOf(answer)}`);
  const end = ending?.end === 'result' ? 'returns a result' : 'ends with an error';
  const after = actions.length === 0 ? 'without a question' : `after ${actions.join(', ')}`;
  return `${explanation.name} ${end} ${after} (${spec.era})`;
}

function actionOf(answer: unknown): string {
  const { action } = { ...(answer as { readonly action?: unknown } | undefined) };
  return typeof action === 'string' ? action : 'answer';
}

function inputOf({ explanation, listed }: Outline, { spec, wire }: RunView): string {
  if (explanation.kind !== 'resource') return literal(spec.args);
  const read = wire.map(({ message }) => message as { method?: string; params?: { uri?: string } });
  const sent = read.find(({ method }) => method === 'resources/read')?.params?.uri;
  const { uri } = { ...(listed as { readonly uri?: string } | undefined) };
  return quote(sent ?? uri ?? '');
}

function optionsOf(run: RunView): string[] {
  const { spec } = run;
  const { era, abilities, authInfo } = spec;
  const { form, url, sampling, roots } = abilities;
  const elicitation = [...(form ? ['form: {}'] : []), ...(url ? ['url: {}'] : [])].join(', ');
  const capabilities = [
    ...(elicitation === '' ? [] : [`elicitation: { ${elicitation} }`]),
    ...(sampling ? ['sampling: { tools: {} }'] : []),
    ...(roots ? ['roots: {}'] : []),
  ].join(', ');
  const all = form && url && sampling && roots;
  return [
    `era: ${quote(era)},`,
    ...(all ? [] : [`capabilities: { ${capabilities} },`.replace('{  }', '{}')]),
    ...(authInfo === undefined ? [] : [`authInfo: ${literal(authInfo)},`]),
    ...(isUnknown(run) ? ['install: { seal: requestStateSeal.ephemeral() },'] : []),
  ];
}

/** Writes the answers by key. A question that was asked several times has an array. */
function answersOf(answered: readonly Answered[]): string[] {
  const byKey = new Map<string, string[]>();
  for (const { question, answer } of answered) {
    byKey.set(question.key, [...(byKey.get(question.key) ?? []), answerCode(answer)]);
  }
  return [...byKey].map(([key, codes]) => {
    const [only = ''] = codes;
    return `${keyCode(key)}: ${codes.length === 1 ? only : `[${codes.join(', ')}]`},`;
  });
}

/** Writes the decisions on approvals by key. A denial ends a request, whoever approved before. */
function decisionsOf({ requests, decisions }: RunView): string[] {
  return requests.map(({ id, resolver }) => {
    const counted = decisions.filter(({ decision, decided }) => {
      return decision.id === id && decision.verdict !== 'withdraw' && decided.counted;
    });
    const { who = '', comment = '' } = {
      ...counted.find(({ decision }) => decision.verdict === 'deny')?.decision,
    };
    const denied = [who, ...(comment === '' ? [] : [comment])].map(quote).join(', ');
    const people = [...new Set(counted.map(({ decision }) => decision.who))].map(quote).join(', ');
    const approved = people === '' ? 'undecided()' : `approvedBy(${people})`;
    return `${keyCode(resolver)}: ${who === '' ? approved : `deniedBy(${denied})`},`;
  });
}

function answerCode(answer: unknown): string {
  const { action, content, roots } = {
    ...(answer as Readonly<Record<string, unknown>> | undefined),
  };
  if (action === 'accept')
    return content === undefined ? 'accept()' : `accept(${literal(content)})`;
  if (action === 'decline') return 'decline()';
  if (action === 'cancel') return 'cancel()';
  if (Array.isArray(roots)) {
    const uris = (roots as readonly { readonly uri: string }[]).map(({ uri }) => uri);
    return `roots(${literal(uris)})`;
  }
  const { text } = { ...(content as { readonly text?: string } | undefined) };
  return `says(${quote(text ?? '')})`;
}

function expectations({ ending, answered, requests }: RunView, runner: Runner): string[] {
  const messages = answered.map(({ question }) => question.message);
  const isError = ending?.end !== 'result';
  const whole = ending?.text ?? '';
  // The error of a call without approval contains a random id.
  const isRandom = requests.some(({ id }) => whole.includes(id));
  const text = quote(isRandom ? stablePart(whole) : whole);
  return runner === 'vitest'
    ? [
        `expect(questions.map(({ message }) => message)).toEqual(${literal(messages)});`,
        `expect(text).${isRandom ? 'toContain' : 'toBe'}(${text});`,
        `expect(isError).toBe(${isError});`,
      ]
    : [
        `assert.deepEqual(`,
        `  questions.map(({ message }) => message),`,
        `  ${literal(messages)},`,
        `);`,
        isRandom ? `assert.ok(text.includes(${text}));` : `assert.equal(text, ${text});`,
        `assert.equal(isError, ${isError});`,
      ];
}

/** Returns the part of an error about an approval that is the same in every run. */
function stablePart(text: string): string {
  return (
    ['was denied, so nothing was done', 'this call waits for approval'].find((part) =>
      text.includes(part),
    ) ?? ''
  );
}

function camel(name: string): string {
  const joined = name.replace(/[^A-Za-z0-9]+(.)?/g, (_, next = '') => String(next).toUpperCase());
  return /^[A-Za-z]/.test(joined) ? joined : `tool${joined}`;
}

function quote(text: string): string {
  const inside = JSON.stringify(text).slice(1, -1).replaceAll('\\"', '"').replaceAll("'", "\\'");
  // Invisible characters are written as escapes, which have the same form in JavaScript.
  return `'${visibleText(inside)}'`;
}

function keyCode(key: string): string {
  return /^[A-Za-z_$][\w$]*$/.test(key) ? key : quote(key);
}

/** Writes JSON as code. `__proto__` is computed, because as a plain key it sets the prototype. */
function literal(value: unknown): string {
  if (typeof value === 'string') return quote(value);
  if (Array.isArray(value)) return `[${value.map(literal).join(', ')}]`;
  if (typeof value !== 'object' || value === null) return JSON.stringify(value);
  const members = Object.entries(value).map(([key, member]) => {
    const name = key === '__proto__' ? "['__proto__']" : keyCode(key);
    return `${name}: ${literal(member)}`;
  });
  return members.length === 0 ? '{}' : `{ ${members.join(', ')} }`;
}
