/** Answers of the wrong shape, made for the questions that they are to answer wrongly. */
import { isObject } from '../../define/schema.js';
import type { Answer } from '../../client/answers.js';
import type { OpenQuestion, OpenQuestions } from '../../client/openQuestions.js';

/** An answer to each question that is of its kind and does not fit it. */
export function wrongAnswers(questions: OpenQuestions): Record<string, Answer> {
  const wrong = Object.entries(questions).map(([key, question]) => [key, wrongAnswer(question)]);
  return Object.fromEntries(wrong) as Record<string, Answer>;
}

function wrongAnswer({ method, params }: OpenQuestion): unknown {
  if (method === 'roots/list') return { roots: 'none' };
  if (method === 'sampling/createMessage') return { role: 'assistant', model: 'scripted' };
  const { requestedSchema }: Readonly<Record<string, unknown>> = { ...params };
  const properties = isObject(requestedSchema) ? requestedSchema.properties : undefined;
  const fields = Object.entries(isObject(properties) ? properties : {});
  // A link, and a form without fields, have no content that could be wrong.
  if (fields.length === 0) return { action: 'neither yes nor no' };
  const content = fields.map(([name, field]) => [name, misfitFor(field)] as const);
  return { action: 'accept', content: Object.fromEntries(content) };
}

/** Lists and everything else are never taken for each other. */
function misfitFor(field: unknown): unknown {
  return isObject(field) && field.type === 'array' ? 'not a list' : ['a list'];
}
