/**
 * The entry `mcp-resolve/testing`: calls definitions through the real SDK, in process, with a
 * scripted person behind the client. Needs the package `@modelcontextprotocol/client`. A line here
 * is a promise.
 *
 * @module mcp-resolve/testing
 */
export { run } from './workbench/testing/run.js';
export { bothEras } from './workbench/testing/bothEras.js';
export { override } from './workbench/testing/override.js';
export { probe } from './workbench/testing/probe.js';
export { timeline } from './workbench/trace/timeline.js';

// What people, models and clients answer.
export { accept, cancel, decline } from './wire/client/answers.js';
export { roots, says } from './workbench/testing/answers.js';
export type { Answer } from './wire/client/answers.js';
export type { Answers, ScriptedAnswer } from './workbench/testing/answers.js';

// How a call is made, and how it went.
export type { CallerOptions, Era, RunOptions } from './workbench/testing/options.js';
export type { Run, RunError } from './workbench/testing/result.js';
export type { AskedQuestion } from './workbench/testing/question.js';
export type { Override, Replacement } from './workbench/testing/override.js';
export type { Recorded, TimelineOptions } from './workbench/trace/timeline.js';

// What a dishonest client may try.
export type { Misuse } from './workbench/testing/misuse.js';
export type {
  OtherUserOptions,
  Probe,
  ProbeOptions,
  SwappedOptions,
  WrongShapeOptions,
} from './workbench/testing/probe.js';
