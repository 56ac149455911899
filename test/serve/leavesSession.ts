/** A program that opens a session and leaves it open. The process has to end nevertheless. */
import { createDualEraHandler } from '../../src/node.js';
import { askingFactory } from './askingServer.js';
import { initialize, post } from './rawHttp.js';

const handler = createDualEraHandler(askingFactory().factory);
const response = await handler.fetch(post(initialize));
await response.text();
process.stdout.write(`${response.status}\n`);
