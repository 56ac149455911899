/** A program that opens a session and does nothing more: it has to end by itself. */
import { createDualEraHandler } from '../../src/node.js';
import { askingFactory } from './askingServer.js';
import { initialize, post } from './rawHttp.js';

const handler = createDualEraHandler(askingFactory().factory);
const response = await handler.fetch(post(initialize));
await response.text();
process.stdout.write(`${response.status}\n`);
