/**
 * The entry `mcp-resolve/client`: multi-round calls by hand, round by round, in a form that can be
 * stored and finished elsewhere. A line here is a promise.
 *
 * @module mcp-resolve/client
 */
export { resumeCall, startCall } from './client/startCall.js';
export type { Call, FinishedCall, OpenCall } from './client/startCall.js';
export type { CallOptions } from './client/sendRound.js';

// Targets.
export type {
  CallMethod,
  CallParams,
  CallResults,
  CallTarget,
  PromptTarget,
  ResourceTarget,
  ToolTarget,
} from './client/target.js';

// Questions and answers.
export { accept, cancel, decline } from './client/answers.js';
export type { Answer, Answers } from './client/answers.js';
export type {
  ElicitationQuestion,
  OpenQuestion,
  OpenQuestions,
  RootsQuestion,
  SamplingQuestion,
  UrlElicitationParams,
} from './client/openQuestions.js';

// Stored calls.
export type { SavedCall } from './client/savedCall.js';
