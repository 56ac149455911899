/** Reports the messages that a client sends and receives. */
import type { Client } from '@modelcontextprotocol/client';
import type { WireNews } from '../protocol.js';
import { copyJson } from './printValue.js';

/** Reports every message of a connected client from now on. */
export function watchWire({ transport }: Client, tell: (news: WireNews) => void): void {
  if (transport === undefined) return;
  const note = (to: WireNews['to'], message: unknown): void =>
    tell({ type: 'wire', to, at: Date.now(), message: copyJson(message) });
  const deliver = transport.onmessage;
  transport.onmessage = (message, extra) => {
    note('client', message);
    deliver?.(message, extra);
  };
  const send = transport.send.bind(transport);
  transport.send = (message, options) => {
    note('server', message);
    return send(message, options);
  };
}
