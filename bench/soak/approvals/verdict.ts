/** Compares the bodies that began with what the people have done and seen. */
import type { Begin } from './ledger.js';
import type { Act, Order } from './people.js';
import { factOf } from './service.js';

/** Everything that is known about a run. */
export interface Evidence {
  readonly begins: readonly Begin[];
  readonly acts: readonly Act[];
  readonly orders: readonly Order[];
}

/** Returns a description of each violation. */
export function violationsIn({ begins, acts, orders }: Evidence): string[] {
  const quorums = new Map(orders.map(({ name, quorum }) => [name, quorum]));
  return [
    ...repeated(begins, ({ approval }) => approval).map((id) => `${id} ran two bodies`),
    ...repeated(begins, ({ call }) => call).map((id) => `call ${id} ran two bodies`),
    ...begins.flatMap((begin) => {
      const own = acts.filter(({ id }) => id === begin.approval);
      const problem = problemOf(begin, own, quorums.get(begin.order) ?? 1);
      return problem === undefined ? [] : [`${begin.approval} (${begin.order}) ${problem}`];
    }),
  ];
}

function repeated(begins: readonly Begin[], keyOf: (begin: Begin) => string): string[] {
  const seen = new Set<string>();
  return begins.map(keyOf).filter((key) => seen.size === seen.add(key).size);
}

function problemOf(begin: Begin, acts: readonly Act[], quorum: number): string | undefined {
  const persons = new Set(begin.approvedBy.map((who) => who.toLowerCase()));
  if (persons.size < quorum) return `ran with ${persons.size} of ${quorum} approvals`;
  const seen = factOf(begin.order, begin.cents);
  for (const person of persons) {
    const yes = acts.filter(
      ({ who, does, isMember, sentAt }) =>
        who === person && does === 'approve' && isMember && sentAt <= begin.at,
    );
    if (yes.length === 0) return `ran without the approval of ${person}`;
    const other = yes.find(({ saw }) => saw !== seen);
    if (other !== undefined) return `ran for ${seen}, and ${person} approved ${other.saw}`;
  }
  const no = acts.find(
    ({ does, answer, answeredAt = Infinity }) =>
      does !== 'approve' && answer?.counted === true && answeredAt < begin.at,
  );
  return no === undefined ? undefined : `ran after ${no.who} had it ended (${no.does})`;
}
