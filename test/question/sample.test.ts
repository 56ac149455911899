/** Samples: the contract of a question, with and without tools, and the capability they need. */
import { expect, test } from 'vitest';

import { type SampleData, sample as question } from '../../src/author/question.js';
import { sampleKind } from '../../src/question/sample.js';
import { kindContract } from './kind.case.js';

const text = (words: string) => ({ type: 'text' as const, text: words });
const params = {
  messages: [{ role: 'user' as const, content: text('Capital of France?') }],
  maxTokens: 20,
};
const reply = { role: 'assistant', content: text('Paris'), model: 'test-model' };
const wrongKind = () => ({ problem: 'received a response of the wrong kind' });
const data = (made: object): SampleData => made as SampleData;

kindContract<SampleData>('sample', {
  kind: sampleKind,
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
  refusal: wrongKind,
});

kindContract<SampleData>('sample with tools', {
  kind: sampleKind,
  method: 'sampling/createMessage',
  question: () => data(question({ ...params, toolChoice: { mode: 'auto' } })),
  others: [
    data(question({ ...params, toolChoice: { mode: 'none' } })),
    data(question({ ...params, tools: [] })),
  ],
  response: { ...reply, content: [text('Paris')] },
  value: { ...reply, content: [text('Paris')] },
  misfits: [{}, { action: 'decline' }, { ...reply, content: [{ type: 'banana' }] }],
  refusal: wrongKind,
});

test.each([
  [{}, 'sampling'],
  [{ tools: undefined, toolChoice: undefined }, 'sampling'],
  [{ tools: [] }, 'sampling.tools'],
  [{ toolChoice: { mode: 'none' as const } }, 'sampling.tools'],
])('a sample with %j needs the capability %s', (extra, capability) => {
  expect(sampleKind.capability(data(question({ ...params, ...extra }))).name).toBe(capability);
});

test('a sample leaves undefined parameters out of its JSON', () => {
  const bare = data(question(params));
  const spelledOut = data(question({ ...params, temperature: undefined }));

  expect(sampleKind.render(spelledOut).text).toBe(sampleKind.render(bare).text);
});
