/**
 * A program that finishes a saved call and prints the result. Its arguments are the URL of the
 * server, the file with the call, and the answers of each round as JSON.
 */
import { readFile } from 'node:fs/promises';
import { Client, StreamableHTTPClientTransport } from '@modelcontextprotocol/client';

import { type Answers, type Call, resumeCall } from '../../src/client.js';

const [url, file, ...rounds] = process.argv.slice(2) as [string, string, ...string[]];

const client = new Client(
  { name: 'another process', version: '1.0.0' },
  { capabilities: { elicitation: {} }, versionNegotiation: { mode: 'auto' } },
);
await client.connect(new StreamableHTTPClientTransport(new URL(url)));

let call: Call = resumeCall(client, await readFile(file, 'utf8'));
for (const answers of rounds) {
  if (!call.done) call = await call.answer(JSON.parse(answers) as Answers);
}
process.stdout.write(JSON.stringify(call));
await client.close();
