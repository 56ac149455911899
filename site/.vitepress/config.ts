/** Configures the site. The order of the guide is that of `docs/guide/README.md`. */
import { defineConfig } from 'vitepress';

import { read, readGuide } from '../contents.js';
import { imageParagraphs, mermaidFences, slugOf } from './markdown.js';
import { sidebarOf } from './sidebar.js';

const { description } = JSON.parse(read('package.json')) as { description: string };

export default defineConfig({
  lang: 'en',
  title: 'mcp-resolve',
  description,
  srcDir: '.pages',
  outDir: 'dist',
  head: [['link', { rel: 'icon', href: 'data:,' }]],
  vite: { build: { chunkSizeWarningLimit: 1024 } },
  markdown: {
    theme: { light: 'github-light', dark: 'github-dark' },
    // The anchors of GitHub, because the same links must work there.
    anchor: { slugify: slugOf },
    config: (md) => md.use(mermaidFences).use(imageParagraphs),
  },
  themeConfig: {
    nav: [
      { text: 'Guide', link: '/guide/', activeMatch: '^/guide/(?!api)' },
      { text: 'API', link: '/guide/api.md', activeMatch: '^/(guide/)?api' },
      { text: 'Examples', link: '/examples/', activeMatch: '^/examples/' },
    ],
    sidebar: sidebarOf(readGuide()),
    outline: [2, 3],
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
