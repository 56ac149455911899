/** The server of the stdio tests, as a program of its own. */
import { serveStdio } from '../../src/node.js';
import { askingFactory } from './askingServer.js';

const { factory, witness } = askingFactory();
serveStdio(factory);

const signal = await witness.hanging;
process.stderr.write('hanging\n');
signal.addEventListener('abort', () => process.stderr.write('aborted\n'));
