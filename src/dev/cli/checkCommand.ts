/**
 * `mcp-resolve check`: prints one line for each finding, and a last line that counts them. With
 * `--format json`, prints the findings as JSON.
 */
import { readFileSync } from 'node:fs';
import { isKind, kindOf } from '../../author/brand.js';
import type { AnyDefinition } from '../../definition/definitions.js';
import { showable } from '../graph/glyphs.js';
import type { CheckCommand } from './commandLine.js';
import { didYouMean, EXIT, CommandFailure } from '../load/failure.js';
import { chosen } from '../load/findDefinitions.js';
import { callFactory, loadModule } from '../load/loadModule.js';
import type { Built, Loaded } from '../load/loadModule.js';
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
 * @throws {@link CommandFailure} If the module cannot be loaded, or a name or a code is unknown.
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
      ...unusedResolvers(loaded, all),
      ...findPerRequest(loaded, made, madeAgain),
    ].filter((finding) => isAskedFor(finding, command));
    return report({ findings, definitions: definitions.length }, command);
  } catch (error) {
    // An invalid graph is a finding, not a failure of the command.
    if (!(error instanceof CommandFailure) || error.exitCode !== EXIT.found) throw error;
    const { code = '', message } = error;
    return report({ findings: [{ level: 'error', code, message }] }, command);
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
  const hint = didYouMean(unknown, { title: 'Known codes', names: known });
  throw new CommandFailure(`--allow: no finding has the code '${unknown}'. ${hint}`);
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
    const message = `there is another ${label}, and a server accepts only one of them. Rename one, or define it once and import it.`;
    return [{ level: 'error', code: 'duplicate-name', definition: definition.name, message }];
  });
}

/**
 * Finds exported resolvers that no definition reaches. An approval that nothing needs is never
 * asked for.
 */
function unusedResolvers({ exports }: Loaded, definitions: Iterable<AnyDefinition>): Finding[] {
  const used = new Set<unknown>(
    [...definitions].flatMap((definition) =>
      definition['~definition'].plan.nodes.map(({ resolver }) => resolver),
    ),
  );
  return Object.entries(exports)
    .filter(([, value]) => isKind(value, 'resolver') && !used.has(value))
    .map(([name]) => ({
      level: 'hint',
      code: 'unused-resolver',
      message: `no definition uses the exported resolver '${name}', so it never runs. Add it to \`resolve\` or \`guards\` of a definition, or to the needs of a resolver.`,
    }));
}

function findPerRequest({ file }: Loaded, made: Built, madeAgain: Built): Finding[] {
  const labels = new Set(made.definitions.map(labelOf));
  const again = madeAgain.definitions.filter((definition) => {
    return !made.definitions.includes(definition) && labels.has(labelOf(definition));
  });
  if (again.length > 0 && madeAgain.isServer) {
    const stores = new Set(made.definitions.map(localStoreOf));
    return again.map((definition) => {
      const store = localStoreOf(definition);
      const what = 'the factory creates a new definition each time';
      const isForgotten = store !== undefined && !stores.has(store);
      return perRequest(isForgotten ? `${what}, ${WITH_ITS_STORE}` : what, definition);
    });
  }
  return definitionsInFactories(readFileSync(file, 'utf8')).map(({ call, line }) =>
    perRequest(`${call}() on line ${line} is inside a function that creates a server`),
  );
}

const WITH_ITS_STORE =
  'with a new store for `once`, which knows no earlier request, so a call that asks is refused in its second round';

/** Returns the id of the store of a tool with `once`, if only one process can see it. */
function localStoreOf(definition: AnyDefinition): string | undefined {
  return isKind(definition, 'tool') ? definition['~definition'].once?.store.onlyIn : undefined;
}

function perRequest(what: string, definition?: AnyDefinition): Finding {
  return {
    level: 'error',
    code: 'made-per-request',
    ...(definition && { definition: definition.name }),
    message: `${what}. Over HTTP its graph is then analysed again for every request. Define it once, at module level, and only install it in the factory.`,
  };
}

function labelOf(definition: AnyDefinition): string {
  return `${kindOf(definition) ?? ''} '${definition.name}'`;
}

/** The findings, and the number of definitions. The number is unknown if the graph is invalid. */
interface Found {
  readonly findings: readonly ReportedFinding[];
  readonly definitions?: number;
}

/** A finding of a rule, or an invalid graph with the code of its error. */
type ReportedFinding = Omit<Finding, 'code'> & { readonly code: string };

function report(found: Found, { format }: CheckCommand): Checked {
  const clean = found.findings.every(({ level }) => level !== 'error');
  const text = format === 'json' ? JSON.stringify(found, null, 2) : linesOf(found).join('\n');
  return { text: `${text}\n`, clean };
}

function linesOf({ findings, definitions }: Found): string[] {
  const lines = findings.map(({ level, code, definition, message }) => {
    const subject = definition === undefined ? '' : `${definition}: `;
    return `${level.padEnd(5)}  ${code}  ${showable(`${subject}${message}`)}`;
  });
  if (definitions === undefined) return lines;
  const errors = findings.filter(({ level }) => level === 'error').length;
  const hints = findings.length - errors;
  return [
    ...lines,
    `${countOf(definitions, 'definition')}, ${countOf(errors, 'error')}, ${countOf(hints, 'hint')}`,
  ];
}

function countOf(count: number, noun: string): string {
  return `${count} ${noun}${count === 1 ? '' : 's'}`;
}
