/** Reports the messages that a client sends and receives. */
import type { Client } from '@modelcontextprotocol/client';
import type { WireNews } from '../protocol.js';
import { copyJson } from './printValue.js';

interface Message {
  readonly method?: unknown;
  readonly id?: unknown;
}

/** Reports every message of a connected client from now on. */
export function watchWire({ transport }: Client, tell: (news: WireNews) => void): void {
  if (transport === undefined) return;
  const listings = new Set<unknown>();
  const note = (to: WireNews['to'], message: Message): void => {
    // The client asks for the definition of the tool before the call, which is not part of it.
    if (message.method === 'tools/list') listings.add(message.id);
    if (listings.has(message.id) && message.method !== 'tools/call') return;
    tell({ type: 'wire', to, at: Date.now(), message: copyJson(message) });
  };
  const deliver = transport.onmessage;
  transport.onmessage = (message, extra) => {
    note('client', message);
    deliver?.(message, extra);
  };
  const send = transport.send.bind(transport);
  transport.send = (message, options) => {
    for (const one of [message].flat()) note('server', one);
    return send(message, options);
  };
}
