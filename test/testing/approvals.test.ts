/** `run` with tools that somebody else approves. */
import { approval, approvalDesk } from 'mcp-resolve/approvals';
import { argsOf, defineTool, outcome, resolver } from 'mcp-resolve';
import { memoryStore } from 'mcp-resolve/store';
import {
  accept,
  approvedBy,
  bothEras,
  deniedBy,
  type Era,
  run,
  undecided,
} from 'mcp-resolve/testing';
import { expect, test } from 'vitest';
import * as z from 'zod';

const Input = z.object({ cents: z.number() });
const args = argsOf(Input);
const notified: string[] = [];
const desk = approvalDesk({ store: memoryStore(), notify: ({ id }) => void notified.push(id) });

const secondPair = resolver(
  { cents: args.cents },
  ({ cents }) =>
    approval('Pay', {
      facts: { cents: `${cents}` },
      by: 'acme/treasury',
      requester: 'ann',
      quorum: 2,
    }),
  { asks: 'approval' },
);

const pay = defineTool(
  'pay',
  { inputSchema: Input, resolve: { secondPair }, approvals: desk },
  ({ secondPair: { approvedBy: persons } }) =>
    `Paid, approved by ${persons.map(({ who }) => who).join(' and ')}.`,
);

const paying = (answers: object, more: object = {}) =>
  run(pay, { cents: 4900 }, { answers: answers as never, ...more });

test('approvedBy() approves on both eras, and notifies nobody', async () => {
  const answers = { secondPair: approvedBy('bob', 'carol') };
  const { text, ran } = await bothEras((era: Era) => paying(answers, { era }));
  expect(text).toBe('Paid, approved by bob and carol.');
  expect(ran).toEqual({ secondPair: 2 });
  expect(notified).toEqual([]);
});

test('deniedBy() denies with a reason, which reaches an outcome as a decline', async () => {
  const { text, isError } = await paying({ secondPair: deniedBy('bob', 'Too much.') });
  expect(isError).toBe(true);
  expect(text).toContain('The approver wrote: "Too much."');
  const kept = defineTool(
    'keep',
    { inputSchema: Input, resolve: { pair: outcome(secondPair) }, approvals: desk },
    ({ pair }) => pair.action,
  );
  const denied = { pair: deniedBy('bob') };
  expect((await run(kept, { cents: 1 }, { answers: denied })).text).toBe('decline');
});

test('undecided() ends the call while it waits, and so does a quorum that is not reached', async () => {
  const waits = 'this call waits for approval';
  expect((await paying({ secondPair: undecided() })).text).toContain(waits);
  expect((await paying({ secondPair: approvedBy('bob') })).text).toContain('(1 of 2 given)');
});

test('an approval without a scripted decision fails the test', async () => {
  const sentence =
    "'pay' waits for the approval 'secondPair', which has no scripted decision. Add { answers: { secondPair: approvedBy('bob') } }, deniedBy('bob') or undecided().";
  await expect(paying({})).rejects.toThrow(sentence);
  await expect(paying({ secondPair: accept({ confirm: true }) })).rejects.toThrow(sentence);
});

test('a decision that does not count fails the test', async () => {
  await expect(paying({ secondPair: approvedBy('bob', 'Ann') })).rejects.toThrow(
    "The scripted decision of 'Ann' on the approval 'secondPair' does not count: own request.",
  );
});

test('a decision that nobody asked for fails the test', async () => {
  const answers = { secondPair: approvedBy('bob', 'carol'), other: approvedBy('bob') };
  await expect(paying(answers)).rejects.toThrow('unused    other');
});

test('a request that changes with every call fails the test', async () => {
  const moving = resolver(
    {},
    () => approval(`Pay at ${Math.random()}`, { by: 'acme/treasury', requester: 'ann' }),
    { asks: 'approval' },
  );
  const tool = defineTool('move', { resolve: { moving }, approvals: desk }, () => 'Paid.');
  await expect(run(tool, undefined, { answers: { moving: approvedBy('bob') } })).rejects.toThrow(
    "'move' made a new request for approval in each of",
  );
});

test('runs share a desk that the test passes, and the test decides there', async () => {
  const own = approvalDesk({ store: memoryStore() });
  const first = await paying({}, { approvals: own });
  expect(first.isError).toBe(true);
  const [request] = await own.pending({ by: 'acme/treasury' });
  const groups = ['acme/treasury'];
  for (const who of ['bob', 'carol'])
    await own.decide(request!.id, { who, groups, verdict: 'approve' });
  expect((await paying({}, { approvals: own })).text).toBe('Paid, approved by bob and carol.');
});
