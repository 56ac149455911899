/** A scripted traveller, who answers every kind of question and logs it. */
import { accept, decline, type Handlers } from '../support/connect.js';

/** The handlers of the traveller's client. */
export interface Traveller extends Required<Handlers> {
  /** If false, the traveller opens no links and approves nothing. */
  willing: boolean;
  /** Returns the questions since the last call, and clears the log. */
  readLog: () => string[];
}

export function makeTraveller(): Traveller {
  let log: string[] = [];
  const traveller: Traveller = {
    willing: true,
    readLog: () => {
      const entries = log;
      log = [];
      return entries;
    },
    onForm: ({ message, requestedSchema: { properties } }) => {
      log.push(`form: ${message}`);
      if ('class' in properties) return accept({ class: 'first' });
      return accept('stars' in properties ? { stars: 5 } : { confirm: traveller.willing });
    },
    onLink: ({ message, url }) => {
      log.push(`link: ${message} ${url}`);
      return traveller.willing ? { action: 'accept' } : decline;
    },
    onSample: ({ messages }) => {
      const [content] = [messages[0]?.content].flat();
      log.push(`model: ${content?.type === 'text' ? content.text : 'no text'}`);
      return 'the tiles of Madre de Deus';
    },
    onRoots: () => {
      log.push('roots: all');
      return ['file:///home/ada/trips'];
    },
  };
  return traveller;
}
