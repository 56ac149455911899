/** Tests the types of the kit. The compiler does the checking: the tests pass if the file compiles. */
import { argsOf, definePrompt, defineResource, defineTool, resolver } from 'mcp-resolve';
import type { AnyDefinition, Tool } from 'mcp-resolve';
import { override, probe, run } from 'mcp-resolve/testing';
import type { Run } from 'mcp-resolve/testing';
import type {
  CallToolResult,
  GetPromptResult,
  ReadResourceResult,
} from '@modelcontextprotocol/server';
import { describe, expect, expectTypeOf, test } from 'vitest';
import * as z from 'zod';

const Input = z.object({ city: z.string(), days: z.number().optional() });
const price = resolver({ city: argsOf(Input).city }, () => ({ cents: 100 }));
const clock = resolver({}, () => (): number => 12);
const trip = defineTool('trip', { inputSchema: Input, resolve: { price } }, () => 'done');
const now = defineTool('now', { resolve: { clock } }, () => 'done');
const prompt = definePrompt('p', { argsSchema: z.object({ city: z.string() }) }, () => 'done');
const resource = defineResource('r', 'trips://next', {}, () => 'done');

/** Calls that must compile or fail to compile. The function never runs. */
function compiledCalls(): void {
  void run(trip, { city: 'Oslo' });
  void run(trip, { city: 'Oslo', days: 3 }, { era: 'legacy' });
  void run(now);
  void run(now, {}, { era: 'legacy' });
  void run(now, undefined, { era: 'legacy' });
  void run(prompt, { city: 'Oslo' });
  void run(resource);
  void run(resource, 'trips://next');
  void run(resource, new URL('trips://next'));
  const tools: readonly Tool[] = [trip, now];
  for (const tool of tools) void run(tool, { city: 'Oslo' });
  const everything: readonly AnyDefinition[] = [trip, prompt, resource];
  expect(everything).toHaveLength(3);

  // @ts-expect-error -- the arguments are missing
  void run(trip);
  // @ts-expect-error -- an argument is of another type
  void run(trip, { city: 3 });
  // @ts-expect-error -- there is no such argument
  void run(trip, { city: 'Oslo', nights: 3 });
  // @ts-expect-error -- there is no such option
  void run(trip, { city: 'Oslo' }, { answer: {} });
  // @ts-expect-error -- a tool without arguments
  void run(now, { city: 'Oslo' });
  // @ts-expect-error -- a resolver is not called
  void run(price);

  void override(price, { cents: 3 });
  void override(price, () => ({ cents: 3 }));
  void override(price, async ({ callId }) => ({ cents: callId.length }));
  void override(clock, () => () => 7);
  // @ts-expect-error -- a value of another type
  void override(price, 3);
  // @ts-expect-error -- a function of another type
  void override(price, () => 3);
  // @ts-expect-error -- a function is called for the value, so it must return a function
  void override(clock, () => 7);

  void probe.tampered(trip, { city: 'Oslo' });
  void probe.swappedArguments(trip, { city: 'Oslo' }, { otherArgs: { city: 'Rome' } });
  // @ts-expect-error -- a probe has no era
  void probe.tampered(trip, { city: 'Oslo' }, { era: 'legacy' });
  // @ts-expect-error -- other arguments are needed
  void probe.swappedArguments(trip, { city: 'Oslo' }, {});
}

describe('the types of the kit', () => {
  test('check arguments and options against the definition', () => {
    expect(compiledCalls).toBeTypeOf('function');
  });

  test('return the result type of the definition', () => {
    expectTypeOf(run<typeof trip>).returns.resolves.toEqualTypeOf<Run<CallToolResult>>();
    expectTypeOf(run<typeof prompt>).returns.resolves.toEqualTypeOf<Run<GetPromptResult>>();
    expectTypeOf(run<typeof resource>).returns.resolves.toEqualTypeOf<Run<ReadResourceResult>>();
  });
});
