/** A proxy that passes each request on to the next of the servers, whose URLs are its arguments. */
import { Agent, createServer, request } from 'node:http';

import { listenOn, report } from './reporting.js';

const urls = process.argv.slice(2);
const agent = new Agent({ keepAlive: true });
let requests = 0;

const server = createServer((incoming, response) => {
  const url = new URL(urls[requests % urls.length] ?? '');
  requests += 1;
  const headers = { ...incoming.headers, host: url.host };
  const forwarded = request(url, { method: 'POST', agent, headers }, (answer) => {
    response.writeHead(answer.statusCode ?? 502, answer.headers);
    answer.pipe(response);
  });
  incoming.pipe(forwarded);
});

report(await listenOn(server));
