/** Prints values of the author's code as text for the page. */
import { inspect } from 'node:util';

const LONGEST = 20_000;
/** Values up to this length are printed on one line. */
const SHORT = 60;

/** Prints a value as JSON, or as Node prints it if it has no JSON. */
export function printValue(value: unknown): string {
  const text =
    typeof value === 'string' ? JSON.stringify(value) : (jsonOf(value) ?? inspect(value));
  return text.length > LONGEST ? `${text.slice(0, LONGEST)}…` : text;
}

/** Returns a copy of a value that survives JSON. */
export function copyJson(value: unknown): unknown {
  const json = jsonOf(value);
  return json === undefined ? printValue(value) : (JSON.parse(json) as unknown);
}

/** Returns the JSON of a value, or `undefined` if it has none or would lose its content. */
function jsonOf(value: unknown): string | undefined {
  if (typeof value === 'object' && value !== null && !hasJson(value)) return undefined;
  try {
    const line = JSON.stringify(value) as string | undefined;
    return line === undefined || line.length <= SHORT ? line : JSON.stringify(value, undefined, 2);
  } catch {
    return undefined;
  }
}

/** Returns true for objects whose JSON shows their content. A Map or a class instance is `{}`. */
function hasJson(value: object): boolean {
  if (Array.isArray(value) || typeof (value as { toJSON?: unknown }).toJSON === 'function') {
    return true;
  }
  const prototype: unknown = Object.getPrototypeOf(value);
  return prototype === null || Object.getPrototypeOf(prototype) === null;
}

/** The folder of this package, whose frames say nothing about the author's code. */
const OWN = new URL('.', import.meta.url).href;

/** Prints an error with the frames of the author's code. */
export function printError(error: Error): string {
  const lines = (error.stack ?? `${error.name}: ${error.message}`).split('\n');
  const isOther = (line: string): boolean => line.includes(OWN) || line.includes('node:');
  return lines.filter((line) => !/^\s+at /.test(line) || !isOther(line)).join('\n');
}
