/**
 * A user with a 2026-07-28 client, who calls the tools one after the other and answers their
 * questions. Before each answer, `between` can misuse the state or wait for a restart.
 */
import {
  type CallToolResult,
  Client,
  StreamableHTTPClientTransport,
} from '@modelcontextprotocol/client';
import { accept, type Answers, type Call, type OpenCall, startCall } from 'mcp-resolve/client';

import type { Counts, Turns } from './counts.js';
import type { Owned, User } from './probes.js';
import type { Reach } from './reach.js';

/** The user, both services and the counts. */
export interface PersonOptions {
  readonly user: User;
  readonly home: Reach;
  readonly nextDoor: Reach;
  readonly counts: Counts;
  readonly turns: Turns;
  /** Runs before each answer. Returns true if a process was restarted. */
  readonly between: (owned: Owned) => Promise<boolean>;
}

const ANSWERS: Answers = {
  city: accept({ city: 'Rome' }),
  nights: accept({ nights: 3 }),
  approval: accept({ confirm: true }),
  signature: accept({ signature: 'Ada' }),
};

const TOOLS: Readonly<Record<string, (user: User, trip: string) => string>> = {
  plan_trip: (user, trip) => `${user} booked ${trip}: 3 nights in Rome`,
  sign_off: (user, trip) => `${user} had ${trip} signed by Ada and Ada`,
};

/** The names of the tools. */
export const TOOL_NAMES = Object.keys(TOOLS);

/** A user with a connected client. */
export class Person {
  private servedBy: string | null = null;

  private constructor(
    private readonly client: Client,
    private readonly options: PersonOptions,
  ) {}

  static async connect(options: PersonOptions): Promise<Person> {
    const client = new Client(
      { name: 'soak', version: '1.0.0' },
      { capabilities: { elicitation: {} }, versionNegotiation: { mode: 'auto' } },
    );
    const person = new Person(client, options);
    await client.connect(person.transport());
    return person;
  }

  /** Makes a call and counts its outcome. */
  async makeCall(tool: string, trip: string): Promise<void> {
    const { counts, user } = this.options;
    counts.started += 1;
    try {
      const text = await this.finish(await this.start(tool, trip));
      if (text === TOOLS[tool]?.(user, trip)) counts.completed += 1;
      else counts.lost.push(`${tool} ${trip}: ${text}`);
    } catch (error) {
      counts.lost.push(`${tool} ${trip}: ${String(error)}`);
    }
  }

  async close(): Promise<void> {
    await this.client.close();
  }

  private async start(tool: string, trip: string): Promise<Call<'tools/call'>> {
    this.options.counts.rounds += 1;
    return startCall(this.client, { name: tool, arguments: { trip } });
  }

  private async finish(started: Call<'tools/call'>): Promise<string> {
    let call = started;
    while (!call.done) call = await this.nextRound(call);
    return textOf(call.result);
  }

  private async nextRound(call: OpenCall<'tools/call'>): Promise<Call<'tools/call'>> {
    const { counts, turns, between } = this.options;
    const answers = answersTo(call);
    const before = this.servedBy;
    if (await between({ ...this.options, call, answers })) counts.acrossRestart += 1;
    const next = await call.answer(answers);
    counts.rounds += 1;
    turns.again += 1;
    if (this.servedBy !== before) turns.elsewhere += 1;
    return next;
  }

  /** A person makes one request at a time, so the last response is that of the last round. */
  private transport(): StreamableHTTPClientTransport {
    const { home, user } = this.options;
    return new StreamableHTTPClientTransport(new URL('http://localhost/mcp'), {
      requestInit: { headers: { authorization: `Bearer ${user}` } },
      fetch: async (_, init) => {
        const response = await home(init ?? {});
        this.servedBy = response.headers.get('x-served-by');
        return response;
      },
    });
  }
}

function answersTo({ questions }: OpenCall): Answers {
  return Object.fromEntries(Object.keys(questions).map((key) => [key, ANSWERS[key]]));
}

function textOf({ content: [block] }: CallToolResult): string {
  return block?.type === 'text' ? block.text : 'no text';
}
