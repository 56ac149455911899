/**
 * The entry `mcp-resolve/client`. It runs a multi-round call one round at a time, in a form that
 * you can store and finish elsewhere. Every export listed here is public API.
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
