/**
 * The public API of `mcp-resolve`, in the order of the data flow. The names and meanings listed
 * here are stable. Anything else can change.
 *
 * @module mcp-resolve
 */

// Definitions.
export { arg, argsOf } from './author/arg.js';
export { resolver } from './author/resolver.js';
export { outcome } from './author/outcome.js';
export { confirm, elicit, elicitUrl, listRoots, sample } from './author/question.js';
export { defineTool } from './definition/defineTool.js';
export { definePrompt } from './definition/definePrompt.js';
export { defineResource } from './definition/defineResource.js';

// Installing into a server, and sealing the state between rounds.
export { install } from './host/install.js';
export { toolHandler } from './host/toolHandler.js';
export { requestStateSeal } from './host/requestStateSeal.js';

// The store of `once` for one process. `mcp-resolve/store` has others.
export { memoryStore } from './store/memoryStore.js';

// Errors.
export { InvalidGraphError, InvalidRequestStateError, ToolError } from './errors.js';

// Types for annotations.
export type { Askable, CallContext } from './author/context.js';
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
} from './author/event.js';
export type {
  AnyResolver,
  Arg,
  End,
  Filler,
  Need,
  Needs,
  Outcome,
  OptionalArg,
  OptionalReq,
  OutcomeOf,
  Req,
  Reqs,
  Resolver,
  ResolverOptions,
} from './author/model.js';
export type {
  AnyQuestion,
  AskOptions,
  AskUserOptions,
  Confirm,
  ConfirmOptions,
  Elicit,
  ElicitOptions,
  ElicitUrl,
  ElicitUrlOptions,
  ListRoots,
  ModelAnswer,
  ModelAnswerWithTools,
  Question,
  Roots,
  Sample,
} from './author/question.js';
export type { Schema } from './author/schema.js';
export type { ArgsOf } from './author/infer.js';
export type {
  AnyDefinition,
  Prompt,
  ReadContext,
  Resource,
  Tool,
} from './definition/definitions.js';
export type { ToolConfig } from './definition/defineTool.js';
export type { PromptConfig } from './definition/definePrompt.js';
export type { ResourceConfig } from './definition/defineResource.js';
export type { InstallOptions } from './host/installOptions.js';
export type { HandlerContext } from './host/handlerContext.js';
export type { ToolHandler, ToolHandlerOptions } from './host/toolHandler.js';
export type { DeclaredClient } from './call/usableCapabilities.js';
export type { OnceReason } from './once/singleUse.js';
export type { OnceOptions } from './once/onceSettings.js';
export type { RecordStore } from './store/recordStore.js';
export type { RequestStateSeal } from './host/requestStateSeal.js';
export type { RequestStateCodec } from './state/codec.js';
export type { RequestStateKey } from './state/keyRing.js';
export type { Rejection, RequestStateSealOptions, SealSettings } from './state/sealOptions.js';
export type { Logger } from './log.js';
export type { InvalidGraphCode, RejectReason } from './errors.js';
