import { toolHandler } from 'mcp-resolve';
import type { ToolExtraArguments } from 'xmcp';

import { PayInput, payInvoice } from '../../payInvoice';
import { contextOf } from '../contextOf';

const handler = toolHandler(payInvoice, { protocolVersion: '2026-07-28' });

export const { shape: schema } = PayInput;

export const metadata = { name: payInvoice.name, description: payInvoice.description };

export default function payInvoiceTool(args: object, extra: ToolExtraArguments) {
  return handler(args, contextOf(extra));
}
