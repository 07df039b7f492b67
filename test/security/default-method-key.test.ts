import assert from 'node:assert/strict';
import { describe, it } from 'mocha';
import { violates } from '../../src/platform/postgres/transaction.ts';
import { createMerchant } from '../support/merchant.ts';
import { useStage } from '../support/stage.ts';

describe('the default payment method of a customer', () => {
  const stage = useStage();
  const setDefault = (customer: string, method: string) =>
    stage.db.sql`update customers set default_payment_method_id = ${method} where id = ${customer}`;
  const refusedBy = (constraint: string) => (error: unknown) => violates(error, constraint);

  it('cannot belong to another biller or the other mode, even by direct SQL', async () => {
    const { id } = await stage.merchant.customer();
    const stranger = await stage.stranger();
    const foreign = await stranger.merchant.card((await stranger.merchant.customer()).id);
    const token_metadata = { type: 'vault', token: 't', data: '' };
    const payment_method_data = { expiry_month: 1, expiry_year: 2040, token_metadata };
    const live = createMerchant(stage.api.url, stage.keys.liveSecret);
    const real = (await live.request('POST', '/payment_methods', { type: 'card', payment_method_data })).body
      .payment_method.id;
    for (const method of [foreign, real, 'pm_00000000000000000000000000000000']) {
      await assert.rejects(setDefault(id, method), refusedBy('customers_default_method_fkey'));
    }
    const own = await stage.merchant.card(id);
    await setDefault(id, own);
  });

  it('cannot belong to another biller after the customer or the method was moved', async () => {
    const { id } = await stage.merchant.payer();
    const { keys } = await stage.stranger();
    await assert.rejects(stage.db.sql`update customers set biller_id = ${keys.biller.id} where id = ${id}`);
    await assert.rejects(stage.db.sql`update payment_methods set livemode = true where customer_id = ${id}`);
  });

  it('is null after the method is deleted, and the customer stays', async () => {
    const { id } = await stage.merchant.customer();
    const method = await stage.merchant.card(id);
    await stage.db.sql`delete from payment_methods where id = ${method}`;
    assert.equal((await stage.request('GET', `/customers/${id}`)).body.default_payment_method, null);
  });

  it('has one foreign key, checked for all rows, like that of a bound method', async () => {
    const keys = await stage.db.sql<{ conname: string; convalidated: boolean }[]>`
      select conname, convalidated from pg_constraint
      where contype = 'f' and pg_get_constraintdef(oid) ~ 'default_payment_method_id|bound_payment_intent_id'
      order by conname`;
    assert.deepEqual(
      keys.map(({ conname, convalidated }) => [conname, convalidated]),
      [
        ['customers_default_method_fkey', true],
        ['payment_methods_bound_payment_intent_fkey', true],
      ],
    );
  });
});

describe('the intent that a payment method is bound to', () => {
  const stage = useStage();

  it('cannot belong to another biller or the other mode, even by direct SQL', async () => {
    const method = await stage.merchant.card((await stage.merchant.customer()).id);
    const { merchant } = await stage.stranger();
    const foreign = await merchant.intent({ amount: 500 });
    await assert.rejects(
      stage.db
        .sql`update payment_methods set customer_id = null, bound_payment_intent_id = ${foreign.id} where id = ${method}`,
      (error) => violates(error, 'payment_methods_bound_payment_intent_fkey'),
    );
  });
});
