import { isDeepStrictEqual } from 'node:util';
import type { Movement } from '../../../src/processors/processor.ts';
import { expect, NotTried, type Row } from '../row.ts';
import { chargeMovement, type Session } from '../session.ts';
import { declinedRequest } from './charges.ts';
import { partOf } from './refunds.ts';

export const movementRows: readonly Row[] = [
  {
    promise: 'Without a cursor, the list is empty',
    plays: 'nothing of this run, and its cursor is the present end',
    takes: 0,
    async play(session) {
      const { movements, hasMore, cursor } = await session.client.movements(null);
      expect(movements.length === 0, `/movements without a cursor lists ${movements.length}`);
      expect(!hasMore, '/movements without a cursor says has_more');
      const ours = (await session.movementsSince(cursor)).movements.filter((each) => isOurs(session, each));
      expect(ours.length === 0, 'after the cursor of the present end, /movements lists what was there before');
    },
  },
  {
    promise: '`/movements` leaves nothing out',
    plays: 'each charge and refund of this run is in the list when its answer was sent',
    takes: 2,
    async play(session) {
      await session.listed();
      for (let nth = 1; nth <= 2; nth += 1) {
        const payment = await session.paid();
        expectListed(await session.listed(), chargeMovement(payment));
        if (nth === 1) await session.refund(session.newRefund(payment, partOf(session)));
      }
      const listed = await session.listed();
      for (const movement of session.told) expectListed(listed, movement);
    },
  },
  {
    promise: 'charges that are `succeeded` or `submitted`, and refunds that have `succeeded`',
    plays: 'a payment that is declined is not in the list',
    takes: 0,
    async play(session) {
      const payment = await session.reserve(declinedRequest(session));
      const outcome = await session.charge(payment);
      if (outcome.kind !== 'failed') throw new NotTried('the declined token was charged');
      const listed = (await session.listed()).filter(({ reference }) => reference === payment.reference);
      expect(listed.length === 0, '/movements lists a charge that was declined');
    },
  },
  {
    promise: "`cursor` is the processor's own mark of where the page ends",
    plays: 'the same cursor gives the same list, and each cursor goes on where it ends',
    takes: 2,
    async play(session) {
      const { start } = session;
      if (start === null) throw new NotTried('/movements gave no cursor when the run began');
      const before = await session.movementsSince(start);
      for (let nth = 1; nth <= 2; nth += 1) await session.paid();
      const whole = (await session.movementsSince(start)).movements;
      const again = (await session.movementsSince(start)).movements;
      const isSame = isDeepStrictEqual(again.slice(0, whole.length), whole);
      expect(isSame, 'two lists after the same cursor differ');
      const isGrown = isDeepStrictEqual(whole.slice(0, before.movements.length), before.movements);
      expect(isGrown, 'a list that was read before has changed: movements are not oldest first');
      const rest = (await session.movementsSince(before.cursor)).movements;
      const goesOn = isDeepStrictEqual(
        rest.slice(0, whole.length - before.movements.length),
        whole.slice(before.movements.length),
      );
      expect(goesOn, 'the list after a cursor is not what follows it in the whole list');
    },
  },
];

function isOurs(session: Session, { kind, idempotencyKey }: Movement): boolean {
  return session.told.some((each) => each.kind === kind && each.idempotencyKey === idempotencyKey);
}

/** How often it is there is judged by the rows of charges and refunds. */
function expectListed(listed: readonly Movement[], movement: Movement): void {
  const { kind, idempotencyKey } = movement;
  const found = listed.filter((each) => each.kind === kind && each.idempotencyKey === idempotencyKey);
  expect(found.length > 0, `/movements does not list the ${kind} under ${idempotencyKey}, which has succeeded`);
  for (const name of ['amount', 'currency', 'reference', 'paymentIntentId'] as const) {
    const wrong = found.find((each) => each[name] !== movement[name]);
    if (kind === 'refund' && name === 'reference' && wrong?.reference === null) continue;
    const [asked, said] = [movement[name], wrong?.[name]];
    expect(
      wrong === undefined,
      `/movements lists the ${kind} under ${idempotencyKey} with ${name} ${said}, not ${asked}`,
    );
  }
}
