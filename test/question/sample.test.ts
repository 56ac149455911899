/** Samples keep the contract of a question, with tools and without. */
import { expect, test } from 'vitest';

import { type SampleData, sample as question } from '../../src/define/question.js';
import { sample } from '../../src/question/sample.js';
import { kindContract } from './kind.case.js';

const text = (words: string) => ({ type: 'text' as const, text: words });
const params = {
  messages: [{ role: 'user' as const, content: text('Capital of France?') }],
  maxTokens: 20,
};
const reply = { role: 'assistant', content: text('Paris'), model: 'test-model' };
const meansNothing = (): undefined => undefined;
const data = (made: object): SampleData => made as SampleData;

kindContract<SampleData>('sample', {
  kind: sample,
  method: 'sampling/createMessage',
  question: () => data(question(structuredClone(params))),
  others: [
    data(question({ ...params, maxTokens: 21 })),
    data(question({ ...params, systemPrompt: '\u00e9\u{1f600}\ud800' })),
    data(question({ ...params, toolChoice: { mode: 'auto' } })),
  ],
  response: reply,
  value: reply,
  misfits: [
    {},
    { action: 'accept', content: text('Paris') },
    { ...reply, role: 'system' },
    { ...reply, content: [text('Paris')] },
    { ...reply, model: undefined },
  ],
  refusal: meansNothing,
});

kindContract<SampleData>('sample with tools', {
  kind: sample,
  method: 'sampling/createMessage',
  question: () => data(question({ ...params, toolChoice: { mode: 'auto' } })),
  others: [
    data(question({ ...params, toolChoice: { mode: 'none' } })),
    data(question({ ...params, tools: [] })),
  ],
  response: { ...reply, content: [text('Paris')] },
  value: { ...reply, content: [text('Paris')] },
  misfits: [{}, { action: 'decline' }, { ...reply, content: [{ type: 'banana' }] }],
  refusal: meansNothing,
});

test('only tools and toolChoice ask for more than sampling', () => {
  const needs = (extra: object) => sample.capability(data(question({ ...params, ...extra }))).name;

  expect(needs({})).toBe('sampling');
  expect(needs({ tools: undefined, toolChoice: undefined })).toBe('sampling');
  expect(needs({ tools: [] })).toBe('sampling.tools');
  expect(needs({ toolChoice: { mode: 'none' } })).toBe('sampling.tools');
});

test('parameters that are undefined are not part of the question', () => {
  const bare = data(question(params));
  const spelledOut = data(question({ ...params, temperature: undefined }));

  expect(sample.render(spelledOut).text).toBe(sample.render(bare).text);
});
