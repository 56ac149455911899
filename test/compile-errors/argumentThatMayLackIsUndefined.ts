// 'id' is possibly 'undefined'.
import { arg, argsOf, resolver } from 'mcp-resolve';
import * as z from 'zod';

const { order_id } = argsOf(z.object({ order_id: z.string() }));

// Mistake:
export const price = resolver({ id: arg.optional(order_id) }, ({ id }) => id.length);
