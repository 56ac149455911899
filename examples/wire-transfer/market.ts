/** The exchange rate. It changes with every quote. */
import * as z from 'zod';

/** A quote for an amount of dollars. */
export const Quote = z.object({
  rate: z.number().describe('Euros for one dollar'),
  fee_cents: z.int(),
  charged_cents: z.int().describe('In euro cents, including the fee'),
});

const FEE_CENTS = 150;
let pips = 9200;

/** Returns a quote at the current rate. */
export function quoteFor(usd: number): z.infer<typeof Quote> {
  pips += 1;
  const charged_cents = Math.round((usd * pips) / 100) + FEE_CENTS;
  return { rate: pips / 10_000, fee_cents: FEE_CENTS, charged_cents };
}

/** Formats cents. */
export function shown(cents: number): string {
  return (cents / 100).toFixed(2);
}
