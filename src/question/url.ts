/**
 * Links: a message and a URL that the user opens outside the client. Accept means opened. The
 * client does not know what happened there.
 */
import type { UrlData } from '../author/question.js';
import { isObject } from '../values.js';
import { asciiJson, randomId } from '../platform.js';
import { CAPABILITIES } from './capability.js';
import { NOT_ELICITATION } from './kind.js';
import type { QuestionKind } from './kind.js';
import { visibleText } from '../visibleText.js';

/** The kind of question that `elicitUrl` creates. */
export const urlKind: QuestionKind<UrlData> = {
  render: ({ message, url: link, elicitationId }) => {
    const params = { mode: 'url', message: visibleText(message), url: link };
    return {
      method: 'elicitation/create',
      params,
      // The legacy era requires an id for every link.
      pushedParams: () => ({ ...params, elicitationId: elicitationId ?? randomId() }),
      text: asciiJson(params),
    };
  },

  capability: () => CAPABILITIES.url,

  receive: (_question, response) => {
    const action = isObject(response) ? response.action : undefined;
    return action === 'accept' || action === 'decline' || action === 'cancel'
      ? { action }
      : { problem: NOT_ELICITATION };
  },

  outcomeFor: (_question, { action }) =>
    action === 'accept' ? { action, data: true, asked: true } : { action },
};
