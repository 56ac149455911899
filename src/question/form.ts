/** Forms: a message and a flat schema. The user answers with accept, decline or cancel. */
import type { FormData } from '../author/question.js';
import { describeIssues, shownField } from '../author/schema.js';
import { isObject, isThenable } from '../values.js';
import { asciiJson } from '../platform.js';
import { CAPABILITIES } from './capability.js';
import { prefillForm, keepShowable, withInitial } from './formSchema.js';
import { NOT_ELICITATION } from './kind.js';
import type { QuestionKind, AnswerOutcome, Unusable } from './kind.js';
import { visibleText } from '../visibleText.js';

/** The kind of question that `elicit` and `confirm` create. */
export const formKind: QuestionKind<FormData> = {
  render: (question) => {
    const { json, text } = prefillForm(question);
    const message = visibleText(question.message);
    return {
      method: 'elicitation/create',
      params: { mode: 'form', message, requestedSchema: json },
      text: `{"mode":"form","message":${asciiJson(message)},"requestedSchema":${text}}`,
    };
  },

  capability: () => CAPABILITIES.form,

  receive: (question, response) => {
    if (!isObject(response)) return { problem: NOT_ELICITATION };
    const { action, content } = response;
    if (action === 'decline' || action === 'cancel') return { action };
    if (action !== 'accept') return { problem: NOT_ELICITATION };
    if (content === undefined || content === null) return { problem: NO_CONTENT, complaint: '' };
    return { action, data: withInitial(question, content) };
  },

  outcomeFor: (question, answer) => {
    if (answer.action !== 'accept') return { action: answer.action };
    return isObject(answer.data)
      ? judgeAnswer(question, answer.data)
      : { problem: MISFIT, complaint: '' };
  },
};

const MISFIT = 'received an accepted elicitation whose content does not match the requested schema';

/** The complaint travels in the state between rounds. */
const LONGEST_COMPLAINT = 500;

const NO_CONTENT = 'received an accepted elicitation with no content';

function judgeAnswer(
  question: FormData,
  data: Readonly<Record<string, unknown>>,
): AnswerOutcome | Promise<AnswerOutcome> {
  const judge = (result: Validated): AnswerOutcome =>
    result.issues === undefined
      ? settleAnswer(question, result.value)
      : rejectAnswer(question, result.issues, data);
  const result = question.schema['~standard'].validate(data);
  return isThenable(result) ? result.then(judge) : judge(result);
}

type Validated = Awaited<ReturnType<FormData['schema']['~standard']['validate']>>;

function rejectAnswer(
  { schema }: FormData,
  issues: NonNullable<Validated['issues']>,
  data: Readonly<Record<string, unknown>>,
): Unusable {
  const complaint = visibleText(describeIssues(issues, '\n'), LONGEST_COMPLAINT);
  const problem = `${MISFIT}${shownField(schema, issues)}`;
  return { problem, complaint, typed: keepShowable(schema, data) };
}

function settleAnswer({ yesOnly }: FormData, value: unknown): AnswerOutcome {
  if (yesOnly === undefined) return { action: 'accept', data: value, asked: true };
  const ticked = (value as { confirm: boolean }).confirm;
  return ticked ? { action: 'accept', data: true, asked: true } : { action: 'decline' };
}
