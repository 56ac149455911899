/** Stands for the cloud: every request is an event for a process of its own. */
import { spawn } from 'node:child_process';
import { createServer } from 'node:http';
import { text } from 'node:stream/consumers';

const gateway = createServer(async (request, response) => {
  const { method, url, headers } = request;
  const body = await text(request);
  const event = {
    rawPath: url,
    headers,
    requestContext: { http: { method } },
    ...(body && { body }),
  };
  const invocation = spawn(process.execPath, ['invoke.js'], { stdio: ['pipe', 'pipe', 'inherit'] });
  invocation.stdin.end(JSON.stringify(event));
  const answer = JSON.parse(await text(invocation.stdout));
  response.writeHead(answer.statusCode, answer.headers).end(answer.body);
});

gateway.listen(Number(process.env.PORT), '127.0.0.1', () => {
  console.log(`http://127.0.0.1:${gateway.address().port}`);
});
