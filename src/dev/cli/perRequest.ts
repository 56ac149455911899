/**
 * Finds definitions that are made inside a factory, from the source text of the module: a function
 * that makes a server and also a definition. Over HTTP such a function runs for every request. The
 * search does not follow calls; `--factory` finds those definitions by calling the factory.
 */

/** A definition inside a function that makes a server. */
export interface InsideFactory {
  /** The call that makes it. */
  readonly call: string;
  readonly line: number;
}

/** Finds them in the source text of a module, JavaScript or TypeScript. */
export function definitionsInFactories(source: string): InsideFactory[] {
  const code = withoutTexts(source);
  const factories = blocksIn(code).filter((block) => isFactory(code.slice(...block)));
  return [...code.matchAll(/\bdefine(?:Tool|Prompt|Resource)(?=\s*\()/g)]
    .filter(({ index }) => factories.some(([start, end]) => start < index && index < end))
    .map(({ 0: call, index }) => ({ call, line: code.slice(0, index).split('\n').length }));
}

/** Recognizes a function body that makes a server and leaves connecting it to the caller. */
function isFactory(body: string): boolean {
  return /\bnew\s+(?:Mcp)?Server\s*\(/.test(body) && !/\.connect\s*\(/.test(body);
}

type Block = readonly [start: number, end: number];

/** Returns the bodies of all functions. */
function blocksIn(code: string): Block[] {
  const open: { readonly start: number; readonly head: string }[] = [];
  const blocks: Block[] = [];
  let headStart = 0;
  for (const { 0: mark, index } of code.matchAll(/[;{}]/g)) {
    if (mark === '{') open.push({ start: index, head: code.slice(headStart, index) });
    const block = mark === '}' ? open.pop() : undefined;
    if (block !== undefined && isFunctionHead(block.head)) blocks.push([block.start, index]);
    headStart = index + 1;
  }
  return blocks;
}

/** Recognizes the head of a function: an arrow, or parameters without a keyword such as `if`. */
function isFunctionHead(head: string): boolean {
  if (/=>\s*$/.test(head)) return true;
  return (
    /\)\s*(?::[^;{}=]+)?$/.test(head) &&
    !/\b(?:if|for|while|switch|catch|with)\s*\((?:[^()]|\([^()]*\))*\)\s*$/.test(head)
  );
}

/** Comments, strings, templates and regular expressions, whose content is not code. */
const TEXTS =
  /\/\/[^\n]*|\/\*[^]*?\*\/|'(?:\\[^]|[^'\\\n])*'|"(?:\\[^]|[^"\\\n])*"|`(?:\\[^]|[^`\\])*`|(?<=[=(,:[!&|?{};]\s*)\/(?![*/])(?:\\.|\[(?:\\.|[^\]\\\n])*\]|[^/\\\n])+\//g;

/** Blanks out everything that is not code; positions and lines stay the same. */
function withoutTexts(source: string): string {
  return source.replace(TEXTS, (text) => text.replace(/[^\n]/g, ' '));
}
