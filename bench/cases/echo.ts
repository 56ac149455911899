/**
 * The least that a server on `node:http` does: it reads a request and answers with one of the
 * bodies that are its arguments. The first is for a call, the second for its answer.
 */
import { createServer } from 'node:http';

import { listenOn, report } from './reporting.js';

const [asked, answered] = process.argv.slice(2).map((body) => Buffer.from(body));
const head = { 'content-type': 'application/json' };

const server = createServer((request, response) => {
  const chunks: Buffer[] = [];
  request.on('data', (chunk: Buffer) => chunks.push(chunk));
  request.on('end', () => {
    const asks = !Buffer.concat(chunks).includes('"inputResponses"');
    const body = (asks ? asked : answered) ?? Buffer.alloc(0);
    response.writeHead(200, { ...head, 'content-length': body.length });
    response.end(body);
  });
});

report(await listenOn(server));
