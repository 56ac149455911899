/** Sampling: a request to the client's model. The protocol has no way to decline. */
import { specTypeSchemas } from '@modelcontextprotocol/server';
import type { SampleData } from '../author/question.js';
import { asciiJson } from '../platform.js';
import { CAPABILITIES } from './capability.js';
import type { QuestionKind } from './kind.js';
import { receiveResult, outcomeOfResult } from './result.js';

/** The kind of question that `sample` creates. */
export const sampleKind: QuestionKind<SampleData> = {
  render: ({ params }) => ({
    method: 'sampling/createMessage',
    params,
    text: asciiJson(params),
  }),

  capability: (question) =>
    usesTools(question) ? CAPABILITIES.sampleWithTools : CAPABILITIES.sample,

  receive: (_question, response) => receiveResult(response),

  outcomeFor: (question, answer) =>
    outcomeOfResult(
      usesTools(question)
        ? specTypeSchemas.CreateMessageResultWithTools
        : specTypeSchemas.CreateMessageResult,
      answer,
    ),
};

/** Returns true if the request uses tools. It decides the capability and the result schema. */
function usesTools({ params }: SampleData): boolean {
  return params.tools !== undefined || params.toolChoice !== undefined;
}
