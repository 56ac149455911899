/** Forms: a message and a flat schema. The user answers with accept, decline or cancel. */
import type { FormData } from '../author/question.js';
import { describeIssues, shownField } from '../author/schema.js';
import { isObject, isThenable } from '../values.js';
import { asciiJson } from '../platform.js';
import { CAPABILITIES } from './capability.js';
import { prefilledForm, withInitial } from './formSchema.js';
import { NOT_ELICITATION } from './kind.js';
import type { RecordedAnswer, QuestionKind, AnswerOutcome } from './kind.js';
import { visibleText } from '../visibleText.js';

/** The kind of question that `elicit` and `confirm` create. */
export const formKind: QuestionKind<FormData> = {
  render: (question) => {
    const { json, text } = prefilledForm(question);
    const message = visibleText(question.message);
    return {
      method: 'elicitation/create',
      params: { mode: 'form', message, requestedSchema: json },
      text: `{"mode":"form","message":${asciiJson(message)},"requestedSchema":${text}}`,
    };
  },

  capability: () => CAPABILITIES.form,

  receive: (response) => {
    if (!isObject(response)) return { problem: NOT_ELICITATION };
    const { action, content } = response;
    if (action === 'decline' || action === 'cancel') return { action };
    if (action !== 'accept') return { problem: NOT_ELICITATION };
    if (content === undefined || content === null) return { problem: NO_CONTENT, complaint: '' };
    return { action, data: content };
  },

  outcomeFor: (question, answer) => {
    if (answer.action !== 'accept') return { action: answer.action };
    return isObject(answer.data) ? accepted(question, answer) : { problem: MISFIT, complaint: '' };
  },
};

const MISFIT = 'received an accepted elicitation whose content does not match the requested schema';

/** The complaint travels in the state between rounds. */
const LONGEST_COMPLAINT = 500;

const NO_CONTENT = 'received an accepted elicitation with no content';

function accepted(
  question: FormData,
  { data }: RecordedAnswer,
): AnswerOutcome | Promise<AnswerOutcome> {
  const result = question.schema['~standard'].validate(withInitial(question, data));
  return isThenable(result)
    ? result.then((later) => settled(question, later))
    : settled(question, result);
}

function settled(
  { schema, yesOnly }: FormData,
  result: Awaited<ReturnType<FormData['schema']['~standard']['validate']>>,
): AnswerOutcome {
  if (result.issues !== undefined) {
    const complaint = visibleText(describeIssues(result.issues, '\n'), LONGEST_COMPLAINT);
    return { problem: `${MISFIT}${shownField(schema, result.issues)}`, complaint };
  }
  if (yesOnly === undefined) return { action: 'accept', data: result.value, asked: true };
  const ticked = (result.value as { confirm: boolean }).confirm;
  return ticked ? { action: 'accept', data: true, asked: true } : { action: 'decline' };
}
