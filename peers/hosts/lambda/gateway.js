/** Stands for the cloud: every request is an event for a process of its own. */
import { spawn } from 'node:child_process';
import { createServer } from 'node:http';
import { text } from 'node:stream/consumers';

const gateway = createServer(async (request, response) => {
  const { method, url: path, headers } = request;
  const body = await text(request);
  const event =
    path === '/v1' || path === '/express'
      ? {
          ...{ version: '1.0', resource: '/{proxy+}', path, httpMethod: method },
          ...{ headers: capitalised(headers), requestContext: { identity: {} } },
          ...{ body: Buffer.from(body).toString('base64'), isBase64Encoded: true },
        }
      : { version: '2.0', rawPath: path, headers, body, requestContext: { http: { method } } };
  if (body === '') delete event.body;
  const invocation = spawn(process.execPath, ['invoke.js'], { stdio: ['pipe', 'pipe', 'inherit'] });
  invocation.stdin.end(JSON.stringify(event));
  const answer = JSON.parse(await text(invocation.stdout));
  const { statusCode, headers: answered, multiValueHeaders = answered, isBase64Encoded } = answer;
  response.writeHead(statusCode, multiValueHeaders);
  response.end(answer.body && Buffer.from(answer.body, isBase64Encoded ? 'base64' : 'utf8'));
});

/** Returns headers with names such as `Content-Type`, which payload format 1.0 passes on. */
function capitalised(headers) {
  const entries = Object.entries(headers);
  const name = (lower) => lower.replace(/(^|-)[a-z]/g, (letter) => letter.toUpperCase());
  return Object.fromEntries(entries.map(([lower, value]) => [name(lower), value]));
}

gateway.listen(Number(process.env.PORT), '127.0.0.1', () => {
  console.log(`http://127.0.0.1:${gateway.address().port}`);
});
