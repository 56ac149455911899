/** `dispose: 'auto'`: the value's own way, `Symbol.asyncDispose` before `Symbol.dispose`. */
import { confirm, defineTool, InvalidGraphError, resolver, ToolError } from 'mcp-resolve';
import { accept } from 'mcp-resolve/testing';
import { describe, expect, test } from 'vitest';

import { eventually } from '../serve/eventually.js';
import { deferred } from '../support/deferred.js';
import { eras } from '../support/eras.js';
import { connectClient } from '../support/plainClient.js';
import { serving } from '../support/servers.js';
import { type Log, opening, reporting } from './desk.js';

const tick = accept({ confirm: true });

/** Something that can be disposed of at once. */
const sync = (log: Log, name: string) => ({
  name,
  [Symbol.dispose]() {
    log.push(`dispose ${this.name}`);
  },
});

/** Something that takes its time to be disposed of. */
const async_ = (log: Log, name: string) => ({
  name,
  async [Symbol.asyncDispose]() {
    await Promise.resolve();
    log.push(`asyncDispose ${this.name}`);
  },
});

const auto = <T>(value: T, name = 'it') => resolver({}, () => value, { name, dispose: 'auto' });

describe.each(eras)('%s', (era) => {
  const use = async (
    resolve: Record<string, ReturnType<typeof auto>>,
    body: () => string = () => 'done',
  ) => {
    const reported: string[] = [];
    const tool = defineTool('use', { resolve }, body);
    const chat = await connectClient(era, reporting([tool], reported), { elicit: [tick] });
    const { content } = await chat.call('use');
    return { text: (content[0] as { text: string }).text, reported };
  };

  test('uses Symbol.dispose, on the value itself', async () => {
    const log: Log = [];
    expect((await use({ it: auto(sync(log, 'file')) })).text).toBe('done');
    expect(log).toEqual(['dispose file']);
  });

  test('uses Symbol.asyncDispose, and waits for it', async () => {
    const log: Log = [];
    expect((await use({ it: auto(async_(log, 'file')) })).text).toBe('done');
    expect(log).toEqual(['asyncDispose file']);
  });

  test('uses Symbol.asyncDispose where there are both', async () => {
    const log: Log = [];
    const both = { ...sync(log, 'file'), ...async_(log, 'file') };
    expect((await use({ it: auto(both) })).text).toBe('done');
    expect(log).toEqual(['asyncDispose file']);
  });

  test('uses what a class inherits, and what a function has', async () => {
    const log: Log = [];
    class Handle {
      constructor(readonly name: string) {}
      [Symbol.dispose](): void {
        log.push(`dispose ${this.name}`);
      }
    }
    class File extends Handle {}
    const fn = Object.assign(() => 1, {
      [Symbol.dispose]() {
        log.push('dispose a function');
      },
    });
    await use({ file: auto(new File('file')), fn: auto(fn) });
    expect(log).toEqual(['dispose a function', 'dispose file']);
  });

  test('uses what the value has when it is computed', async () => {
    const log: Log = [];
    const file: Record<symbol, unknown> = sync(log, 'file');
    await use({ it: auto(file) }, () => {
      file[Symbol.dispose] = () => log.push('something else');
      return 'done';
    });
    expect(log).toEqual(['dispose file']);
  });

  test('goes in reverse order with all the others', async () => {
    const log: Log = [];
    await use({
      a: auto(sync(log, 'a'), 'a'),
      b: opening(log, 'b'),
      c: auto(async_(log, 'c'), 'c'),
    });
    expect(log).toEqual(['open b', 'asyncDispose c', 'close b: completed', 'dispose a']);
  });

  test.each([null, undefined])('has nothing to do for %s', async (value) => {
    expect(await use({ it: auto(value) })).toEqual({ text: 'done', reported: [] });
  });

  const without: [string, unknown][] = [
    ['an object', { close: () => undefined }],
    ['a text', 'file'],
    ['a number', 0],
    ['false', false],
    ['a function', () => 1],
    ['an object whose Symbol.dispose is no function', { [Symbol.dispose]: true }],
  ];

  test.each(without)('is a clear tool error for %s, which has neither', async (_, value) => {
    let ran = false;
    const { text } = await use({ it: auto(value) }, () => {
      ran = true;
      return 'done';
    });
    expect(text).toBe(
      "Error executing tool use: Resolver 'it' has dispose: 'auto', but its value has neither Symbol.asyncDispose nor Symbol.dispose",
    );
    expect(ran).toBe(false);
  });

  test('such an error lets everything else be closed', async () => {
    const log: Log = [];
    await use({ db: opening(log, 'db'), it: auto({}) });
    expect(log).toEqual(['open db', 'close db: failed']);
  });

  test('what it throws under completed fails the call', async () => {
    const broken = {
      [Symbol.dispose]() {
        throw new Error('the file would not close');
      },
    };
    expect((await use({ it: auto(broken) })).text).toBe(
      'Error executing tool use: the file would not close',
    );
  });

  test('is not used for the answer to a question', async () => {
    const it = resolver({}, () => confirm('Go ahead?'), { dispose: 'auto' });
    const chat = await connectClient(
      era,
      serving([defineTool('use', { resolve: { it } }, () => 'done')]),
      {
        elicit: [tick],
      },
    );

    expect(await chat.text('use')).toBe('done');
  });

  test('closes a late value', async () => {
    const log: Log = [];
    const { tool, release } = failingBefore(sync(log, 'file'));
    const chat = await connectClient(era, serving([tool]));

    await chat.errorText('use');
    expect(log).toEqual([]);
    release();
    await eventually(() => {
      expect(log).toEqual(['dispose file']);
    });
  });
});

/** A tool that fails before one of its values is there. */
function failingBefore(value: unknown) {
  const [started, late] = [deferred(), deferred()];
  const slow = resolver(
    {},
    async () => {
      started.resolve();
      await late.promise;
      return value;
    },
    { name: 'late', dispose: 'auto' },
  );
  const broken = resolver({}, async () => {
    await started.promise;
    throw new ToolError('no such order');
  });
  const tool = defineTool('use', { resolve: { broken, slow } }, () => 'done');
  return { tool, release: () => late.resolve() };
}

test.each(eras)('a late value that cannot be closed is reported (%s)', async (era) => {
  const reported: string[] = [];
  const { tool, release } = failingBefore('text');
  const chat = await connectClient(era, reporting([tool], reported));

  expect(await chat.errorText('use')).toBe('Error executing tool use: no such order');
  release();
  await eventually(() => {
    expect(reported).toEqual([
      "Resolver 'late' has dispose: 'auto', but its value has neither Symbol.asyncDispose nor Symbol.dispose",
    ]);
  });
});

test.each([true, 'always', {}, null])('dispose: %s is refused at once', (dispose) => {
  expect(() => resolver({}, () => 1, { dispose: dispose as never })).toThrow(
    new InvalidGraphError(
      'ERR_DEFINITION',
      "The dispose of a resolver is a function of the value and the end, or 'auto'.",
    ),
  );
});
