/**
 * Lines for a terminal: wrapped to its width, with a little colour. Nothing is wrapped where the
 * output is no terminal; nothing is coloured there, nor where NO_COLOR is set.
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

/** What stands before a line that continues a labelled one. */
export const INDENT = ' '.repeat(LABEL_WIDTH + 2);

/** Prints `text` in a column behind a label. */
export function printLabelled(label: string, text: string, paint = plain): void {
  const lines = wrap(text, isTTY ? columns - INDENT.length : Infinity).map(paint);
  console.log(`${dim(label.padStart(LABEL_WIDTH))}  ${lines.join(`\n${INDENT}`)}`);
}

/** Breaks a text between words. */
function wrap(text: string, width: number): string[] {
  const lines: string[] = [];
  for (const word of text.split(' ')) {
    const line = lines.at(-1);
    if (line === undefined || line.length + 1 + word.length > width) lines.push(word);
    else lines[lines.length - 1] = `${line} ${word}`;
  }
  return lines;
}
