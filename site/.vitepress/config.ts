/** Configures the site. The order of the guide is that of `docs/guide/README.md`. */
import { defineConfig } from 'vitepress';

import { read } from '../contents.js';
import { CODE_THEME } from './code.js';
import { imageParagraphs, mermaidFences, slugOf } from './markdown.js';
import { sidebars } from './sidebar.js';

const TITLE = 'mcp-resolve';
const LOGO = `data:image/svg+xml,${encodeURIComponent(read('site/.vitepress/theme/logo.svg'))}`;
const { description } = JSON.parse(read('package.json')) as { description: string };

export default defineConfig({
  lang: 'en',
  title: TITLE,
  description,
  srcDir: '.pages',
  outDir: 'dist',
  head: [['link', { rel: 'icon', href: LOGO }]],
  // The browser shows the name of the library once.
  transformPageData: ({ title }) => (title === TITLE ? { titleTemplate: false } : undefined),
  vite: { build: { chunkSizeWarningLimit: 1024 } },
  markdown: {
    theme: CODE_THEME,
    // The anchors of GitHub, because the same links must work there.
    anchor: { slugify: slugOf },
    config: (md) => md.use(mermaidFences).use(imageParagraphs),
  },
  themeConfig: {
    nav: [
      { text: 'Guide', link: '/guide/', activeMatch: '^/(guide/(?!api)|overview)' },
      { text: 'API', link: '/guide/api.md', activeMatch: '^/guide/api' },
      { text: 'Examples', link: '/examples/', activeMatch: '^/examples/' },
    ],
    sidebar: sidebars(),
    outline: [2, 3],
    notFound: {
      title: 'This page does not exist',
      quote: 'The address may have changed. Search for the page, or start at the first one.',
      linkText: 'Go to the first page',
    },
    search: {
      provider: 'local',
      options: { miniSearch: { searchOptions: { boostDocument: rank } } },
    },
  },
});

/**
 * Orders the results of the search: first the page that is named like the term, then the guide.
 * VitePress sends this function to the browser.
 */
function rank(page: string, term: string): number {
  if (!page.includes('/guide/')) return 1;
  return page.includes(`/${term}.`) ? 4 : 2;
}
