/** Creates the sidebars: the guide with the pages of the project, and the examples. */
import type { DefaultTheme } from 'vitepress';

import { type Entry, type Group, PROJECT, readExamples, readGuide } from '../contents.js';
import { placeOf } from '../pages.js';

/** Returns the sidebars by the paths of their pages. */
export function sidebars(): DefaultTheme.SidebarMulti {
  const guide = [...readGuide(), PROJECT].map(groupItem);
  return { '/examples/': readExamples().map(groupItem), '/': guide };
}

function groupItem({ title, entries }: Group): DefaultTheme.SidebarItem {
  return { text: title, items: entries.map(entryItem) };
}

function entryItem({ title, file }: Entry): DefaultTheme.SidebarItem {
  return { text: htmlOf(title), link: `/${placeOf(file)}` };
}

/** Converts a title in Markdown. Titles contain code, and no other markup. */
function htmlOf(title: string): string {
  const text = title.replaceAll('&', '&amp;').replaceAll('<', '&lt;');
  return text.replace(/`([^`]+)`/g, '<code>$1</code>');
}
