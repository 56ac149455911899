/** `mcp-resolve check`: prints one line for each finding, and a last line that counts them. */
import { readFileSync } from 'node:fs';
import { kindOf } from '../../define/brand.js';
import type { AnyDefinition } from '../../server/definitions.js';
import { showable } from '../graph/glyphs.js';
import type { CheckCommand } from './commandLine.js';
import { didYouMean, EXIT, Failure } from './failure.js';
import { chosen } from './findDefinitions.js';
import { callFactory, loadModule } from './loadModule.js';
import type { Built, Loaded } from './loadModule.js';
import { definitionsInFactories } from './perRequest.js';
import { findingsIn, RULE_CODES } from './rules.js';
import type { Finding } from './rules.js';

/** The report of a check. */
export interface Checked {
  readonly text: string;
  /** True if there are no errors. Hints do not count. */
  readonly clean: boolean;
}

/**
 * Checks a module.
 *
 * @throws {@link Failure} If the module cannot be loaded, or a name or a code is unknown.
 */
export async function runCheck(command: CheckCommand): Promise<Checked> {
  assertCodes(command.allow);
  try {
    const loaded = await loadModule(command.file, command.timeoutMs);
    const made = await callFactory(loaded, command);
    const madeAgain = await callFactory(loaded, command);
    const all = new Set([...loaded.definitions, ...made.definitions]);
    const definitions = chosen(command, [...all]);
    const findings = [
      ...definitions.flatMap(findingsIn),
      ...duplicates(definitions),
      ...madePerRequest(loaded, made, madeAgain),
    ].filter((finding) => isAskedFor(finding, command));
    return report(findings, definitions.length);
  } catch (error) {
    // An invalid graph is a finding, not a failure of the command.
    if (!(error instanceof Failure) || error.exitCode !== EXIT.found) throw error;
    return { text: `error  ${error.code ?? ''}  ${error.message}\n`, clean: false };
  }
}

function isAskedFor({ code, definition }: Finding, { allow, name }: CheckCommand): boolean {
  const isElsewhere = name !== undefined && definition !== undefined && definition !== name;
  return !isElsewhere && !allow.includes(code);
}

function assertCodes(codes: readonly string[]): void {
  const known: readonly string[] = RULE_CODES;
  const unknown = codes.find((code) => !known.includes(code));
  if (unknown === undefined) return;
  throw new Failure(`--allow: there is no code '${unknown}' ${didYouMean(unknown, known)}.`);
}

/** Finds definitions of the same kind and name. A server accepts only one of them. */
function duplicates(definitions: readonly AnyDefinition[]): Finding[] {
  const seen = new Set<string>();
  return definitions.flatMap((definition): Finding[] => {
    const label = labelOf(definition);
    if (!seen.has(label)) {
      seen.add(label);
      return [];
    }
    const message = `there is another ${label}: a server takes only one of them, so rename one, or define it once and import it`;
    return [{ level: 'error', code: 'duplicate-name', definition: definition.name, message }];
  });
}

function madePerRequest({ file }: Loaded, made: Built, madeAgain: Built): Finding[] {
  const labels = new Set(made.definitions.map(labelOf));
  const again = madeAgain.definitions.filter((definition) => {
    return !made.definitions.includes(definition) && labels.has(labelOf(definition));
  });
  if (again.length > 0 && madeAgain.isServer) {
    return again.map((definition) =>
      perRequest('the factory makes it for every request', definition),
    );
  }
  return definitionsInFactories(readFileSync(file, 'utf8')).map(({ call, line }) =>
    perRequest(`${call}() in line ${line} stands in a function that makes a server`),
  );
}

function perRequest(what: string, definition?: AnyDefinition): Finding {
  return {
    level: 'error',
    code: 'made-per-request',
    ...(definition && { definition: definition.name }),
    message: `${what}: over HTTP its graph is analysed again for each request, so define it once, outside, and only install it there`,
  };
}

function labelOf(definition: AnyDefinition): string {
  return `${kindOf(definition) ?? ''} '${definition.name}'`;
}

function report(findings: readonly Finding[], count: number): Checked {
  const errors = findings.filter(({ level }) => level === 'error').length;
  const hints = findings.length - errors;
  const lines = findings.map(({ level, code, definition, message }) => {
    const subject = definition === undefined ? '' : `${definition}: `;
    return `${level.padEnd(5)}  ${code}  ${showable(`${subject}${message}`)}`;
  });
  const sum = `${counted(count, 'definition')}, ${counted(errors, 'error')}, ${counted(hints, 'hint')}`;
  return { text: `${[...lines, sum].join('\n')}\n`, clean: errors === 0 };
}

function counted(count: number, noun: string): string {
  return `${count} ${noun}${count === 1 ? '' : 's'}`;
}
