/** Tests the wire transfer with Redis: over both transports, on both eras, and after crashes. */
import { afterAll, beforeAll, describe, it } from 'vitest';

import { type RedisServer, startRedis } from '../support/redis.js';
import { runProgram } from './program.js';

const TIMEOUT = 240_000;

let redis: RedisServer;

beforeAll(async () => {
  redis = await startRedis();
  // The programs inherit the environment of this process.
  process.env.REDIS_URL = redis.url;
});

afterAll(async () => {
  delete process.env.REDIS_URL;
  await redis.stop();
});

const matrix = [
  { transport: 'stdio', era: 'modern', facts: 20 },
  { transport: 'http', era: 'modern', facts: 20 },
  { transport: 'stdio', era: 'legacy', facts: 6 },
  { transport: 'http', era: 'legacy', facts: 6 },
];

const SHARED = [
  'ok  after a restart, a finished transfer returns its receipt',
  'ok  an interrupted transfer is in progress until its lease expires',
  'ok  after that its outcome is unknown',
  'ok  the bank has one order for each transfer',
];

describe.concurrent('the facts of the wire transfer hold with Redis', { timeout: TIMEOUT }, () => {
  it.for(matrix)(
    'over $transport on the $era era',
    async ({ transport, era, facts }, { expect }) => {
      const { code, stdout, stderr } = await runProgram(
        'examples/wire-transfer/client.ts',
        ...(transport === 'http' ? ['--http'] : []),
        ...(era === 'legacy' ? ['--legacy'] : []),
      );
      const lines = stdout.trimEnd().split('\n');

      expect(code, stderr).toBe(0);
      expect(lines.at(-1)).toBe(`${facts} facts hold`);
      expect(lines).toEqual(expect.arrayContaining(era === 'modern' ? SHARED : []));
    },
  );
});
