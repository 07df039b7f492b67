import assert from 'node:assert/strict';
import { describe, it } from 'mocha';
import { useDebtor } from '../support/debtor.ts';
import { useStage } from '../support/stage.ts';

/** The tables that say what a processor has of a payment. */
const tables = ['payment_attempts', 'payment_reservations', 'refunds', 'bank_debits'] as const;

describe('what a processor has of a payment', () => {
  const stage = useStage();
  const debtor = useDebtor(stage);
  const count = async (): Promise<number[]> => {
    const rows = await stage.db.sql<[Record<string, number>]>`
      select (select count(*)::integer from payment_attempts) as payment_attempts,
        (select count(*)::integer from payment_reservations) as payment_reservations,
        (select count(*)::integer from refunds) as refunds,
        (select count(*)::integer from bank_debits) as bank_debits`;
    return tables.map((table) => rows[0][table] ?? 0);
  };

  describe('while a charge is under way', () => {
    let intentId = '';
    let payer = { id: '', card: '' };
    async function open() {
      const { id } = await stage.merchant.customer();
      payer = { id, card: await stage.merchant.card(id) };
      const intent = await stage.merchant.intent({ amount: 3400, customer_id: id, payment_method: payer.card });
      intentId = intent.id;
      stage.ledger.beforeAnswer = async () => {
        throw new Error('the answer is lost');
      };
      await stage.request('POST', `/payment_intents/${intentId}/confirm`);
      // A live charge has a reservation too.
      await stage.db.sql`
        insert into payment_reservations (attempt_id, number, livemode, reference)
        select id, 1, false, 'ref_' || id from payment_attempts where payment_intent_id = ${intentId}`;
    }

    for (const [what, table, idOf] of [
      ['its payment method', 'payment_methods', () => payer.card],
      ['its customer', 'customers', () => payer.id],
      ['the payment itself', 'payment_intents', () => intentId],
    ] as const) {
      it(`is kept by PostgreSQL, which refuses to delete ${what}`, async () => {
        await open();
        const { sql } = stage.db;
        const had = await count();
        await assert.rejects(
          async () => sql`delete from ${sql(table)} where id = ${idOf()}`,
          /violates foreign key constraint "payment_attempts_payment_(intent|method)_id_fkey"/,
        );
        assert.deepEqual(await count(), had);
        stage.ledger.beforeAnswer = async () => {};
        const { body } = await stage.request('POST', `/payment_intents/${intentId}/confirm`);
        assert.equal(body.error.code, 'invalid_state'); // it waits for its outcome
      });
    }

    it('is kept by its reservation: PostgreSQL refuses to delete the attempt', async () => {
      await open();
      await assert.rejects(
        async () => stage.db.sql`delete from payment_attempts where payment_intent_id = ${intentId}`,
        /payment_reservations_attempt_id_fkey/,
      );
    });
  });

  it('goes with a test clock: attempts, reservations, refunds and debits of its customers, and no others', async () => {
    const { merchant, db } = stage;
    const kept = await merchant.customer();
    const paid = await merchant.intent({ customer_id: kept.id, payment_method: await merchant.card(kept.id) });
    await stage.request('POST', `/payment_intents/${paid.id}/confirm`);
    const had = await count();
    const clock = await merchant.clock('2027-01-29T00:00:00Z');
    const payer = await merchant.customer({ test_clock: clock.id });
    const { id } = await merchant.intent({ customer_id: payer.id, payment_method: await merchant.card(payer.id) });
    await stage.request('POST', `/payment_intents/${id}/confirm`);
    await stage.request('POST', `/payment_intents/${id}/refunds`);
    const account = await debtor.account(payer.id);
    await debtor.active({ payment_method_id: account });
    assert.equal((await debtor.charge(account)).status, 200);
    await db.sql`
      insert into payment_reservations (attempt_id, number, livemode)
      select id, 1, false from payment_attempts where payment_intent_id = ${id}`;
    const [attempts = 0, reservations = 0, refunds = 0, debits = 0] = had;
    assert.deepEqual(await count(), [attempts + 2, reservations + 1, refunds + 1, debits + 1]);
    await merchant.deleteClock(clock.id);
    assert.deepEqual(await count(), had);
  });

  it('stays when a method of it goes with a test clock, to whose customer it came later', async () => {
    const { merchant, db } = stage;
    const token_metadata = { type: 'fixture', token: 'tok_sandbox_visa_succeed', data: '' };
    const { body } = await stage.request('POST', '/payment_methods', {
      type: 'card',
      payment_method_data: { expiry_month: 1, expiry_year: 2040, token_metadata },
    });
    const method = body.payment_method.id;
    const { id } = await merchant.intent({ amount: 1000 });
    await stage.request('POST', `/payment_intents/${id}/confirm`, { payment_method: method });
    const clock = await merchant.clock('2027-01-29T00:00:00Z');
    const payer = await merchant.customer({ test_clock: clock.id });
    await merchant.intent({ customer_id: payer.id, payment_method: method });
    await merchant.deleteClock(clock.id);
    const [attempt] = await db.sql`
      select outcome, payment_method_id from payment_attempts where payment_intent_id = ${id}`;
    assert.deepEqual({ ...attempt }, { outcome: 'succeeded', payment_method_id: null });
    assert.equal((await merchant.getIntent(id)).status, 'succeeded');
  });
});
