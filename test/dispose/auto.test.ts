/** Tests `dispose: 'auto'`, which calls `Symbol.asyncDispose` or else `Symbol.dispose`. */
import { confirm, defineTool, resolver } from 'mcp-resolve';
import type { Resolver } from 'mcp-resolve';
import { accept, run } from 'mcp-resolve/testing';
import { describe, expect, test } from 'vitest';

import { eventually } from '../serve/eventually.js';
import { eras } from '../support/eras.js';
import { connectClient } from '../support/plainClient.js';
import { delayed, failsAfter, type Log, opening, reporting } from './desk.js';

/** Creates a value that is disposed of synchronously. */
const syncDisposable = (log: Log, name: string) => ({
  name,
  [Symbol.dispose]() {
    log.push(`dispose ${this.name}`);
  },
});

/** Creates a value that is disposed of asynchronously. */
const asyncDisposable = (log: Log, name: string) => ({
  name,
  async [Symbol.asyncDispose]() {
    await Promise.resolve();
    log.push(`asyncDispose ${this.name}`);
  },
});

/** Creates a resolver of a value with `dispose: 'auto'`. */
const auto = <T>(value: T, name = 'it') => resolver({}, () => value, { name, dispose: 'auto' });

const NO_METHOD =
  "has dispose: 'auto', but its value has neither Symbol.asyncDispose nor Symbol.dispose. Pass a function as `dispose`.";

describe.each(eras)("dispose: 'auto' on the %s era", (era) => {
  const use = (resolve: Record<string, Resolver<unknown>>, body: () => string = () => 'done') =>
    run(defineTool('use', { resolve }, body), {}, { era });

  test.each<[string, (log: Log) => unknown, string]>([
    ['calls Symbol.dispose', (log) => syncDisposable(log, 'file'), 'dispose file'],
    ['awaits Symbol.asyncDispose', (log) => asyncDisposable(log, 'file'), 'asyncDispose file'],
    [
      'prefers Symbol.asyncDispose if the value has both',
      (log) => ({ ...syncDisposable(log, 'file'), ...asyncDisposable(log, 'file') }),
      'asyncDispose file',
    ],
  ])('%s', async (_, create, line) => {
    const log: Log = [];
    expect(await use({ it: auto(create(log)) })).toMatchObject({ isError: false, text: 'done' });
    expect(log).toEqual([line]);
  });

  test('calls an inherited method, and a method of a function', async () => {
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

  test('calls the method that the value had when it was computed', async () => {
    const log: Log = [];
    const file: Record<symbol, unknown> = syncDisposable(log, 'file');
    await use({ it: auto(file) }, () => {
      file[Symbol.dispose] = () => log.push('something else');
      return 'done';
    });
    expect(log).toEqual(['dispose file']);
  });

  test('runs in reverse order together with the dispose functions of other resolvers', async () => {
    const log: Log = [];
    await use({
      a: auto(syncDisposable(log, 'a'), 'a'),
      b: opening(log, 'b'),
      c: auto(asyncDisposable(log, 'c'), 'c'),
    });
    expect(log).toEqual(['open b', 'asyncDispose c', 'close b: completed', 'dispose a']);
  });

  test.each([null, undefined])('does nothing for %s', async (value) => {
    expect(await use({ it: auto(value) })).toMatchObject({
      isError: false,
      text: 'done',
      reported: [],
    });
  });

  test.each<[string, unknown]>([
    ['an object', { close: () => undefined }],
    ['a string', 'file'],
    ['a number', 0],
    ['false', false],
    ['a function', () => 1],
    ['an object whose Symbol.dispose is not a function', { [Symbol.dispose]: true }],
  ])('fails the call for %s, which has no dispose method', async (_, value) => {
    let ran = false;
    const failed = await use({ it: auto(value) }, () => {
      ran = true;
      return 'done';
    });
    expect(failed).toMatchObject({
      isError: true,
      text: 'Error executing tool use',
      cause: { message: `Resolver 'it' ${NO_METHOD}` },
    });
    expect(ran).toBe(false);
  });

  test('disposes of the other values if one has no dispose method', async () => {
    const log: Log = [];
    await use({ db: opening(log, 'db'), it: auto({}) });
    expect(log).toEqual(['open db', 'close db: failed']);
  });

  test('fails a completed call if the dispose method throws', async () => {
    const broken = {
      [Symbol.dispose]() {
        throw new Error('the file would not close');
      },
    };
    expect(await use({ it: auto(broken) })).toMatchObject({
      isError: true,
      cause: { message: 'the file would not close' },
    });
  });

  test('ignores the answer to a question', async () => {
    const it = resolver({}, () => confirm('Go ahead?'), { asks: 'form', dispose: 'auto' });
    const tool = defineTool('use', { resolve: { it } }, () => 'done');
    const answers = { it: accept({ confirm: true }) };

    expect(await run(tool, {}, { era, answers })).toMatchObject({ isError: false, text: 'done' });
  });

  test('disposes of a value that arrives after the call has failed', async () => {
    const log: Log = [];
    const { started, release, late } = delayed(() => syncDisposable(log, 'file'), 'auto');
    const tool = defineTool(
      'use',
      { resolve: { broken: failsAfter(started), late } },
      () => 'done',
    );

    expect(await run(tool, {}, { era })).toMatchObject({
      isError: true,
      text: 'Error executing tool use: no such order',
    });
    expect(log).toEqual([]);
    release();
    await eventually(() => {
      expect(log).toEqual(['dispose file']);
    });
  });

  test('reports a late value that has no dispose method', async () => {
    const reported: string[] = [];
    const { started, release, late } = delayed(() => 'text', 'auto');
    const tool = defineTool(
      'use',
      { resolve: { broken: failsAfter(started), late } },
      () => 'done',
    );
    const { errorText } = await connectClient(era, reporting([tool], reported));

    expect(await errorText('use')).toBe('Error executing tool use: no such order');
    release();
    await eventually(() => {
      expect(reported).toEqual([`Resolver 'late' ${NO_METHOD}`]);
    });
  });
});

test.each([true, 'always', {}, null])('resolver() rejects %s as dispose', (dispose) => {
  expect(() => resolver({}, () => 1, { dispose: dispose as never })).toThrow(
    new TypeError(
      "resolver(): `dispose` must be 'auto' or a function, such as (value, end) => value.close().",
    ),
  );
});
