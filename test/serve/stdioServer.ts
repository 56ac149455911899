/** The program that the stdio tests start. */
import { serveStdio } from '../../src/node.js';
import { askingFactory } from './askingServer.js';

const { factory, observed } = askingFactory();
serveStdio(factory);

const signal = await observed.hanging;
process.stderr.write('hanging\n');
signal.addEventListener('abort', () => process.stderr.write('aborted\n'));
