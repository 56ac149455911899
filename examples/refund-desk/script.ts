/** Six refunds that a model requests, and the user's answers. */
import type { ElicitResult } from '@modelcontextprotocol/client';

import { accept, decline, type Form } from '../support/connect.js';

export type Topic = 'scope' | 'restock';

export interface Refund {
  order_id: string;
  reason: string;
  answers: Partial<Record<Topic, ElicitResult>>;
}

export const refunds = {
  corrupted: { order_id: 'ORD-7001', reason: 'download corrupted', answers: {} },
  broken: {
    order_id: 'ORD-7002',
    reason: 'arrived broken',
    answers: { scope: accept({ full: true }), restock: accept({ restock: true }) },
  },
  wrongColour: {
    order_id: 'ORD-7002',
    reason: 'wrong colour',
    answers: { scope: accept({ full: false, sku: 'canvas-tote' }), restock: decline },
  },
  lost: {
    order_id: 'ORD-7002',
    reason: 'lost parcel',
    answers: { scope: accept({ full: false, sku: 'mystery-hat' }) },
  },
  changedMind: { order_id: 'ORD-7002', reason: 'changed mind', answers: { scope: decline } },
  typo: { order_id: 'ORD-9999', reason: 'typo', answers: {} },
} satisfies Record<string, Refund>;

/** Returns the topic of a form, from its fields. */
export function topicOf({ requestedSchema }: Form): Topic {
  return 'full' in requestedSchema.properties ? 'scope' : 'restock';
}
