import assert from 'node:assert/strict';
import { beforeEach, describe, it } from 'mocha';
import { addMs } from '../../src/domain/instants.ts';
import { realNow } from '../../src/platform/real-time.ts';
import { sandboxProcessor } from '../../src/processors/sandbox.ts';
import { recoverCharges } from '../../src/services/payments/payment-confirmation.ts';
import { recoverRefunds } from '../../src/services/payments/refunds.ts';
import type { Reply } from '../support/api.ts';
import { rowCounts, useStage } from '../support/stage.ts';

const lost = async (): Promise<never> => {
  throw new Error('the process is gone');
};

describe('the Idempotency-Key of a payment whose process died between the processor’s answer and ours', () => {
  const stage = useStage({ isAlone: true });
  let customer: string;
  let method: string;
  let intent: string;
  let other: string;

  const keyed = (path: string, body: object, key = 'k'): Promise<Reply> =>
    stage.api.send('POST', `/api/v1${path}`, {
      key: stage.merchant.key,
      body,
      headers: { 'Idempotency-Key': key },
    });
  const confirm = (id: string, payment_method: string, key?: string): Promise<Reply> =>
    keyed(`/payment_intents/${id}/confirm`, { payment_method }, key);
  const refund = (id: string, amount: number, key?: string): Promise<Reply> =>
    keyed(`/payment_intents/${id}/refunds`, { amount }, key);
  const newIntent = async () => (await stage.merchant.intent({ customer_id: customer })).id;

  /** How often the processor would have taken money for a payment: once for each key that it was asked under. */
  const charges = (id: string) =>
    new Set(stage.ledger.requests.filter((asked) => asked.paymentIntentId === id).map((asked) => asked.idempotencyKey))
      .size;

  /** Asserts that each of the requests is refused for its key, and that nothing comes of any. */
  async function areReused(...requests: (() => Promise<Reply>)[]): Promise<void> {
    const before = [await rowCounts(stage), stage.ledger.requests.length];
    for (const [index, request] of requests.entries()) {
      const { status, body } = await request();
      const told = [status, body.error?.type, body.error?.code];
      assert.deepEqual(told, [422, 'idempotency_error', 'idempotency_key_reused'], `request ${index}`);
    }
    assert.deepEqual([await rowCounts(stage), stage.ledger.requests.length], before);
  }

  beforeEach('have two payments to be made', async () => {
    customer = (await stage.merchant.customer()).id;
    method = await stage.merchant.card(customer);
    intent = await newIntent();
    other = await newIntent();
  });

  it('is not taken by another request: another method, payment, refund or route', async () => {
    const another = await stage.merchant.card(customer);
    stage.ledger.beforeAnswer = lost;
    assert.equal((await confirm(intent, method)).status, 500);
    stage.ledger.beforeAnswer = async () => {};
    await areReused(
      () => confirm(intent, another),
      () => keyed(`/payment_intents/${intent}/confirm`, {}),
      () => confirm(other, method),
      () => confirm('pi_none', method),
      () => refund(intent, 100),
      () => keyed(`/payment_intents/${intent}/cancel`, {}),
      () => keyed('/customers', { name: 'Jo' }),
    );
    assert.equal((await stage.merchant.getIntent(intent)).status, 'processing');
    assert.equal((await stage.merchant.getIntent(other)).status, 'requires_payment_method');
  });

  it('goes on with the payment when the same request comes again, and charges once', async () => {
    stage.ledger.beforeAnswer = lost;
    await confirm(intent, method);
    stage.ledger.beforeAnswer = async () => {};
    const again = await confirm(intent, method);
    assert.deepEqual([again.status, again.body.status, charges(intent)], [200, 'succeeded', 1]);
    assert.equal((await confirm(intent, method)).text, again.text);
    await areReused(() => confirm(other, method));
  });

  it('stays the first request’s when housekeeping has finished the payment', async () => {
    stage.ledger.beforeAnswer = lost;
    await confirm(intent, method);
    stage.ledger.beforeAnswer = async () => {};
    await recoverCharges(stage.db.sql, stage.charging, addMs(realNow(), 90_000));
    await areReused(() => confirm(other, method));
    const again = await confirm(intent, method);
    assert.deepEqual([again.status, again.body.status, charges(intent)], [200, 'succeeded', 1]);
  });

  it('is not taken by another amount, refund, payment or route for a refund, and goes on for the same request', async () => {
    for (const id of [intent, other]) await confirm(id, method, `paid ${id}`);
    stage.ledger.refund = async (request) => {
      await sandboxProcessor.refund(request);
      return lost();
    };
    assert.equal((await refund(intent, 300)).status, 500);
    Reflect.deleteProperty(stage.ledger, 'refund'); // the one of its class again
    const third = await newIntent();
    const others = [
      () => refund(intent, 301),
      () => keyed(`/payment_intents/${intent}/refunds`, {}),
      () => refund(other, 300),
      () => confirm(third, method),
      () => keyed('/customers', { name: 'Jo' }),
    ];
    await areReused(...others);
    assert.equal((await stage.request('GET', `/payment_intents/${other}/refunds`)).body.data.length, 0);
    const again = await refund(intent, 300);
    assert.deepEqual([again.status, again.body.status, again.body.amount], [201, 'succeeded', 300]);
    assert.equal((await stage.merchant.getIntent(intent)).total_refunded_amount, 300);
    await recoverRefunds(stage.db.sql, stage.processors, addMs(realNow(), 90_000));
    assert.equal((await refund(intent, 300)).text, again.text);
    await areReused(...others);
  });

  it('goes on for a refund when the clock of its dead process was an hour ahead', async () => {
    await confirm(intent, method, 'paid');
    stage.ledger.refund = async (request) => {
      await sandboxProcessor.refund(request);
      return lost();
    };
    assert.equal((await refund(intent, 300)).status, 500);
    Reflect.deleteProperty(stage.ledger, 'refund'); // the one of its class again
    await stage.db.sql`update refunds set opened_at = opened_at + interval '1 hour'`;
    await recoverRefunds(stage.db.sql, stage.processors, realNow());
    assert.equal((await stage.merchant.getIntent(intent)).total_refunded_amount, 300);
  });

  it('is free again when the payment was refused before anything was committed', async () => {
    assert.equal((await confirm(intent, 'pm_none')).status, 400);
    assert.equal((await confirm(other, method)).body.status, 'succeeded');
    assert.equal((await refund(intent, 100, 'r')).body.error.code, 'invalid_state');
    assert.equal((await refund(other, 100, 'r')).status, 201);
  });
});
