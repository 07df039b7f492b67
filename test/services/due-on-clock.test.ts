import assert from 'node:assert/strict';
import { setTimeout as pause } from 'node:timers/promises';
import { describe, it } from 'mocha';
import { dueOnClock } from '../../src/db/due-on-clock.ts';
import { customerInstant } from '../../src/domain/instants.ts';
import { useDebits } from '../support/debits.ts';
import { useStage } from '../support/stage.ts';

describe('what is due on a clock', () => {
  const stage = useStage();
  const debits = useDebits(stage);

  it('is done by instant; at the same one a bank speaks first, then what was created first comes first', async () => {
    const { sql } = stage.db;
    const payer = await debits.payer();
    const card = await stage.merchant.payer({ test_clock: payer.clock });
    const [method] = await sql<{ id: string }[]>`select id from payment_methods where customer_id = ${card.id}`;
    const plan = async (start_date: string) => {
      const { id } = await stage.merchant.activePlan({ customer_id: card.id, start_date });
      await pause(2); // ids are ordered by the millisecond
      return id;
    };
    const first = await plan('2027-03-10');
    const { id: scheduled } = await stage.merchant.intent({
      customer_id: card.id,
      payment_method: method?.id ?? '',
      scheduled_payment_date: '2027-03-10',
    });
    await pause(2);
    const last = await plan('2027-03-10');
    const earlier = await plan('2027-03-09');
    const { id: intentId } = await debits.debit(payer);
    const target = customerInstant('2027-03-10T00:00:00.000Z');
    const [debit] = await sql<{ attempt_id: string }[]>`
      update bank_debits set next_at = ${target} where payment_intent_id = ${intentId} returning attempt_id`;
    const due = await dueOnClock(sql, payer.clock, target);
    assert.deepEqual(
      due.map(({ id }) => id),
      [earlier, debit?.attempt_id, first, scheduled, last],
    );
    const few = await dueOnClock(sql, payer.clock, target, { limit: 2, except: [earlier] });
    assert.deepEqual(
      few.map(({ id }) => id),
      [debit?.attempt_id, first],
    );
    await sql`update bank_debits set next_at = hand_over_at where payment_intent_id = ${intentId}`;
  });
});
