// Bugs that other people's programs had with Stripe, each by the thread in which it was reported.
import assert from 'node:assert/strict';
import { setTimeout as pause } from 'node:timers/promises';
import { describe, it } from 'mocha';
import { rigKey } from '../../lab/stripe-rig/servers.ts';
import { useStripe } from './support.ts';

describe('a bug of others is not one of the Stripe adapter:', function () {
  this.timeout(60_000);
  const stripe = useStripe();

  const charge = ({ key, body, reference }: { key: string; body: object; reference: string }) =>
    stripe.call('/charges', { ...body, reference }, key);
  const inquire = async (reference: string) => (await stripe.call('/inquire', { reference })).body.outcome;
  const taken = async (key: string) => (await stripe.rig.judge()).successesOfAttempt.get(key) ?? 0;
  const confirmations = (reference: string) =>
    stripe.rig.faults.calls.filter((call) => call.includes(`${reference}/confirm`)).length;
  const statusAtStripe = async (reference: string) => {
    const url = `${stripe.rig.localstripe().url}/v1/payment_intents/${reference}`;
    const response = await fetch(url, { headers: { authorization: `Bearer ${rigKey}` } });
    return ((await response.json()) as { status: string }).status;
  };

  afterEach('Stripe’s own document takes every request', async () => {
    assert.deepEqual(await stripe.rig.shadow.complaints(), []);
  });

  it('a key made from something that changes: a repeated call is the same request (pympp #155, trigger.dev #4953)', async () => {
    const reserved = await stripe.reserved(await stripe.card());
    await stripe.sql`delete from processor_stripe.reservations where reference = ${reserved.reference}`;
    const later = { ...reserved.body, attempt: 2, opened_at: '2026-11-24T00:00:00.000Z', metadata: { try: '2' } };
    assert.equal((await stripe.call('/prepare', later, reserved.key)).body.reference, reserved.reference);
    // Twice at once, with all answers of the first two lost: one request reaches Stripe's books.
    stripe.rig.faults.plan(`POST /v1/payment_intents/${reserved.reference}/confirm`, {
      ...{ kind: 'reset_answer', at: 0 },
    });
    await Promise.all([charge(reserved), charge({ ...reserved, body: later })]);
    await charge(reserved);
    assert.equal(await taken(reserved.key), 1);
    assert.ok(!stripe.rig.bridge.confirmedAgain.has(reserved.reference));
  });

  it('a slow success that is retried as if it had failed: it is charged once (akash console #3449)', async () => {
    const reserved = await stripe.reserved(await stripe.card());
    stripe.rig.faults.plan(`POST /v1/payment_intents/${reserved.reference}/confirm`, { kind: 'delay', ms: 600 });
    const slow = charge(reserved);
    await pause(150);
    const early = await charge(reserved);
    assert.ok(early.body.outcome === 'succeeded' || early.body.outcome === undefined, JSON.stringify(early));
    await slow;
    assert.equal((await charge(reserved)).body.outcome, 'succeeded');
    assert.equal(await taken(reserved.key), 1);
  });

  it('a late “failed” over a success: what was told stays (woocommerce-gateway-stripe #905)', async () => {
    const reserved = await stripe.reserved(await stripe.card());
    await charge(reserved);
    for (const [fault, path] of [
      [{ kind: 'status', status: 500, when: 'after' }, '/charges'],
      [{ kind: 'truncated' }, '/inquire'],
      [{ kind: 'reset_answer', at: 0 }, '/cancel'],
    ] as const) {
      // What this database knew is lost, and Stripe's answer too.
      await stripe.sql`
        update processor_stripe.reservations set outcome = null, code = null, decided_at = null
        where reference = ${reserved.reference}`;
      stripe.rig.faults.plan(/^GET .*payment_intents/, fault);
      const asked = { ...reserved.body, reference: reserved.reference };
      assert.equal((await stripe.call(path, asked, reserved.key)).body.outcome, undefined);
      assert.equal(await inquire(reserved.reference), 'succeeded');
      assert.equal((await stripe.call(path, asked, reserved.key)).body.outcome, 'succeeded');
    }
    assert.equal(await statusAtStripe(reserved.reference), 'succeeded');
  });

  it('two captures: one payment is confirmed once, from two sides at once and after its key (medusa #13301)', async () => {
    const reserved = await stripe.reserved(await stripe.card());
    await Promise.all([charge(reserved), charge(reserved)]);
    stripe.rig.keys.age(25 * 3_600_000);
    await stripe.sql`
      update processor_stripe.reservations set outcome = null, code = null, decided_at = null
      where reference = ${reserved.reference}`;
    const before = confirmations(reserved.reference);
    assert.equal((await charge(reserved)).body.outcome, 'succeeded');
    assert.equal(confirmations(reserved.reference), before, 'it is not confirmed again');
    assert.equal((await stripe.rig.judge()).charges.get(reserved.reference), 1);
  });

  it('one key for two cards: a second card is a second payment with keys of its own (odoo #107723)', async () => {
    const declined = await stripe.reserved(await stripe.card('declined'));
    assert.equal((await charge(declined)).body.outcome, 'failed');
    const second = await stripe.reserved(await stripe.card(), `${declined.key}2`);
    assert.notEqual(second.reference, declined.reference);
    assert.equal((await charge(second)).body.outcome, 'succeeded');
    assert.deepEqual([await taken(declined.key), await taken(second.key)], [0, 1]);
  });

  it('a 403 on sync called failed: it says nothing about the money (hyperswitch #2772)', async () => {
    const reserved = await stripe.reserved(await stripe.card());
    stripe.rig.faults.plan(/POST .*\/confirm/, { kind: 'reset_answer', at: 0 });
    await charge(reserved);
    for (const status of [403, 401] as const) {
      stripe.rig.faults.plan(/^GET .*payment_intents/, { kind: 'status', status, when: 'before' });
      const answer = await stripe.call('/inquire', { reference: reserved.reference });
      assert.deepEqual([answer.status, answer.body.outcome], [403, undefined]);
    }
    const [row] = await stripe.sql`select status from processor_stripe.accounts`;
    assert.equal(row?.status, 'degraded');
    assert.equal(await inquire(reserved.reference), 'succeeded');
    const [after] = await stripe.sql`select status from processor_stripe.accounts`;
    assert.equal(after?.status, 'active');
  });
});
