/**
 * Prints lines that are wrapped to the width of the terminal, with colours. If the output is not a
 * terminal, the lines are plain. NO_COLOR turns the colours off.
 */
const { isTTY, columns } = process.stdout;
const colourful = isTTY && !process.env.NO_COLOR;

const style = (open: number, close: number) => (text: string) =>
  colourful ? `\u001B[${open}m${text}\u001B[${close}m` : text;

export const bold = style(1, 22);
export const red = style(31, 39);
export const green = style(32, 39);
const dim = style(2, 22);
const plain = (text: string): string => text;

const LABEL_WIDTH = 12;

/** The indentation of a line that continues a labelled line. */
export const INDENT = ' '.repeat(LABEL_WIDTH + 2);

/** A terminal with less room for text wraps it itself. Some pseudo-terminals report 0 columns. */
const LEAST_WIDTH = 20;
const room = columns - INDENT.length;
const width = isTTY && room >= LEAST_WIDTH ? room : Infinity;

/** Prints `text` in a column after a label. */
export function printLabelled(label: string, text: string, paint = plain): void {
  const lines = wrap(text).map(paint);
  console.log(`${dim(label.padStart(LABEL_WIDTH))}  ${lines.join(`\n${INDENT}`)}`);
}

/** Breaks a string between words. */
function wrap(text: string): string[] {
  const lines: string[] = [];
  for (const word of text.split(' ')) {
    const line = lines.at(-1);
    if (line === undefined || line.length + 1 + word.length > width) lines.push(word);
    else lines[lines.length - 1] = `${line} ${word}`;
  }
  return lines;
}
