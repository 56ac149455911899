// missing the following properties from type 'CallContext': signal, callId
import { defineTool } from 'mcp-resolve';
import type { CallContext } from 'mcp-resolve';

const pay = (ctx: CallContext): string => `paid under ${ctx.callId}`;

export const tool = defineTool('pay', {}, (_, ctx) =>
  pay(
    // Mistake:
    { ...ctx },
  ),
);
