import { setTimeout as pause } from 'node:timers/promises';
import type { ProcessorEntry } from '../../../src/domain/ledger/processor-entries.ts';
import { expect, NotOffered, NotTried, type Row } from '../row.ts';
import type { Session } from '../session.ts';
import { partOf } from './refunds.ts';

/** An acquirer may take its time; a service that has no books is not waited for longer. */
const settledWithinMs = 20_000;
const everyMs = 1_000;

export const bookRows: readonly Row[] = [
  {
    promise: 'What a charge and a refund come to is in the list once it is known',
    plays: 'the settlements of a charge and of a refund of a part: amount, sign, currency, key and reference',
    takes: 1,
    async play(session) {
      const payment = await session.paid();
      const { totalAmount, currency, idempotencyKey: key } = payment.request;
      const refund = session.newRefund(payment, partOf(session));
      await session.refund(refund);
      const found = await settlementsOf(session, [key, refund.idempotencyKey]);
      for (const [of, amount] of [
        [key, totalAmount],
        [refund.idempotencyKey, 0 - refund.amount],
      ] as const) {
        const settlement = found.find(({ idempotencyKey }) => idempotencyKey === of);
        expect(settlement !== undefined, `/movements has no settlement of ${of}, and has others`);
        expect(settlement.amount === amount, `the settlement of ${of} is of ${settlement.amount}, not ${amount}`);
        expect(settlement.currency === currency, `the settlement of ${of} is in ${settlement.currency}`);
        const { reference } = settlement;
        expect(reference === payment.reference, `the settlement of ${of} names ${reference}, not ${payment.reference}`);
      }
    },
  },
  {
    promise: 'An entry is listed again only to say its payout',
    plays: 'each entry of this run has one id, one amount, one fee, and one payout at most',
    takes: 0,
    async play(session) {
      const { entries } = await booked(session);
      if (entries.length === 0) throw new NotOffered('the list says nothing of the books of the service');
      for (const entry of entries) {
        const wrong = entries.find((other) => other.id === entry.id && !isSame(entry, other));
        expect(wrong === undefined, `/movements lists the entry ${entry.id} twice, and not the same`);
      }
      const settlements = entries.filter(({ kind }) => kind === 'settlement');
      for (const { idempotencyKey: key, amount, id } of settlements) {
        const other = settlements.find((each) => {
          return each.idempotencyKey === key && each.id !== id && each.amount > 0 === amount > 0;
        });
        expect(other === undefined, `/movements has two settlements of ${key}: ${id} and ${other?.id}`);
      }
    },
  },
  {
    promise: 'A payout is the sum of its items',
    plays: 'the payouts that were made during this run, as far as all their items were too',
    takes: 0,
    async play(session) {
      const { entries, payouts } = await booked(session);
      const ended = payouts.filter(({ id }) => entries.some(({ payout }) => payout === id));
      if (ended.length === 0) throw new NotOffered('no payout was made during this run');
      for (const { id, amount } of ended) {
        const items = new Map(entries.filter(({ payout }) => payout === id).map((entry) => [entry.id, entry]));
        const sum = [...items.values()].reduce((total, entry) => total + entry.amount - entry.fee, 0);
        if (sum < amount) throw new NotTried(`the payout ${id} has items from before this run`);
        expect(sum === amount, `the payout ${id} is of ${amount}, and its items are ${sum}`);
      }
    },
  },
];

async function booked(session: Session) {
  if (session.start === null) throw new NotTried('/movements gave no cursor when the run began');
  return session.movementsSince(session.start);
}

/** The settlements of these keys, once the service has one of them all. @throws NotOffered if it says of none */
async function settlementsOf(session: Session, keys: readonly string[]): Promise<ProcessorEntry[]> {
  const until = performance.now() + settledWithinMs;
  for (;;) {
    const { entries } = await booked(session);
    const found = entries.filter(
      ({ kind, idempotencyKey }) => kind === 'settlement' && keys.includes(idempotencyKey ?? ''),
    );
    const isWhole = keys.every((key) => found.some(({ idempotencyKey }) => idempotencyKey === key));
    const hasBooks = entries.length > 0;
    if (isWhole || (hasBooks && performance.now() > until)) return found;
    if (!hasBooks) throw new NotOffered('the list says nothing of the books of the service');
    await pause(everyMs);
  }
}

function isSame(one: ProcessorEntry, other: ProcessorEntry): boolean {
  const isPayout = one.payout === null || other.payout === null || one.payout === other.payout;
  return isPayout && one.amount === other.amount && one.fee === other.fee && one.currency === other.currency;
}
