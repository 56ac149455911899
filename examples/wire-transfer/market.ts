/** What dollars cost. Here the rate has moved every time somebody looks at it. */
import * as z from 'zod';

/** An offer: what is charged for an amount of dollars. */
export const Quote = z.object({
  rate: z.number().describe('Euros for one dollar'),
  fee_cents: z.int(),
  charged_cents: z.int().describe('In euros, with the fee'),
});

const FEE_CENTS = 150;
let pips = 9200;

/** Makes an offer at the rate of this moment. */
export function quoteFor(usd: number): z.infer<typeof Quote> {
  pips += 1;
  const charged_cents = Math.round((usd * pips) / 100) + FEE_CENTS;
  return { rate: pips / 10_000, fee_cents: FEE_CENTS, charged_cents };
}

/** Cents as people read them. */
export function shown(cents: number): string {
  return (cents / 100).toFixed(2);
}
