/** Creates the sidebar: the guide in its order, then the examples and the pages of the project. */
import type { DefaultTheme } from 'vitepress';

import { type Entry, EXAMPLES, type Group, PROJECT, read } from '../contents.js';
import { listFiles, placeOf } from '../pages.js';

type Item = DefaultTheme.SidebarItem;

/** Returns the sidebar. The generated pages of the API end the group of the reference. */
export function sidebarOf(guide: readonly Group[]): Item[] {
  const groups = guide.map(groupItem);
  groups.find(({ text }) => text === 'Reference')?.items?.push(apiItem());
  return [...groups, examplesItem(), groupItem(PROJECT)];
}

function groupItem({ title, entries }: Group): Item {
  return { text: title, items: entries.map(entryItem) };
}

function entryItem({ title, file }: Pick<Entry, 'title' | 'file'>): Item {
  return { text: htmlOf(title), link: `/${placeOf(file)}` };
}

/** The generated pages, in the order of "exports" in package.json. */
function apiItem(): Item {
  const { exports } = JSON.parse(read('package.json')) as { exports: Record<string, unknown> };
  const names = Object.keys(exports).filter((name) => name !== './package.json');
  const items = names.map((name) => {
    const module = `mcp-resolve${name.slice(1)}`;
    return { text: htmlOf(`\`${module}\``), link: `/api/${module}.md` };
  });
  return { text: 'Signatures and types', link: '/api/', collapsed: true, items };
}

function examplesItem(): Item {
  const files = listFiles().filter((file) => /^examples\/.+\/README\.md$/.test(file));
  const titles = files.map((file) => ({ title: titleOf(file), file }));
  return { text: EXAMPLES.title, link: `/${placeOf(EXAMPLES.file)}`, items: titles.map(entryItem) };
}

function titleOf(file: string): string {
  return /^# (.+)$/m.exec(read(file))?.[1] ?? file;
}

/** Converts a title in Markdown. Titles contain code, and no other markup. */
function htmlOf(title: string): string {
  const text = title.replaceAll('&', '&amp;').replaceAll('<', '&lt;');
  return text.replace(/`([^`]+)`/g, '<code>$1</code>');
}
