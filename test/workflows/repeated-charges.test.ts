import assert from 'node:assert/strict';
import { createInvariantChecks } from '../../src/operations/invariants/checks.ts';
import { repeatedInvariants } from '../../src/operations/invariants/repeated.ts';
import { useService } from '../support/service.ts';
import { stuckBySubject } from '../support/stuck.ts';

describe('a live payment that was created and confirmed under one Idempotency-Key', function () {
  this.timeout(60_000);
  const service = useService({ live: true, idle: true });

  async function buyer() {
    const merchant = await service.liveMerchant();
    const payer = await merchant.customer();
    const terms = { currency: 'AUD' as const, customer_id: payer.id, payment_method: await merchant.card(payer.id) };
    const buy = async (idempotencyKey: string, amount = 3400) =>
      (await merchant.client.paymentIntents.create({ ...terms, amount, confirm: true }, { idempotencyKey })).id;
    return { merchant, buy };
  }
  const loseKey = (key: string) => service.db.sql`delete from idempotency_keys where key = ${key}`;
  const doubts = async (id: string) => {
    const { sql } = service.db;
    await sql`delete from invariant_checks`;
    const { name = '' } = repeatedInvariants[0] ?? {};
    const checks = createInvariantChecks(sql);
    for (let isChecked = false; !isChecked; ) {
      await checks.checkSome();
      isChecked =
        (await sql`select from invariant_checks where invariant = ${name} and checked_at is not null`).length > 0;
    }
    return (await stuckBySubject(sql, id)).rows_doubtful;
  };

  it('is the same payment when the request is repeated, and no doubt', async () => {
    const { buy } = await buyer();
    const id = await buy('order-1');
    assert.equal(await buy('order-1'), id);
    assert.equal(await doubts(id), undefined);
  });

  it('is charged twice when the row of its key is deleted in between, and then it is doubtful until one is given back', async () => {
    const { merchant, buy } = await buyer();
    const first = await buy('order-2');
    await loseKey('order-2');
    const second = await buy('order-2');
    assert.notEqual(second, first);
    const found = (await doubts(second)) ?? assert.fail('it is not doubtful');
    assert.match(
      found.why,
      new RegExp(`^was charged 34\\d\\d AUD at .*, and ${first} the same at .* Idempotency-Key \\(order-2\\)$`),
    );
    assert.match(found.remedy, new RegExp(`POST /payment_intents/${second}/refunds`));
    assert.equal(await doubts(first), undefined);
    await merchant.client.refunds.create(second);
    assert.equal(await doubts(second), undefined);
  });

  it('is no doubt once the earlier one is given back', async () => {
    const { merchant, buy } = await buyer();
    const first = await buy('order-7');
    await loseKey('order-7');
    const second = await buy('order-7');
    await merchant.client.refunds.create(first);
    assert.equal(await doubts(second), undefined);
  });

  it('is no doubt beside a payment of another amount under the same key: that is another request', async () => {
    const { buy } = await buyer();
    const ids = [await buy('order-8')];
    await loseKey('order-8');
    ids.push(await buy('order-8', 3500));
    for (const id of ids) assert.equal(await doubts(id), undefined);
  });

  it('is no longer named two days after the first of both', async () => {
    const { buy } = await buyer();
    const first = await buy('order-9');
    await loseKey('order-9');
    const second = await buy('order-9');
    const age = (interval: string) => service.db.sql`
      update payment_attempts set opened_at = opened_at - ${interval}::interval where payment_intent_id = ${first}`;
    await age('47 hours');
    assert.notEqual(await doubts(second), undefined);
    await age('1 hour');
    assert.equal(await doubts(second), undefined);
  });

  it('is no doubt beside an equal payment under another key, whether the rows of both keys are there or not', async () => {
    const { buy } = await buyer();
    const ids = [await buy('order-3'), await buy('order-4')];
    await loseKey('order-3');
    for (const id of ids) assert.equal(await doubts(id), undefined);
  });

  it('is no doubt beside an equal payment that another biller has charged under the same key', async () => {
    const ids = [await (await buyer()).buy('order-5'), await (await buyer()).buy('order-5')];
    await service.db.sql`update payment_intents set customer_id = null where id = any(${ids})`;
    for (const id of ids) assert.equal(await doubts(id), undefined);
  });

  it('is no doubt once its key had expired before the same key was used again', async () => {
    const { buy } = await buyer();
    const first = await buy('order-6');
    await service.db.sql`
      update payment_attempts set opened_at = opened_at - interval '1 day', request_key_expires_at = now() where payment_intent_id = ${first}`;
    await loseKey('order-6');
    assert.equal(await doubts(await buy('order-6')), undefined);
  });
});
