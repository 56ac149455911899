/**
 * The database of the store: a Redis, or a Postgres with or without PgBouncer, that can crash and
 * freeze.
 */
import { randomUUID } from 'node:crypto';
import { chmod, mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { postgresTableSql } from 'mcp-resolve/store';
import pg from 'pg';

import { startPooler } from '../../../test/support/pgbouncer.js';
import { connectionTo, startPostgres } from '../../../test/support/postgres.js';
import { signalAll } from '../../../test/support/processTree.js';
import { freePort, startRedis } from '../../../test/support/redis.js';

/** The kinds of stores. */
export type StoreKind = 'redis' | 'postgres' | 'pgbouncer';

interface Server {
  readonly pid: number;
  readonly stop: () => Promise<void>;
  readonly kill: () => Promise<void>;
}

/** A database that keeps what it has confirmed, also if it is killed. */
export class StoreServer {
  kills = 0;
  freezes = 0;

  private constructor(
    /** The environment with which a process of the service finds it. */
    readonly env: Readonly<Record<string, string>>,
    private readonly folder: string,
    private readonly startAgain: () => Promise<Server>,
    private server: Server,
    private readonly pooler?: Pick<Server, 'stop'>,
  ) {}

  static async start(kind: StoreKind): Promise<StoreServer> {
    const folder = await mkdtemp(join(tmpdir(), `mcp-resolve-soak-${randomUUID().slice(0, 8)}-`));
    await chmod(folder, 0o755);
    return kind === 'redis' ? StoreServer.redis(folder) : StoreServer.postgres(folder, kind);
  }

  private static async redis(folder: string): Promise<StoreServer> {
    const port = await freePort();
    const settings = { appendonly: 'yes', appendfsync: 'always' };
    const start = () => startRedis({ port, folder, settings });
    const server = await start();
    return new StoreServer({ STORE: 'redis', STORE_URL: server.url }, folder, start, server);
  }

  private static async postgres(folder: string, kind: StoreKind): Promise<StoreServer> {
    const start = () => startPostgres({ folder });
    const server = await start();
    const client = new pg.Client(connectionTo(server.env));
    await client.connect();
    await client.query(postgresTableSql());
    await client.end();
    // The socket of a restarted server is in the same folder, so the pooler finds it.
    const pooler = kind === 'pgbouncer' ? await startPooler(server) : undefined;
    const env = { STORE: 'postgres', ...(pooler ?? server).env };
    return new StoreServer(env, folder, start, server, pooler);
  }

  /** Kills it, and starts it again with the records that it has confirmed. */
  async crash(): Promise<void> {
    this.kills += 1;
    await this.server.kill();
    this.server = await this.startAgain();
  }

  /** Stops its processes for a while, as a host that is out of CPU time would. */
  async freeze(ms: number): Promise<void> {
    this.freezes += 1;
    const { pid } = this.server;
    signalAll(pid, 'SIGSTOP');
    await delay(ms);
    signalAll(pid, 'SIGCONT');
  }

  async stop(): Promise<void> {
    await this.pooler?.stop();
    await this.server.stop();
    await rm(this.folder, { recursive: true, force: true });
  }
}
