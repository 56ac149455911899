/** Tests the list of pages: `llms.txt`, and the links between the files of the package. */
import { describe, expect, it } from 'vitest';

import { parseGroups, PROJECT, read, readExamples, readGuide } from '../../site/contents.js';
import { llmsText } from '../../site/llms.js';
import { collectPages, rewriteLinks } from '../../site/pages.js';

describe('llms.txt', () => {
  it('is what `npm run docs -- llms` writes', () => {
    expect(read('llms.txt')).toBe(llmsText());
  });
});

describe('the Markdown files of the package', () => {
  it('link to each other, to images and to examples only', () => {
    expect(collectPages().deadLinks).toEqual([]);
  });
});

describe('the sidebar', () => {
  it('has at most seven pages in each group', () => {
    const groups = [...readGuide(), ...readExamples(), PROJECT];
    const large = groups.filter(({ entries }) => entries.length > 7);

    expect(large.map(({ title }) => title)).toEqual([]);
  });
});

describe('parseGroups', () => {
  it('reads headings as groups and links as pages', () => {
    const text = '# Guide\n\n## Ask\n\n- [A `form`](forms.md): schemas\n- [Deploy](../deploy.md)\n';

    expect(parseGroups(text, 'docs/guide/README.md')).toEqual([
      {
        title: 'Ask',
        entries: [
          { title: 'A `form`', file: 'docs/guide/forms.md', description: 'schemas' },
          { title: 'Deploy', file: 'docs/deploy.md', description: undefined },
        ],
      },
    ]);
  });

  it('refuses an item that is not a link to a page', () => {
    expect(() => parseGroups('## Ask\n\n- Forms\n', 'docs/guide/README.md')).toThrow(
      "'- Forms' in docs/guide/README.md is not a link to a page",
    );
  });
});

describe('rewriteLinks', () => {
  const rewrite = (text: string): string =>
    rewriteLinks(text, 'docs/guide/page.md', (link) =>
      link === 'nothing.md' ? undefined : `docs/${link}`,
    );

  it('leads links and images to their places on the site', () => {
    expect(rewrite('[Keys](deploy.md#keys) <img src="pay.svg">')).toBe(
      '[Keys](../deploy.md#keys) <img src="./../pay.svg">',
    );
  });

  it('keeps code, links to other sites and links to no file', () => {
    const text = [
      '`[a](b.md)` [b](https://example.com/c.md) [d](#e) [f](nothing.md)',
      '```md',
      '[g](h.md)',
      '```',
    ].join('\n');

    expect(rewrite(text)).toBe(text);
  });

  it('rewrites a link whose text is code', () => {
    expect(rewrite('[`once`](once.md)')).toBe('[`once`](../once.md)');
  });
});
