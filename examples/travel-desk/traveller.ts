/** A traveller, with a model and a folder at hand, who can be asked everything and keeps a diary. */
import { accept, type Behind, decline } from '../support/connect.js';

/** Somebody for a client to have behind it, and what was asked since the diary was read last. */
export interface Traveller extends Required<Behind> {
  /** From now on: says yes, and opens links, or does neither. */
  willing: boolean;
  readDiary: () => string[];
}

export function makeTraveller(): Traveller {
  let diary: string[] = [];
  const note = (kind: string, what: string): void => void diary.push(`${kind}: ${what}`);
  const traveller: Traveller = {
    willing: true,
    readDiary: () => {
      const entries = diary;
      diary = [];
      return entries;
    },
    person: ({ message, requestedSchema: { properties } }) => {
      note('form', message);
      if ('class' in properties) return accept({ class: 'first' });
      return accept('stars' in properties ? { stars: 5 } : { confirm: traveller.willing });
    },
    opens: ({ message, url }) => {
      note('link', `${message} ${url}`);
      return traveller.willing ? { action: 'accept' } : decline;
    },
    model: ({ messages }) => {
      const [content] = [messages[0]?.content].flat();
      note('model', content?.type === 'text' ? content.text : 'no text');
      return 'the tiles of Madre de Deus';
    },
    roots: () => {
      note('roots', 'all');
      return ['file:///home/ada/trips'];
    },
  };
  return traveller;
}
