/**
 * Finds definitions inside a factory, from the source code of a module. A factory is a function
 * that creates a server. Over HTTP it runs for every request. The search does not follow calls. The
 * option `--factory` finds such definitions by calling the factory.
 */

/** A definition inside a function that creates a server. */
export interface InsideFactory {
  /** The name of the function that creates it, such as `defineTool`. */
  readonly call: string;
  readonly line: number;
}

/** Finds the definitions inside factories, in JavaScript or TypeScript source code. */
export function definitionsInFactories(source: string): InsideFactory[] {
  const code = withoutTexts(source);
  const factories = blocksIn(code).filter((block) => isFactory(code.slice(...block)));
  return [...code.matchAll(/\bdefine(?:Tool|Prompt|Resource)(?=\s*\()/g)]
    .filter(({ index }) => factories.some(([start, end]) => start < index && index < end))
    .map(({ 0: call, index }) => ({ call, line: code.slice(0, index).split('\n').length }));
}

/** Returns true for a function body that creates a server and does not connect it. */
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

/**
 * Returns true for the head of a function: an arrow, or parameters without a keyword such as `if`.
 */
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

/** Blanks out everything that is not code. Positions and lines stay the same. */
export function withoutTexts(source: string): string {
  return source.replace(TEXTS, (text) => text.replace(/[^\n]/g, ' '));
}
