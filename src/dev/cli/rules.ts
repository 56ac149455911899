/**
 * The rules of `mcp-resolve check` for one definition. Each rule has a stable code. Its message
 * says what is wrong and what to do about it. A hint does not fail a build.
 */
import { isKind } from '../../author/brand.js';
import type { PlanNode } from '../../plan/plan.js';
import { formSchema } from '../../question/formSchema.js';
import type { AnyDefinition, Tool } from '../../definition/definitions.js';
import { explanationOf } from '../graph/explain.js';
import type { ExplainedResolver, Explanation } from '../graph/explanation.js';
import { fallbackIn } from './fallbackSource.js';

/** A finding of a rule. */
export interface Finding {
  readonly level: 'error' | 'hint';
  readonly code: RuleCode;
  /** The name of the definition. Absent if the finding is about the module. */
  readonly definition?: string;
  readonly message: string;
}

/** The codes of all rules, which are stable across releases. */
export const RULE_CODES = [
  'no-question',
  'too-many-rounds',
  'unnamed-questions',
  'pinned-identity',
  'no-once',
  'approves-unasked',
  'unpinned-approval',
  'unused-desk',
  'duplicate-name',
  'duplicate-resolver-name',
  'unused-resolver',
  'made-per-request',
] as const;

/** The code of a rule. */
export type RuleCode = (typeof RULE_CODES)[number];

/** Applies all rules to a definition. */
export function findingsIn(definition: AnyDefinition): Finding[] {
  const explanation = explanationOf(definition);
  const subject = { definition, explanation };
  return [questions, rounds, names, sameNames, pins, once, fallbacks, approvals, desks]
    .flatMap((rule) => rule(subject))
    .map((finding) => ({ ...finding, definition: definition.name }));
}

interface CheckedDefinition {
  readonly definition: AnyDefinition;
  readonly explanation: Explanation;
}

/** Reports a tool with irreversible effects that does not ask first. */
function questions({ definition, explanation }: CheckedDefinition): Finding[] {
  const { capabilities, resolvers } = explanation;
  if (!isDestructive(definition) || capabilities.some(({ kind }) => isForPeople(kind))) return [];
  if (resolvers.some(asksForApproval)) return [];
  return [
    error(
      'no-question',
      "the tool is destructive or moves money, but no resolver declares that it asks the user. Add a resolver that asks with confirm(), and { asks: 'form' }. If the tool is harmless, set `annotations` to { readOnlyHint: true } or { destructiveHint: false }.",
    ),
  ];
}

function isForPeople(kind: string): boolean {
  return kind === 'form' || kind === 'url';
}

const DESTROYS = ['delete', 'remove', 'destroy', 'drop', 'erase', 'purge', 'terminate', 'wipe'];
const MOVES_MONEY = ['refund', 'pay', 'payout', 'transfer', 'charge', 'withdraw'];

function isDestructive(definition: AnyDefinition): boolean {
  if (!isTool(definition)) return false;
  const { annotations } = definition['~definition'].metadata;
  if (annotations?.readOnlyHint === true) return false;
  if (annotations?.destructiveHint !== undefined) return annotations.destructiveHint;
  return wordsIn(definition.name).some((word) => [...DESTROYS, ...MOVES_MONEY].includes(word));
}

function isTool(definition: AnyDefinition): definition is Tool {
  return isKind(definition, 'tool');
}

/** The number of question rounds after which SDK clients give up. */
const CLIENT_ROUNDS = 10;

/** Reports a chain of questions so long that clients give up. */
function rounds({ explanation }: CheckedDefinition): Finding[] {
  const { atMostRounds, chain } = explanation;
  const questionRounds = atMostRounds - 1;
  if (questionRounds <= CLIENT_ROUNDS) return [];
  return [
    error(
      'too-many-rounds',
      `its questions can take ${questionRounds} rounds, but clients give up after ${CLIENT_ROUNDS} rounds of questions. Combine questions in one form, make them independent of each other, or lower \`attempts\`. The chain: ${chain.join(' -> ')}.`,
    ),
  ];
}

/** Reports unnamed questions that look the same, because an answer can reach the wrong one. */
function names({ definition }: CheckedDefinition): Finding[] {
  const { nodes } = definition['~definition'].plan;
  const groups = new Map<string, PlanNode[]>();
  for (const node of nodes) {
    const group = unnamedQuestion(node);
    if (group !== undefined) groups.set(group, [...(groups.get(group) ?? []), node]);
  }
  return [...groups.values()]
    .filter((group) => group.length > 1)
    .map((group) =>
      error(
        'unnamed-questions',
        `${group.map(({ key }) => `'${key}'`).join(' and ')} ask the same question, and only a number distinguishes them. The number depends on the order of the parameters. Give each resolver a name: resolver(needs, fn, { name }).`,
      ),
    );
}

/**
 * Returns the same string for unnamed questions that look the same, and `undefined` for other
 * nodes.
 */
function unnamedQuestion({ key, resolver }: PlanNode): string | undefined {
  const { name, asks } = resolver.options;
  if (name !== undefined || asks === undefined) return undefined;
  const question = typeof asks === 'string' ? asks : formSchema(asks).text;
  return `${key.replace(/#\d+$/, '')} ${question}`;
}

/** Reports resolvers that have the same name, because an author may take one for the other. */
function sameNames({ definition }: CheckedDefinition): Finding[] {
  const names = definition['~definition'].plan.nodes.flatMap(
    ({ resolver }) => resolver.options.name ?? [],
  );
  const repeated = new Set(names.filter((name, place) => names.indexOf(name) !== place));
  return [...repeated].map((name) =>
    hint(
      'duplicate-resolver-name',
      `it uses several resolvers named '${name}', and only a number distinguishes them in messages and answers. Rename all but one.`,
    ),
  );
}

const IDENTITY = [
  'user',
  'identity',
  'principal',
  'permission',
  'role',
  'tenant',
  'session',
  'caller',
];

/** Reports pinned identities and permissions, because they can change between rounds. */
function pins({ explanation }: CheckedDefinition): Finding[] {
  return explanation.resolvers
    .filter(({ pinned }) => pinned)
    .flatMap((resolver) => {
      const why = resolver.first
        ? 'a guard needs it'
        : looksLikeIdentity(resolver)
          ? 'it looks like an identity or a permission'
          : undefined;
      if (why === undefined) return [];
      const remedy =
        'Its value can change between rounds. Remove `pin`, so that every round computes it.';
      return [error('pinned-identity', `'${resolver.key}' is pinned, but ${why}. ${remedy}`)];
    });
}

function looksLikeIdentity({ key, usedBy }: ExplainedResolver): boolean {
  const words = [key, ...usedBy.map(({ parameter }) => parameter)].flatMap(wordsIn);
  return words.some((word) => IDENTITY.includes(word.replace(/s$/, '')));
}

/**
 * Reports a tool that asks and then does something irreversible, but has no `once`. A client can
 * send the last round again.
 */
function once({ definition, explanation }: CheckedDefinition): Finding[] {
  const effect = irreversibleEffect(definition);
  if (explanation.once || explanation.capabilities.length === 0 || effect === undefined) return [];
  return [
    hint(
      'no-once',
      `the tool ${effect} after a question, and a client can send the last round again. Set \`once\` to a store, so that an approved call runs only once.`,
    ),
  ];
}

/**
 * Reports an approval that a client skips by declaring nothing. The option is inside the function
 * of the resolver, so the rule reads its source code. Options that it cannot read are reported,
 * too.
 */
function fallbacks({ definition, explanation }: CheckedDefinition): Finding[] {
  const isGuarded = isDestructive(definition) || explanation.once;
  if (!isGuarded || !isTool(definition)) return [];
  const why = explanation.once ? 'has `once`' : 'is destructive or moves money';
  return definition['~definition'].plan.nodes.flatMap(({ key, resolver: { fn, options } }) => {
    if (options.asks === 'url') return [];
    const message = {
      approves: `'${key}' has \`otherwise: true\`, which approves for every client that declares nothing, and the tool ${why}. Write \`otherwise: false\`, or remove \`otherwise\`, so that such a client receives an error.`,
      unreadable: `'${key}' passes options to confirm() that this command cannot read, and the tool ${why}. Write them in the call, such as confirm(message, { otherwise: false }). With \`otherwise: true\`, every client that declares nothing would approve.`,
      harmless: undefined,
    }[fallbackIn(fn)];
    return message === undefined ? [] : [error('approves-unasked', message)];
  });
}

/**
 * Reports an approval of values that are computed again when the call runs. If they differ by then,
 * the approval no longer counts.
 */
function approvals({ explanation: { resolvers } }: CheckedDefinition): Finding[] {
  const isMoving = (key: string): boolean => {
    const needed = resolvers.find((one) => one.key === key);
    return needed?.asks.kind === 'nothing' && !needed.pinned && !looksLikeIdentity(needed);
  };
  return resolvers.filter(asksForApproval).flatMap(({ key, needs }) => {
    const keys = needs.flatMap((need) => (need.from === 'resolver' ? [need.resolver] : []));
    const moving = [...new Set(keys.filter(isMoving))].map((one) => `'${one}'`);
    if (moving.length === 0) return [];
    return [
      hint(
        'unpinned-approval',
        `'${key}' asks to approve what ${moving.join(' and ')} ${moving.length === 1 ? 'returns' : 'return'}, which is computed again in each call. If it changes, the approval is lost. Add \`pin\`.`,
      ),
    ];
  });
}

/** Reports a desk at which no call can wait. */
function desks({ definition, explanation: { resolvers } }: CheckedDefinition): Finding[] {
  const { approvals: desk } = definition['~definition'];
  if (desk === undefined || resolvers.some(asksForApproval)) return [];
  return [
    hint(
      'unused-desk',
      "the tool has `approvals`, but no resolver declares that it asks for approval, so no call waits. Add { asks: 'approval' } to the resolver that asks, or remove `approvals`.",
    ),
  ];
}

function asksForApproval({ asks }: ExplainedResolver): boolean {
  return asks.kind === 'approval';
}

function irreversibleEffect(definition: AnyDefinition): string | undefined {
  if (!isTool(definition) || !isDestructive(definition)) return undefined;
  if (definition['~definition'].metadata.annotations?.destructiveHint === true)
    return 'does something destructive';
  return wordsIn(definition.name).some((word) => MOVES_MONEY.includes(word))
    ? 'moves money'
    : undefined;
}

/** Splits a name in camel case or with separators into words. */
function wordsIn(name: string): string[] {
  return name
    .replace(/(\p{Ll})(\p{Lu})/gu, '$1 $2')
    .toLowerCase()
    .split(/[^\p{L}]+/u);
}

function error(code: RuleCode, message: string): Finding {
  return { level: 'error', code, message };
}

function hint(code: RuleCode, message: string): Finding {
  return { level: 'hint', code, message };
}
