/** The files of the page and the headers that keep it apart from the network and other sites. */
import { readFile } from 'node:fs/promises';
import { THEME } from '../../../theme.js';
import { styleSheet } from '../../graph/picture/style.js';

/** The headers of every response. The page loads nothing but its own files. */
export const HEADERS = {
  'cache-control': 'no-store',
  'content-security-policy':
    "default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self' data:; connect-src 'self'; base-uri 'none'; form-action 'none'; frame-ancestors 'none'",
  'cross-origin-opener-policy': 'same-origin',
  'cross-origin-resource-policy': 'same-origin',
  'referrer-policy': 'no-referrer',
  'x-content-type-options': 'nosniff',
};

interface PageFile {
  readonly type: string;
  readonly read: () => Promise<string> | string;
}

/** Reads a file of the bundle, which is beside the command. */
function readBundle(name: string): Promise<string> {
  return readFile(new URL(`./page/${name}`, import.meta.url), 'utf8');
}

const HTML = `<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<title>mcp-resolve dev</title>
<link rel="icon" href="data:,">
<link rel="stylesheet" href="page.css">
<script type="module" src="page.js"></script>
</head>
<body>
<div id="page"></div>
<noscript>This page needs JavaScript.</noscript>
</body>
</html>
`;

/** The files of the page, by method and name. */
export const FILES: ReadonlyMap<string, PageFile> = new Map([
  ['GET ', { type: 'text/html; charset=utf-8', read: () => HTML }],
  ['GET page.js', { type: 'text/javascript; charset=utf-8', read: () => readBundle('page.js') }],
  [
    'GET page.css',
    {
      type: 'text/css; charset=utf-8',
      read: async () => [THEME, styleSheet(), await readBundle('page.css')].join('\n'),
    },
  ],
]);
