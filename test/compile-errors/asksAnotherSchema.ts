// This function asks another question than `asks` declares. Write { asks: 'form' }.
import { elicit, resolver } from 'mcp-resolve';
import * as z from 'zod';

const Size = z.object({ size: z.string() });
const Colour = z.object({ colour: z.string() });

export const size = resolver(
  {},
  // Mistake:
  () => elicit('Which size?', Size),
  { asks: Colour },
);
