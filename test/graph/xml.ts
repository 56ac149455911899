/**
 * A strict XML reader. It requires matching tags, quoted attributes without repetition, escaped `<`
 * and `&`, and only characters that XML allows.
 */

/** An element of a document. */
export interface Element {
  readonly name: string;
  readonly attributes: Readonly<Record<string, string>>;
  /** The text directly inside the element. */
  text: string;
  readonly parent: Element | undefined;
}

const TOKEN =
  /<(?<close>\/?)(?<name>[a-zA-Z]+)(?<attributes>(?:\s+[a-zA-Z:-]+="[^"<]*")*)\s*(?<empty>\/?)>|(?<text>[^<]+)|(?<bad>[^])/gu;
const CHARACTERS = /^[\t\n\r\u0020-\ud7ff\ue000-\ufffd\u{10000}-\u{10ffff}]*$/u;

/** Returns all elements of a document, in order. */
export function readXml(document: string): Element[] {
  if (!CHARACTERS.test(document)) throw new Error('a character that XML does not allow');
  const elements: Element[] = [];
  let open: Element | undefined;
  for (const { groups = {} } of document.matchAll(TOKEN)) {
    const { close, name = '', attributes = '', empty, text, bad } = groups;
    if (bad !== undefined) throw new Error(`a bare ${bad}`);
    if (text !== undefined) {
      if (open !== undefined) open.text += unescaped(text);
      else if (text.trim() !== '') throw new Error(`text outside: ${text}`);
    } else if (close === '/') {
      if (open?.name !== name) throw new Error(`</${name}> closes <${open?.name ?? 'nothing'}>`);
      open = open.parent;
    } else {
      const element = { name, attributes: attributesOf(attributes), text: '', parent: open };
      elements.push(element);
      if (empty === '') open = element;
    }
  }
  if (open !== undefined) throw new Error(`<${open.name}> is not closed`);
  return elements;
}

function attributesOf(text: string): Record<string, string> {
  const pairs = [...text.matchAll(/([a-zA-Z:-]+)="([^"]*)"/g)].map(
    ([, name = '', value = '']): [string, string] => [name, unescaped(value)],
  );
  if (new Set(pairs.map(([name]) => name)).size < pairs.length) throw new Error(`twice: ${text}`);
  return Object.fromEntries(pairs);
}

const ENTITIES: Readonly<Record<string, string>> = {
  '&amp;': '&',
  '&lt;': '<',
  '&gt;': '>',
  '&quot;': '"',
  '&#39;': "'",
};

function unescaped(text: string): string {
  return text.replace(/&[^;\s]*;?/g, (entity) => {
    const character = ENTITIES[entity];
    if (character === undefined) throw new Error(`a bare &: ${entity}`);
    return character;
  });
}
