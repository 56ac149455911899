/** Tests the first page of the site against the README and the pages that prove its promises. */
import { describe, expect, it } from 'vitest';

import { read } from '../../site/contents.js';

const landing = read('site/landing.md');
const readme = read('README.md');

describe('the landing page', () => {
  it.each(['json', 'ts'])('shows the %s of the README', (language) => {
    const tested = compact(blocksOf(readme, language).join('\n'));
    const parts = blocksOf(landing, language).flatMap((block) => block.split(/\n\n/));

    expect(parts.length).toBeGreaterThan(0);
    expect(parts.filter((part) => !tested.includes(compact(part)))).toEqual([]);
  });

  it('shows what the README says about each answer', () => {
    const said = [
      'Pay 900 euros for INV-2?',
      'the body runs with the 900 euros that the user saw',
      'The model reads that the user declined',
      'The second request receives the recorded result, or an error while the first one still runs.',
      'Invalid or expired requestState',
    ];

    for (const text of [landing, readme])
      expect(said.filter((words) => !text.toLowerCase().includes(words.toLowerCase()))).toEqual([]);
  });

  it('has the counts of the last soaks', () => {
    const calls = numbersIn(rowOf('docs/reliability.md', 'calls'));
    const total = calls.reduce((sum, count) => sum + count, 0);

    expect(numbersIn(rowOf('docs/reliability.md', 'bodies that ran twice'))).toEqual([0, 0, 0, 0]);
    expect(landing).toContain(`**0 of ${total.toLocaleString('en')} calls** ran a body twice`);
  });

  it('has the counts of the conformance suite', () => {
    const [modern, legacy] = ['2026-07-28', '2025-11-25'].map(requiredOver) as [number, number];
    const total = modern + legacy;

    expect(landing).toContain(`**${total} of ${total} scenarios**`);
    expect(landing).toContain(`${modern} of 2026-07-28, and ${legacy} of 2025-11-25.`);
  });

  it('names the cipher and the ratio of the pages that it links to', () => {
    expect(landing).toContain('AES-256-GCM');
    expect(read('SECURITY.md')).toContain('AES-256-GCM');
    expect(landing).toContain(
      '**10,000 tools** on a server cost a call no more CPU time than one.',
    );
    expect(read('docs/performance.md')).toMatch(
      /A call on a server with 10,000 tools takes 1\.0 times as much on Node \d+/,
    );
  });
});

/** Returns the code blocks in a language. */
function blocksOf(text: string, language: string): string[] {
  const blocks = text.matchAll(new RegExp(`^\`\`\`${language}\\n(.*?)^\`\`\``, 'gms'));
  return Array.from(blocks, ([, code = '']) => code);
}

/** Removes what a narrow column changes: comments, line breaks and trailing commas. */
function compact(code: string): string {
  return code
    .replace(/\/\/.*$/gm, '')
    .replace(/\s+/g, '')
    .replace(/,(?=[)}])/g, '');
}

/** Returns the number of scenarios of a protocol that are required and pass over HTTP. */
function requiredOver(version: string): number {
  const row = new RegExp(`\\| ${version}, HTTP +\\| all (\\d+) required scenarios`);
  return Number(row.exec(read('docs/compatibility.md'))?.[1]);
}

/** Returns the row of a table by its first cell. */
function rowOf(file: string, title: string): string {
  return read(file)
    .split('\n')
    .filter((line) => line.startsWith(`| ${title} `))
    .join();
}

function numbersIn(row: string): number[] {
  return Array.from(row.matchAll(/[\d,]+/g), ([digits]) => Number(digits.replaceAll(',', '')));
}
