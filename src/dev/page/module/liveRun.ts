/**
 * A call that the page makes, through an SDK client and an SDK server in this process. The user of
 * the page answers the questions. The rounds stay open, so that the page can try to cheat with
 * them.
 */
import type { Client } from '@modelcontextprotocol/client';
import type { AuthInfo, ClientCapabilities } from '@modelcontextprotocol/server';
import type { Answer } from '../../../client/answers.js';
import type { Call, OpenCall } from '../../../client/startCall.js';
import type { CallEvent } from '../../../author/event.js';
import type { AnyDefinition } from '../../../definition/definitions.js';
import { messageOf } from '../../../errors.js';
import { isObject } from '../../../values.js';
import { approvalsOf } from '../../testing/approvers.js';
import { keyOfPushed, questionFrom } from '../../testing/askedQuestion.js';
import type { InputRequest } from '../../testing/askedQuestion.js';
import { connect } from '../../testing/connection.js';
import type { Caller, Connection } from '../../testing/connection.js';
import { startSubject } from '../../testing/run.js';
import { createRun, protocolErrorOf } from '../../testing/runResult.js';
import type { Ending, Run } from '../../testing/runResult.js';
import { subjectOf } from '../../testing/subject.js';
import type { Subject } from '../../testing/subject.js';
import { createTestServers } from '../../testing/testServer.js';
import type { TestServers } from '../../testing/testServer.js';
import type {
  Abilities,
  AuthData,
  PageDecision,
  RunEnding,
  RunNews,
  RunSpec,
  WaitingRequest,
} from '../protocol.js';
import { decideAt, requestsAt } from './runDesk.js';
import { copyJson, printError, printValue } from './printValue.js';
import { watchWire } from './wire.js';

/** A round with questions, and the answers of the user. */
export interface PlayedRound {
  readonly call: OpenCall;
  readonly answers: Record<string, Answer>;
}

/** Users may think for hours, but a timer needs an end. */
export const PATIENCE = { timeout: 24 * 60 * 60 * 1000 };

/** A call that the page makes. */
export class LiveRun {
  readonly rounds: PlayedRound[] = [];
  /** The decisions that counted. */
  readonly decisions: PageDecision[] = [];
  /** The requests for approval. */
  requests: readonly WaitingRequest[] = [];
  readonly subject: Subject;
  readonly servers: TestServers;
  /** The text that the model read at the end. Absent while the call runs. */
  ending: RunEnding | undefined;
  /** Receives what happens. A cheat replaces it, so that the run stays as it was. */
  tell: (news: RunNews) => void;
  private client: Client | undefined;
  private readonly connections: Connection[] = [];
  private settle: ((answers: Record<string, Answer>) => void) | undefined;
  private stopped = false;

  constructor(
    readonly definition: AnyDefinition,
    readonly spec: RunSpec,
    tell: (news: RunNews) => void,
  ) {
    this.tell = tell;
    this.subject = this.prepare(spec.args);
    this.servers = createTestServers(this.subject, {
      // The kit names the caller of a tool with approvals, unless there is a token.
      authInfo: spec.authInfo ?? {},
      install: {
        eventValues: true,
        askTimeoutMs: PATIENCE.timeout,
        onEvent: (event) => this.tell({ type: 'event', event: printed(event) }),
        logger: { warn: (text) => this.tell({ type: 'log', text }) },
      },
    });
  }

  /** Prepares the definition for a call with these arguments. */
  prepare(args: RunSpec['args']): Subject {
    return subjectOf({
      definition: this.definition,
      args: inputOf(this.definition, args),
      overrides: [],
      caller: 'dev',
      onStart: (resolver) => this.tell({ type: 'running', resolver, at: Date.now() }),
    });
  }

  /** Makes the call, and reports its end. */
  async play(): Promise<void> {
    this.tell({ type: 'began', spec: this.spec, at: Date.now() });
    await this.call();
  }

  /** Makes the call. After a decision on its requests, it is made again. */
  private async call(): Promise<void> {
    const ending = await this.converse().catch((error: unknown) => failureOf(error));
    await this.readDesk('result' in ending ? ending.result : undefined);
    if (this.stopped) return;
    this.ending = 'end' in ending ? ending : this.endingOf(ending);
    this.tell({ type: 'ended', ending: this.ending });
  }

  private async readDesk(result?: unknown): Promise<void> {
    const { desk } = this.subject;
    if (desk === undefined) return;
    this.requests = await requestsAt(desk, result, this.requests);
    this.tell({ type: 'requests', requests: this.requests });
  }

  /** Decides on a request. If the decision counts, makes the call again, as a model would. */
  async decide(decision: PageDecision): Promise<void> {
    const request = this.requests.find(({ id }) => id === decision.id);
    const { ending, subject } = this;
    if (ending?.end !== 'waits' || request === undefined || subject.desk === undefined) return;
    this.ending = undefined;
    const decided = await decideAt(subject.desk, request, decision);
    this.tell({ type: 'decided', decision, decided });
    if (decided.counted) this.decisions.push(decision);
    if (decided.counted && decision.verdict !== 'withdraw') {
      this.tell({ type: 'again' });
      return this.call();
    }
    this.ending = ending;
    await this.readDesk();
  }

  /** Passes the user's answers on to the call. */
  answer(answers: Readonly<Record<string, unknown>>): void {
    this.tell({ type: 'answers', answers });
    // The server judges the answers, so they may have any shape.
    this.settle?.(answers as Record<string, Answer>);
    this.settle = undefined;
  }

  /** Ends the call and its connections. */
  async stop(): Promise<void> {
    if (this.ending === undefined && !this.stopped) {
      const text = 'The call was stopped.';
      this.tell({
        type: 'ended',
        ending: { end: 'stopped', text, bodyRuns: this.subject.bodyRuns() },
      });
    }
    this.stopped = true;
    this.tell = () => undefined;
    for (const { close } of this.connections.splice(0).reverse()) await close();
  }

  /** Returns the client of the run. */
  clientOfRun(): Client {
    if (this.client === undefined) throw new Error('The call has not begun.');
    return this.client;
  }

  /** Connects as another caller. */
  async connectAs(caller: Caller): Promise<Client> {
    const connection = await connect({
      era: this.spec.era,
      factory: this.servers.factory,
      caller: { capabilities: capabilitiesOf(this.spec.abilities), ...caller },
      answer: (request) => this.answerPushed(request),
    });
    this.connections.push(connection);
    watchWire(connection.client, (news) => this.tell(news));
    return connection.client;
  }

  private async converse(): Promise<Ending> {
    const { authInfo } = this.spec;
    this.client ??= await this.connectAs(
      authInfo === undefined ? {} : { authInfo: callerOf(authInfo) },
    );
    try {
      let call: Call = await startSubject(this.client, this.subject, PATIENCE);
      while (!call.done) {
        const answers = await this.askUser(call);
        this.rounds.push({ call, answers });
        call = await call.answer(answers);
      }
      return { result: call.result };
    } catch (error) {
      return { error: protocolErrorOf(error) };
    }
  }

  private async askUser({ questions }: OpenCall): Promise<Record<string, Answer>> {
    const round = this.rounds.length + 1;
    const asked = Object.entries(questions).map(([key, question]) =>
      questionFrom(question, { key, round }),
    );
    // A round without questions asks the client to retry later.
    if (asked.length === 0) return waitBriefly();
    return this.ask(asked);
  }

  private async answerPushed(request: InputRequest): Promise<Answer> {
    const key = keyOfPushed(this.servers.events, request);
    const answers = await this.ask([questionFrom(request, { key, round: 1 })]);
    return answers[key] ?? { action: 'cancel' };
  }

  private ask(questions: Extract<RunNews, { type: 'asks' }>['questions']) {
    this.tell({ type: 'asks', questions });
    return new Promise<Record<string, Answer>>((resolve) => (this.settle = resolve));
  }

  private endingOf(ending: Ending): RunEnding {
    const { events, reported } = this.servers;
    const parts = { ending, events, reported, questions: [], overridden: new Set() };
    const rounds = this.rounds.length + 1;
    const run = createRun(this.subject, { ...parts, era: this.spec.era, rounds });
    const others = otherContent(run.result);
    return {
      end: endingOf(run),
      text: run.text,
      ...(run.error !== undefined && { code: run.error.code }),
      ...(others.length > 0 && { others }),
      ...(run.structured !== undefined && { structured: copyJson(run.structured) }),
      ...(run.cause !== undefined && { cause: printError(run.cause) }),
      bodyRuns: this.subject.bodyRuns(),
    };
  }
}

/** Describes the content of a result that is not text. */
function otherContent(result: unknown): string[] {
  const { content, contents, messages } = { ...(result as Record<string, unknown> | undefined) };
  return [content, contents, messages].flat().flatMap((part) => {
    const block: unknown = isObject(part) && isObject(part.content) ? part.content : part;
    if (!isObject(block) || typeof block.text === 'string') return [];
    const { type = 'blob', mimeType, uri } = block;
    return [[type, mimeType, uri].filter((word) => typeof word === 'string').join(' ')];
  });
}

function endingOf({ error, isError, result }: Run): RunEnding['end'] {
  if (error !== undefined) return 'protocolError';
  if (approvalsOf(result)?.state === 'pending') return 'waits';
  return isError ? 'toolError' : 'result';
}

/** Describes an error that is neither a result nor a protocol error, such as a lost connection. */
function failureOf(error: unknown): RunEnding {
  return { end: 'protocolError', text: messageOf(error), bodyRuns: 0 };
}

/** Returns the arguments of a tool or a prompt, or the uri of a resource. */
function inputOf(definition: AnyDefinition, args: RunSpec['args']): unknown {
  const read = definition['~definition'];
  if (read.kind !== 'resource') return args;
  const { location } = read;
  if (typeof location === 'string') return location;
  const texts = Object.entries(args).map(([name, value]) => [name, String(value)]);
  return location.uriTemplate.expand(Object.fromEntries(texts) as Record<string, string>);
}

function capabilitiesOf({ form, url, sampling, roots }: Abilities): ClientCapabilities {
  return {
    ...((form || url) && { elicitation: { ...(form && { form: {} }), ...(url && { url: {} }) } }),
    ...(sampling && { sampling: { tools: {} } }),
    ...(roots && { roots: {} }),
  };
}

/** Returns a caller's token. The user of the page can type any, and the server must cope. */
export function callerOf(authInfo: AuthData): Partial<AuthInfo> {
  return authInfo;
}

function printed(event: CallEvent): CallEvent {
  return {
    ...event,
    ...('value' in event && { value: printValue(event.value) }),
    ...('question' in event && { question: copyJson(event.question) }),
  };
}

/** Waits as long as the SDK's client does before it retries. */
async function waitBriefly(): Promise<Record<string, Answer>> {
  await new Promise((resolve) => setTimeout(resolve, 250));
  return {};
}
