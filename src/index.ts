/**
 * The public API of `mcp-resolve`, in the order of the data flow. The names and meanings listed
 * here are stable. Anything else can change.
 *
 * @module mcp-resolve
 */

// Definitions.
export { arg, argsOf } from './define/arg.js';
export { resolver } from './define/resolver.js';
export { outcome } from './define/outcome.js';
export { confirm, elicit, elicitUrl, listRoots, sample } from './define/question.js';
export { defineTool } from './definition/defineTool.js';
export { definePrompt } from './definition/definePrompt.js';
export { defineResource } from './definition/defineResource.js';

// Installing into a server, and sealing the state between rounds.
export { install } from './server/install.js';
export { toolHandler } from './server/toolHandler.js';
export { requestStateSeal } from './server/requestStateSeal.js';

// Errors.
export { InvalidGraphError, InvalidRequestStateError, ToolError } from './errors.js';

// Types for annotations.
export type { Askable, CallContext } from './define/context.js';
export type {
  AnsweredEvent,
  AskedEvent,
  CallEvent,
  CompletedEvent,
  DeclinedEvent,
  FellBackEvent,
  RanEvent,
  RejectedEvent,
  RestoredEvent,
  StartedEvent,
} from './define/event.js';
export type {
  AnyResolver,
  Arg,
  Dispose,
  End,
  Filler,
  Need,
  Needs,
  Outcome,
  OutcomeOf,
  Req,
  Reqs,
  Resolver,
  ResolverOptions,
} from './define/model.js';
export type {
  AnyQuestion,
  AskOptions,
  AskUserOptions,
  Confirm,
  Elicit,
  ElicitOptions,
  ElicitUrl,
  ListRoots,
  ModelAnswer,
  ModelAnswerWithTools,
  Question,
  Roots,
  Sample,
} from './define/question.js';
export type { Schema } from './define/schema.js';
export type { ArgsOf } from './define/infer.js';
export type {
  AnyDefinition,
  Prompt,
  ReadContext,
  Resource,
  ResourceMetadata,
  Tool,
  ToolMetadata,
} from './server/definitions.js';
export type { ToolConfig } from './definition/defineTool.js';
export type { PromptConfig } from './definition/definePrompt.js';
export type { ResourceConfig } from './definition/defineResource.js';
export type { InstallOptions } from './server/installOptions.js';
export type { HandlerContext, ToolHandler, ToolHandlerOptions } from './server/toolHandler.js';
export type { ErrorPolicy } from './server/call.js';
export type { OnceReason } from './once/onceError.js';
export type { OnceOptions } from './once/onceSettings.js';
export type { RequestStateSeal } from './server/requestStateSeal.js';
export type { RequestStateCodec } from './state/codec.js';
export type { RequestStateKey } from './state/keyRing.js';
export type { Rejection, RequestStateSealOptions, SealSettings } from './state/sealOptions.js';
export type { Logger } from './state/warnings.js';
export type { InvalidGraphCode, RejectReason } from './errors.js';
