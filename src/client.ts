/**
 * The entry `mcp-resolve/client`: multi-round calls by hand, round by round, in a form that can be
 * stored and finished elsewhere. A line here is a promise.
 *
 * @module mcp-resolve/client
 */
export { resumeCall, startCall } from './wire/client/startCall.js';
export type { CallOptions } from './wire/client/leg.js';
export type { Call, FinishedCall, OpenCall } from './wire/client/call.js';

// What is called.
export type {
  CallMethod,
  CallParams,
  CallResults,
  CallTarget,
  PromptTarget,
  ResourceTarget,
  ToolTarget,
} from './wire/client/target.js';

// Questions and answers.
export { accept, cancel, decline } from './wire/client/answers.js';
export type { Answer, Answers } from './wire/client/answers.js';
export type {
  ElicitationQuestion,
  OpenQuestion,
  OpenQuestions,
  RootsQuestion,
  SamplingQuestion,
  UrlElicitationParams,
} from './wire/client/questions.js';

// What is stored.
export type { SavedCall } from './wire/client/saved.js';
