/** A question to somebody else: another person or group, who decides at an approval desk. */
import { rejectUnknownOptions } from '../options.js';
import { ToolError } from '../errors.js';
import { isPlainObject } from '../values.js';
import { visibleText } from '../visibleText.js';
import type { ApprovalTerms, Approved } from './approvalTerms.js';
import { KIND } from './brand.js';
import type { Question } from './question.js';
import { noteQuestionMade } from './questionScope.js';

/** The options of an approval. */
export interface ApprovalOptions {
  /** The facts that the approver sees, by label. */
  readonly facts?: Readonly<Record<string, string>>;
  /**
   * The group whose members decide, or several groups, any of which may. Include the tenant in the
   * name, such as `acme/treasury`.
   */
  readonly by: string | readonly string[];
  /**
   * The id of the user who asks. The approver sees it, and a decision of this user never counts.
   * Use the ids that the approvers sign in with.
   */
  readonly requester: string;
  /** The number of persons who have to approve. Default: 1. */
  readonly quorum?: number;
  /**
   * The thing that the request is about, such as `invoice 17`. A newer request about it replaces
   * this one, whether it is approved or not.
   */
  readonly about?: string;
}

/** A question that somebody else has to approve. */
export interface Approval extends Question<Approved> {
  readonly kind: 'approval';
  readonly message: string;
}

/**
 * Asks another person or group to approve the call. While the request waits, the call ends, and the
 * same call continues later. The resolver needs `asks: 'approval'`, and its tool needs
 * `approvals`.
 *
 * @example
 *
 * ```ts
 * const secondPair = resolver(
 *   { invoice: args.invoice, euros: amountDue },
 *   ({ invoice, euros }) =>
 *     approval('Pay a supplier', {
 *       facts: { amount: `${euros} EUR` },
 *       by: 'acme/treasury',
 *       requester: 'ann',
 *       about: `invoice ${invoice}`,
 *     }),
 *   { asks: 'approval' },
 * );
 * ```
 *
 * @throws {TypeError} If an option is missing or malformed.
 * @throws {ToolError} If a text is too long to be shown as a whole.
 */
export function approval(message: string, options: ApprovalOptions): Approval {
  if (!isPlainObject(options))
    throw invalid(
      "`options` must be an object. Write approval(message, { by: 'acme/treasury', requester: user.id }).",
    );
  rejectUnknownOptions(options, KNOWN, 'approval()');
  const { facts = {}, by, requester, quorum = 1, about } = options;
  const groups = [by].flat();
  assertText('message', message);
  if ((requester as unknown) === undefined)
    throw invalid(
      '`requester` is required. Write requester: user.id, with the id that the user signs in with.',
    );
  assertName('requester', requester);
  if (about !== undefined) checkShown('`about`', assertText('about', about));
  if (groups.length === 0 || groups.length > MOST_GROUPS)
    throw invalid(`\`by\` must name at least one group, and at most ${MOST_GROUPS}.`);
  for (const group of groups) assertName('by', group);
  if (!Number.isInteger(quorum) || quorum < 1 || quorum > MOST_APPROVERS)
    throw invalid(`\`quorum\` must be an integer from 1 to ${MOST_APPROVERS}.`);
  const terms = {
    message: checkShown('message', message),
    facts: shownFacts(facts),
    quorum,
    requester,
  };
  const data = { kind: 'approval' as const, ...terms, by: groups, ...(about && { about }) };
  noteQuestionMade();
  return Object.freeze({ [KIND]: 'question' as const, ...data });
}

const KNOWN = ['facts', 'by', 'requester', 'quorum', 'about'];
const MOST_GROUPS = 10;
const MOST_APPROVERS = 20;
const MOST_FACTS = 50;
const LONGEST_NAME = 200;
const LONGEST_TEXT = 2000;

function assertText(option: string, text: unknown): string {
  if (typeof text === 'string' && text !== '') return text;
  throw invalid(`\`${option}\` must be a non-empty string.`);
}

/** Checks a name that is compared with others. Two names must not look the same. */
function assertName(option: string, given: unknown): void {
  const name = assertText(option, given);
  if (name.length > LONGEST_NAME)
    throw invalid(`\`${option}\` must have at most ${LONGEST_NAME} characters.`);
  if (visibleText(name) !== name || /[\n\t\p{Surrogate}]/u.test(name))
    throw invalid(`\`${option}\` must not contain invisible or control characters.`);
}

function shownFacts(facts: Readonly<Record<string, unknown>>): ApprovalTerms['facts'] {
  if (!isPlainObject(facts)) throw invalid('`facts` must be an object of strings by label.');
  const entries = Object.entries(facts);
  if (entries.length > MOST_FACTS)
    throw invalid(`\`facts\` must have at most ${MOST_FACTS} entries.`);
  return entries.map(([label, value]) => {
    if (typeof value !== 'string') throw invalid(`the fact '${label}' must be a string.`);
    return [checkShown('label of a fact', label), checkShown(`fact '${label}'`, value)];
  });
}

/**
 * Returns a text as the approver sees it.
 *
 * @throws {ToolError} If it is too long. It is refused and not cut, because an approver must see
 *   all that is approved, and the model may have written it.
 */
function checkShown(what: string, text: string): string {
  const visible = visibleText(text);
  if (visible.length <= LONGEST_TEXT) return visible;
  throw new ToolError(
    `the ${what} of the approval is longer than ${LONGEST_TEXT} characters. Shorten it.`,
  );
}

function invalid(problem: string): TypeError {
  return new TypeError(`approval(): ${problem}`);
}
