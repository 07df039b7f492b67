import assert from 'node:assert/strict';
import { laterInstant } from '../../src/domain/calendar.ts';
import { addMs, type CustomerInstant, withoutClock } from '../../src/domain/instants.ts';
import { findViolations } from '../../src/operations/invariants/invariants.ts';
import { realNow } from '../../src/platform/real-time.ts';
import { takeDebitStep } from '../../src/services/debits/debit-steps.ts';
import { collectScheduledPayment } from '../../src/services/payments/scheduled-payments.ts';
import { useDebits } from '../support/debits.ts';
import { useStage } from '../support/stage.ts';

const hour = 3_600_000;
const day = 24 * hour;
const inMs = (ms: number) => withoutClock(addMs(realNow(), ms));

describe('a payment whose stored instant was moved by hand', () => {
  const stage = useStage({ isDamaged: true, biller: { timeZone: 'Australia/Sydney' } });
  const debits = useDebits(stage);

  const wrong = async () => (await findViolations(stage.db.sql)).map(({ invariant, id }) => `${invariant}: ${id}`);

  async function scheduled(): Promise<string> {
    const payer = await stage.merchant.customer();
    const payment_method = await stage.merchant.card(payer.id);
    const date = inMs(30 * day)
      .toISOString()
      .slice(0, 10);
    return (await stage.merchant.intent({ customer_id: payer.id, payment_method, scheduled_payment_date: date })).id;
  }
  const collect = (id: string, at: CustomerInstant) =>
    collectScheduledPayment(stage.db.sql, stage.processors, id, { at, now: realNow(), maxAheadMs: 400 * day });

  it('is not charged before its date: by its biller’s clock, at the charge itself', async () => {
    const id = await scheduled();
    assert.deepEqual(await wrong(), []);
    const [row] = await stage.db.sql<
      { scheduled_at: CustomerInstant }[]
    >`select scheduled_at from payment_intents where id = ${id}`;
    const dueAt = row?.scheduled_at ?? assert.fail();
    for (const moved of [inMs(-hour), addMs(dueAt, -day)]) {
      await stage.db.sql`update payment_intents set scheduled_at = ${moved} where id = ${id}`;
      assert.deepEqual(await wrong(), [
        `a scheduled payment is due when its date begins, by the clock of its biller: ${id}`,
      ]);
      await assert.rejects(collect(id, laterInstant(moved, withoutClock(realNow()))), (error: Error) => {
        assert.equal(error.name, 'BeforeItsDate');
        assert.ok(error.message.includes(`which begins at ${dueAt.toISOString()}`), error.message);
        return true;
      });
      assert.equal(stage.ledger.taken.size, 0);
    }
    await collect(id, dueAt);
    assert.equal((await stage.merchant.getIntent(id)).status, 'succeeded', 'on its date it is charged');
  });

  it('that is a debit is not handed over before its cut-off', async () => {
    const customer = (await stage.merchant.customer()).id;
    const account = await debits.account(customer);
    await debits.active({ payment_method_id: account });
    const { id: intent } = await debits.debit({ customer, account });
    const [debit] = await stage.db.sql<{ attempt_id: string; hand_over_at: CustomerInstant }[]>`
      select attempt_id, hand_over_at from bank_debits where payment_intent_id = ${intent}`;
    const { attempt_id: id, hand_over_at: cutOff } = debit ?? assert.fail('no debit');
    await stage.db.sql`update bank_debits set next_at = ${inMs(-hour)} where attempt_id = ${id}`;
    assert.deepEqual(await wrong(), [`an accepted debit is handed over at its cut-off: ${id}`]);
    const step = (at: CustomerInstant) =>
      takeDebitStep(stage.db.sql, stage.charging, id, { at, now: realNow(), maxAheadMs: 400 * day });
    await assert.rejects(step(withoutClock(realNow())), new RegExp(`begins at ${cutOff.toISOString()}`));
    const submitted = async () =>
      (await stage.db.sql`select from bank_debits where attempt_id = ${id} and submitted_at is not null`).length;
    assert.equal(await submitted(), 0);
    await step(cutOff);
    assert.equal(await submitted(), 1);
  });
});
