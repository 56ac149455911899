/**
 * The entry `mcp-resolve/testing`. It calls definitions through the real SDK, in process, with
 * scripted answers. It needs the package `@modelcontextprotocol/client`. Every export listed here
 * is public API.
 *
 * @module mcp-resolve/testing
 */
export { run } from './dev/testing/run.js';
export { bothEras } from './dev/testing/bothEras.js';
export { override } from './dev/testing/override.js';
export { probe } from './dev/testing/probe.js';
export { timeline } from './dev/trace/timeline.js';

// Scripted answers.
export { accept, cancel, decline } from './client/answers.js';
export { roots, says } from './dev/testing/answerScript.js';
export { approvedBy, deniedBy, undecided } from './dev/testing/scriptedDecision.js';
export type { ScriptedDecision } from './dev/testing/scriptedDecision.js';
export type { Answer } from './client/answers.js';
export type { ScriptedAnswers } from './dev/testing/answerScript.js';

// The contract of stores.
export { storeContract } from './dev/testing/storeContract.js';
export type { StoreCheck } from './dev/testing/storeContract.js';

// Options and results.
export type { CallerOptions, Era, RunOptions } from './dev/testing/runOptions.js';
export type { Run, RunError } from './dev/testing/runResult.js';
export type { AskedQuestion } from './dev/testing/askedQuestion.js';
export type { Override } from './dev/testing/override.js';
export type { TimelineOptions } from './dev/trace/timeline.js';

// Attacks by a dishonest client.
export type { Misuse } from './dev/testing/misuse.js';
export type {
  OtherUserOptions,
  Probe,
  ProbeOptions,
  SwappedOptions,
  WrongShapeOptions,
} from './dev/testing/probe.js';
