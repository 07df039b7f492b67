import { expect, type Row } from '../row.ts';
import { allInWords, inWords, known, type Session } from '../session.ts';

const atOnce = 10;

export const refundRows: readonly Row[] = [
  {
    promise: 'the same refund key gives money back once, for ever',
    plays: `${atOnce} refunds under one key at once, and two more`,
    takes: 1,
    async play(session) {
      const payment = await session.paid();
      const refund = session.newRefund(payment, partOf(session));
      const outcomes = await session.refundAtOnce(refund, atOnce);
      for (let nth = 1; nth <= 2; nth += 1) outcomes.push(await session.refund(refund));
      const isGiven = outcomes.every(({ kind }) => kind === 'succeeded');
      expect(isGiven, `/refunds says under one key: ${allInWords(outcomes)}`);
      const listed = await session.listed();
      const { length } = listed.filter(({ idempotencyKey }) => idempotencyKey === refund.idempotencyKey);
      expect(length <= 1, `/movements lists ${length} refunds under one key`);
    },
  },
  {
    promise: 'the same refund key gives money back once, for ever',
    plays: '/refunds/inquire says not_found before, and the outcome after',
    takes: 0,
    async play(session) {
      const refund = session.newRefund(session.first, partOf(session));
      const before = await session.inquireRefund(refund);
      expect(before.kind === 'not_found', `before the refund, /refunds/inquire says ${before.kind}`);
      const outcome = await session.refund(refund);
      expect(outcome.kind === 'succeeded', `/refunds of a part of a payment says ${outcome.kind}`);
      const after = await session.inquireRefund(refund);
      expect(after.kind === outcome.kind, `/refunds says ${outcome.kind}, /refunds/inquire says ${after.kind}`);
    },
  },
  {
    promise: 'No more is given back than was taken',
    plays: 'a refund of more than the charge, and one after all was given back',
    takes: 1,
    async play(session) {
      const payment = await session.paid();
      const { totalAmount } = payment.request;
      const larger = await known(session.refund(session.newRefund(payment, totalAmount + 1)));
      expect(larger?.kind !== 'succeeded', '/refunds gives back more than was taken');
      const whole = await session.refund(session.newRefund(payment, totalAmount));
      expect(whole.kind === 'succeeded', `/refunds of the whole charge says ${inWords(whole)}`);
      const further = await known(session.refund(session.newRefund(payment, totalAmount)));
      expect(further?.kind !== 'succeeded', '/refunds gives the whole charge back twice, under two keys');
    },
  },
];

/** A quarter of a payment, which can be given back more than once. */
export function partOf({ options }: Session): number {
  return Math.max(1, Math.floor(options.amount / 4));
}

/** What this run has taken is given back, whatever the other rows have found. */
export const giveBackRow: Row = {
  promise: 'paid, or given back',
  plays: 'what this run has taken is given back',
  takes: 0,
  async play(session) {
    const listed = await session.listed().catch(() => []);
    const open: string[] = [];
    for (const payment of session.payments) {
      const state = await known(session.inquire(payment));
      const isOver = state !== null && ['failed', 'canceled', 'not_charged', 'requires_action'].includes(state.kind);
      if (isOver) continue;
      const { reference, request } = payment;
      const givenIn = (movements: typeof listed) =>
        movements
          .filter((each) => each.kind === 'refund' && each.reference === reference)
          .reduce((sum, { amount }) => sum + amount, 0);
      const rest = request.totalAmount - Math.max(givenIn(listed), givenIn(session.told));
      if (rest <= 0) continue;
      const outcome = await known(session.refund(session.newRefund(payment, rest)));
      if (outcome?.kind !== 'succeeded') open.push(`${rest} of ${reference}`);
    }
    expect(open.length === 0, `give back by hand what may have been taken (in minor units): ${open.join(', ')}`);
  },
};
