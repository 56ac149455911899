/** Roots: the root directories of the client. The protocol has no way to decline. */
import { specTypeSchemas } from '@modelcontextprotocol/server';
import type { RootsData } from '../author/question.js';
import { CAPABILITIES } from './capability.js';
import type { QuestionKind } from './kind.js';
import { receiveResult, outcomeOfResult } from './result.js';

/** The kind of question that `listRoots` creates. */
export const rootsKind: QuestionKind<RootsData> = {
  render: () => ({ method: 'roots/list', text: 'null' }),

  capability: () => CAPABILITIES.roots,
  receive: (_question, response) => receiveResult(response),
  outcomeFor: (_question, answer) => outcomeOfResult(specTypeSchemas.ListRootsResult, answer),
};
