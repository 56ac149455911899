/** Tests the rules for ESLint with its own tester, on JavaScript and on typed code. */
import { fileURLToPath } from 'node:url';
import { Linter, RuleTester } from 'eslint';
import tseslint from 'typescript-eslint';
import { afterAll, describe, expect, it } from 'vitest';
import { recommended } from 'mcp-resolve/eslint';
import { rules } from '../../src/dev/lint/plugin.js';

RuleTester.describe = describe;
RuleTester.it = it;
RuleTester.itOnly = it;
Object.assign(RuleTester, { afterAll });

const javascript = new RuleTester();
const typed = typedTester('./tsconfig.json');
const loose = typedTester('./tsconfig.loose.json');

function typedTester(project: string): RuleTester {
  const parserOptions = {
    project,
    // The parser would take the text of the file on disk in CI.
    disallowAutomaticSingleRunInference: true,
    tsconfigRootDir: fileURLToPath(new URL('.', import.meta.url)),
  };
  return new RuleTester({ languageOptions: { parser: tseslint.parser, parserOptions } });
}

/** A file of the project, whose text the tester replaces. */
const filename = fileURLToPath(new URL('typed.ts', import.meta.url));

const IMPORTS = `import { confirm, elicit, elicitUrl, sample } from 'mcp-resolve';`;
const TYPED = `
import { type AnyQuestion, confirm, type Confirm, type Outcome } from 'mcp-resolve';
declare const outcomeOf: () => Outcome<number>;
declare const sure: Outcome<true>;
declare const maybe: Outcome<true> | undefined;
declare const ask: (euros: number) => Confirm;
declare const later: (euros: number) => Promise<Confirm>;
declare const either: Confirm | boolean;
`;

javascript.run('no-question-condition', rules['no-question-condition'], {
  valid: [
    `${IMPORTS} const f = ({ euros }) => (euros < 100 ? true : confirm('Pay?'));`,
    `${IMPORTS} const f = ({ known }) => known ?? elicit('Which?', Size);`,
    `${IMPORTS} const f = ({ known }) => known || elicit('Which?', Size);`,
    `${IMPORTS} const f = (x) => { const q = x ? confirm('Pay?') : null; if (q) return q; };`,
    `${IMPORTS} const f = (x) => { let q; if (x) q = confirm('Pay?'); return q ?? true; };`,
    // Another function of this name.
    `if (confirm('Leave the page?')) leave();`,
    `import { confirm } from '@inquirer/prompts'; if (await confirm({ message: 'Sure?' })) go();`,
    `const confirm = () => true; if (confirm('Pay?')) pay();`,
  ],
  invalid: [
    ...[
      `async () => { if (await confirm('Pay?')) pay(); }`,
      `() => { if (!confirm('Pay?')) return false; }`,
      `() => confirm('Pay?') && pay()`,
      `() => (confirm('Pay?') ? pay() : null)`,
      `() => { while (confirm('Again?')) pay(); }`,
      `async () => (await confirm('Pay?')) === true`,
      `() => elicit('Which?', Size) ?? 'M'`,
      `async () => { const yes = await confirm('Pay?'); if (!yes) throw Error('no'); }`,
      `async () => { const yes = await confirm('Pay?'); return yes === true ? 1 : 2; }`,
    ].map((code) => ({
      code: `${IMPORTS} const f = ${code};`,
      errors: [{ messageId: 'question' }],
    })),
    {
      code: `import * as ask from 'mcp-resolve'; if (ask.confirm('Pay?')) pay();`,
      errors: [{ messageId: 'question' }],
    },
    {
      code: `import { confirm as sure } from 'mcp-resolve'; if (sure('Pay?')) pay();`,
      errors: [{ messageId: 'question' }],
    },
    {
      code: `const { confirm: sure } = require('mcp-resolve'); if (sure('Pay?')) pay();`,
      errors: [{ messageId: 'question' }],
    },
    {
      code: `import { approval } from 'mcp-resolve/approvals'; if (approval('Pay', terms)) pay();`,
      errors: [{ messageId: 'question' }],
    },
  ],
});

typed.run('no-question-condition with types', rules['no-question-condition'], {
  valid: [
    `if (sure.action === 'accept') pay();`,
    `if (maybe) pay();`,
    `if (either === true) pay();`,
    `if (either) pay();`,
  ].map((code) => ({ code: TYPED + code, filename })),
  invalid: [
    ...[`if (sure) pay();`, `sure && pay();`, `if (!outcomeOf()) pay();`].map((code) => ({
      code: TYPED + code,
      filename,
      errors: [{ messageId: 'outcome' }],
    })),
    ...[`if (ask(1)) pay();`, `const q = ask(1); if (q) pay();`, `if (await ask(1)) pay();`].map(
      (code) => ({ code: TYPED + code, filename, errors: [{ messageId: 'question' }] }),
    ),
  ],
});

javascript.run('return-question', rules['return-question'], {
  valid: [
    `${IMPORTS} const f = () => confirm('Pay?');`,
    `${IMPORTS} const f = async () => { return await confirm('Pay?'); };`,
    `${IMPORTS} function f(x) { const q = confirm('Pay?'); return x ? q : true; }`,
    `${IMPORTS} const f = () => log(confirm('Pay?'));`,
    `${IMPORTS} const questions = { pay: confirm('Pay?') };`,
    `${IMPORTS} let q; const f = () => { q = confirm('Pay?'); return q; };`,
    `${IMPORTS} const f = (x) => { let q; if (x) q = confirm('Pay?'); return q ?? true; };`,
    `${IMPORTS} const f = (x) => { const q = confirm('Pay?'); const all = { q }; return all.q; };`,
    `${IMPORTS} const f = () => Promise.resolve(confirm('Pay?'));`,
    `${IMPORTS} const questions = [confirm('Pay?'), confirm('Again?')];`,
    `${IMPORTS} export const question = confirm('Pay?');`,
    `${IMPORTS} const question = confirm('Pay?'); export { question };`,
    `confirm('Leave the page?');`,
    // The rule about conditions reports these.
    `${IMPORTS} const f = () => { if (confirm('Pay?')) pay(); };`,
    `${IMPORTS} const f = () => { const yes = confirm('Pay?'); if (yes) pay(); };`,
  ],
  invalid: [
    `() => { confirm('Pay?'); }`,
    `async () => { await confirm('Pay?'); pay(); }`,
    `async () => { const yes = await confirm('Pay?'); pay(); }`,
    `async () => { const { size } = await elicit('Which?', Size); return size; }`,
    `async () => { const answer = await elicit('Which?', Size); return answer.size; }`,
    `async () => (await elicit('Which?', Size)).size`,
    `() => { throw confirm('Pay?'); }`,
    `() => void elicitUrl('Open.', 'https://shop.example')`,
    `() => { x ? confirm('Pay?') : 1; }`,
    `async () => { switch (await confirm('Pay?')) { case true: pay(); } }`,
    "async () => `Size ${await elicit('Which?', Size)}`",
    `async () => 'Size ' + (await elicit('Which?', Size))`,
    `async () => { const [size] = await Promise.all([elicit('Which?', Size)]); return size; }`,
    `async () => { let a; a = await elicit('Which?', Size); return a.size; }`,
    `() => { const a = confirm('Pay?'); const b = a; }`,
    // These declarations need each other.
    `(x) => { var a = x ? b : confirm('Pay?'); var b = a; }`,
  ].map((code) => ({ code: `${IMPORTS} const f = ${code};`, errors: [{ messageId: 'lost' }] })),
});

loose.run('no-question-condition without strictNullChecks', rules['no-question-condition'], {
  valid: [{ code: `${TYPED} const q = either ? ask(1) : null; if (q) pay();`, filename }],
  invalid: [
    { code: `${TYPED} if (confirm('Pay?')) pay();`, filename, errors: [{ messageId: 'question' }] },
  ],
});

typed.run('return-question with types', rules['return-question'], {
  valid: [`const f = () => ask(1);`, `const f = async () => later(1);`].map((code) => ({
    code: TYPED + code,
    filename,
  })),
  invalid: [`ask(1);`, `const f = async () => { await ask(1); return 1; };`].map((code) => ({
    code: TYPED + code,
    filename,
    errors: [{ messageId: 'lost' }],
  })),
});

javascript.run('stable-question', rules['stable-question'], {
  valid: [
    `${IMPORTS} const f = ({ at }) => confirm('Pay at ' + at + '?');`,
    `${IMPORTS} const f = (_, ctx) => elicitUrl('Open.', 'https://shop.example/' + ctx.callId);`,
    `${IMPORTS} const f = () => elicitUrl('Open.', url, { elicitationId: crypto.randomUUID() });`,
    `${IMPORTS} const f = () => elicit('When?', Day, { otherwise: () => Date.now() });`,
    `${IMPORTS} const f = ({ on }) => confirm('On ' + new Date(on).toISOString() + '?');`,
    `${IMPORTS} const started = Date.now(); const f = () => confirm('Since ' + started + '?');`,
    `${IMPORTS} const id = resolver({}, () => randomUUID(), { pin: z.string() });`,
    `${IMPORTS} const f = ({ now }) => confirm('Pay at ' + now + '?');`,
    `${IMPORTS} const f = () => { const now = Date.now(); log(now); return confirm('Pay?'); };`,
  ],
  invalid: [
    ['Date.now()', '() => confirm(`Pay at ${Date.now()}?`)'],
    ['new Date()', '() => confirm(`Pay on ${new Date().toISOString()}?`)'],
    ['Date()', '() => confirm("Pay on " + Date())'],
    ['Math.random()', '() => confirm(`Pay ${Math.random()}?`)'],
    ['randomUUID()', "() => elicitUrl('Open.', `https://shop.example/${randomUUID()}`)"],
    ['crypto.randomUUID()', '() => confirm(`Pay ${crypto.randomUUID().slice(0, 8)}?`)'],
    [
      'nanoid()',
      "() => { const id = nanoid(); return elicitUrl('Open.', 'https://x.example/' + id); }",
    ],
    [
      'globalThis.crypto.randomUUID()',
      '() => { let id; id = globalThis.crypto.randomUUID(); return confirm(`Pay ${id}?`); }',
    ],
    ['DateTime.now()', '() => confirm(`Pay at ${DateTime.now().toISO()}?`)'],
    ['Temporal.Now.instant()', '() => confirm(`Pay at ${Temporal.Now.instant()}?`)'],
    ['Date.now()', "() => elicit('When?', Day, { initial: { day: Date.now() } })"],
    [
      'Date.now()',
      "() => sample({ messages: [{ role: 'user', content: text(Date.now()) }], maxTokens: 9 })",
    ],
  ].map(([code, fn]) => ({
    code: `${IMPORTS} const f = ${fn!};`,
    errors: [{ messageId: 'changing', data: { code: code! } }],
  })),
});

it('the recommended configuration reports a real mistake of each rule', () => {
  const program = `${IMPORTS}
    export const pay = () => { if (confirm('Pay?')) confirm('Again?'); return confirm(Date()); };`;
  const found = new Linter().verify(program, [recommended]);
  expect(found.map(({ ruleId }) => ruleId)).toEqual([
    'mcp-resolve/no-question-condition',
    'mcp-resolve/return-question',
    'mcp-resolve/stable-question',
  ]);
});
