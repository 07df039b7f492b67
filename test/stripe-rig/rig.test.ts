import assert from 'node:assert/strict';
import { after, afterEach, before, describe, it } from 'mocha';
import Stripe from 'stripe';
import { chanceOf } from '../../lab/random.ts';
import { seededFaults } from '../../lab/stripe-rig/fault-proxy.ts';
import { programsOfRig } from '../../lab/stripe-rig/programs.ts';
import { type RigCard, type StripeRig, startStripeRig } from '../../lab/stripe-rig/rig.ts';
import { rigKey } from '../../lab/stripe-rig/servers.ts';
import { type StripeClient, stripeClient } from '../../processors/stripe/stripe-client.ts';
import { useFolder } from '../runtime/support.ts';
import { needsPrograms } from './support.ts';

const apiVersion = '2026-10-28.endive';
const { StripeCardError, StripeIdempotencyError, StripeInvalidRequestError } = Stripe.errors;

describe('the rig in place of Stripe', function () {
  this.timeout(60_000);
  needsPrograms(...programsOfRig);
  const folder = useFolder();
  let rig: StripeRig;
  let stripe: StripeClient;
  let last = 0;
  /** Requests that a test sends although Stripe's document does not allow them. */
  let isWrongOnPurpose = false;

  before('start it', async () => {
    rig = await startStripeRig(folder.path, { accounts: ['sk_test_another1234'] });
    stripe = stripeClient({ key: rigKey, apiVersion, baseUrl: rig.url });
  });
  afterEach('stripe-mock accepts every request', async () => {
    const complaints = await rig.shadow.complaints();
    if (!isWrongOnPurpose) assert.deepEqual(complaints, []);
  });
  after('end it', () => rig?.stop());

  async function prepare(card: RigCard = 'good', more: Partial<Stripe.PaymentIntentCreateParams> = {}) {
    last += 1;
    const attempt = `att_${last}`;
    const customer = await stripe.customers.create({ metadata: { customer: 'cus_ours' } });
    const method = await rig.makeCard(card);
    await stripe.paymentMethods.attach(method, { customer: customer.id });
    const intent = await stripe.paymentIntents.create(
      {
        ...{ amount: 1018, currency: 'aud', customer: customer.id, payment_method: method },
        ...{ payment_method_types: ['card'], metadata: { attempt, payment_intent: 'pi_ours', biller: 'acct_ours' } },
        ...more,
      },
      { idempotencyKey: attempt },
    );
    return { attempt, method, intent };
  }
  const confirm = (id: string, amount = 1018) =>
    stripe.paymentIntents.confirm(
      id,
      { off_session: true, amount_to_confirm: amount, expand: ['latest_charge'] },
      { idempotencyKey: `confirm-${id}` },
    );
  const retrieve = (id: string) => stripe.paymentIntents.retrieve(id, { expand: ['latest_charge'] });
  const errorOf = async (asked: Promise<unknown>): Promise<Stripe.errors.StripeError> => {
    const error = await asked.then(
      () => null,
      (reason: unknown) => reason,
    );
    assert.ok(error instanceof Stripe.errors.StripeError, String(error));
    return error;
  };

  it('takes the money of an intent that was reserved before, once for its key', async () => {
    const { attempt, intent } = await prepare('good', { description: 'Rent', statement_descriptor_suffix: 'RENT' });
    assert.equal(intent.status, 'requires_confirmation');
    assert.equal(intent.latest_charge, null);
    const paid = await confirm(intent.id);
    assert.equal(paid.status, 'succeeded');
    assert.equal(paid.amount_received, 1018);
    assert.deepEqual(await confirm(intent.id), paid);
    const { successesOfAttempt, successes, takenForAttempt } = await rig.judge();
    assert.equal(successesOfAttempt.get(attempt), 1);
    assert.equal(successes.get(intent.id), 1);
    assert.equal(takenForAttempt.get(attempt), 1018);
  });

  it('shows the charge as an object if it is expanded, and else its id', async () => {
    const { intent } = await prepare();
    await confirm(intent.id);
    const { latest_charge: charge } = await retrieve(intent.id);
    assert.ok(typeof charge === 'object' && charge?.status === 'succeeded');
    assert.equal((await stripe.paymentIntents.retrieve(intent.id)).latest_charge, charge.id);
  });

  it('declines as Stripe does: 402 card_error, with the code that the test has chosen, and the intent', async () => {
    const { attempt, method, intent } = await prepare('declined');
    rig.bridge.declineAs(method, { decline_code: 'insufficient_funds', advice_code: 'try_again_later' });
    const error = await errorOf(confirm(intent.id));
    assert.ok(error instanceof StripeCardError);
    assert.deepEqual(
      [error.statusCode, error.code, error.decline_code, error.advice_code],
      [402, 'card_declined', 'insufficient_funds', 'try_again_later'],
    );
    assert.equal(error.payment_intent?.status, 'requires_payment_method');
    const after = await retrieve(intent.id);
    const charge = after.latest_charge as Stripe.Charge;
    assert.deepEqual(
      [charge.status, charge.failure_code, charge.outcome?.reason],
      ['failed', 'card_declined', 'insufficient_funds'],
    );
    assert.deepEqual([after.payment_method, after.last_payment_error?.decline_code], [null, 'insufficient_funds']);
    assert.equal((await stripe.paymentIntents.cancel(intent.id)).status, 'canceled');
    const { successesOfAttempt, charges } = await rig.judge();
    assert.deepEqual([successesOfAttempt.get(attempt), charges.get(intent.id)], [undefined, 1]);
  });

  it('declines a card that needs the payer, off session', async () => {
    const { intent } = await prepare('challenge');
    const error = await errorOf(confirm(intent.id));
    assert.deepEqual([error.statusCode, error.code], [402, 'authentication_required']);
    const { status, last_payment_error } = await retrieve(intent.id);
    assert.deepEqual([status, last_payment_error?.code], ['requires_payment_method', 'authentication_required']);
  });

  it('refuses to confirm another amount, and to confirm or cancel what is over', async () => {
    const { intent } = await prepare();
    const other = await errorOf(confirm(intent.id, 1000));
    assert.deepEqual([other.statusCode, other.param], [400, 'amount_to_confirm']);
    await confirm(intent.id);
    const confirmed = await errorOf(stripe.paymentIntents.confirm(intent.id, {}, { idempotencyKey: 'another' }));
    const canceled = await errorOf(stripe.paymentIntents.cancel(intent.id));
    assert.deepEqual([confirmed.code, canceled.code], Array(2).fill('payment_intent_unexpected_state'));
    assert.equal(canceled.payment_intent?.status, 'succeeded');
  });

  it('never confirms what was canceled', async () => {
    const { intent } = await prepare();
    await stripe.paymentIntents.cancel(intent.id, { cancellation_reason: 'abandoned' });
    assert.equal((await errorOf(confirm(intent.id))).code, 'payment_intent_unexpected_state');
    assert.equal((await rig.judge()).charges.get(intent.id), undefined);
  });

  it('has no object of another id', async () => {
    const error = await errorOf(retrieve('pi_unknown'));
    assert.ok(error instanceof StripeInvalidRequestError);
    assert.deepEqual([error.statusCode, error.code], [404, 'resource_missing']);
  });

  it('gives back no more than was paid, and lists refunds of an intent with their metadata', async () => {
    const { intent } = await prepare();
    const none = await stripe.refunds.list({ payment_intent: intent.id });
    assert.deepEqual(none.data, []);
    await confirm(intent.id);
    const refund = (name: string, amount: number) =>
      stripe.refunds.create({
        payment_intent: intent.id,
        amount,
        metadata: { refund: name },
        reason: 'requested_by_customer',
      });
    assert.equal((await refund('re_1', 1000)).status, 'succeeded');
    assert.equal((await errorOf(refund('re_2', 19))).param, 'amount');
    assert.equal((await refund('re_3', 18)).amount, 18);
    assert.equal((await errorOf(refund('re_4', 1))).code, 'charge_already_refunded');
    const { data } = await stripe.refunds.list({ payment_intent: intent.id });
    assert.deepEqual(data.map(({ metadata }) => metadata?.refund).sort(), ['re_1', 're_3']);
    const { refunded, refunds } = await rig.judge();
    assert.deepEqual(
      ['re_1', 're_2', 're_3'].map((name) => refunded.get(name)),
      [1000, undefined, 18],
    );
    assert.equal(refunds.get('re_1'), 1);
  });

  it('lists charges newest first, by created[gte] and in pages, with the metadata of their intents', async () => {
    const attempts: string[] = [];
    for (let count = 0; count < 3; count += 1) {
      const { attempt, intent } = await prepare();
      await confirm(intent.id);
      attempts.unshift(attempt);
    }
    const first = await stripe.charges.list({ limit: 2, created: { gte: 1_600_000_000 } });
    assert.equal(first.has_more, true);
    const next = await stripe.charges.list({ limit: 1, starting_after: first.data[1]?.id });
    const listed = [...first.data, ...next.data];
    assert.deepEqual(
      listed.map(({ metadata }) => metadata.attempt),
      attempts,
    );
    const before = await stripe.charges.list({ ending_before: next.data[0]?.id });
    assert.deepEqual(
      before.data.map(({ id }) => id),
      first.data.map(({ id }) => id),
    );
    const later = await stripe.charges.list({ created: { gt: (first.data[0]?.created ?? 0) + 1 } });
    assert.deepEqual(later.data, []);
    const all = await stripe.refunds.list({ created: { gte: 1_600_000_000 } });
    assert.ok(Array.isArray(all.data));
  });

  it('takes restricted keys, and is in the mode of the key', async () => {
    const restricted = stripeClient({ key: 'rk_live_1234567890', apiVersion, baseUrl: rig.url });
    assert.equal((await restricted.customers.create({})).livemode, true);
    assert.equal((await stripe.customers.create({})).livemode, false);
  });

  it('shows an account nothing of another one', async () => {
    const key = 'sk_test_another1234';
    const another = stripeClient({ key, apiVersion, baseUrl: rig.url });
    const { intent, method } = await prepare();
    assert.equal((await errorOf(another.paymentIntents.retrieve(intent.id))).code, 'resource_missing');
    const create = (payment_method: string) =>
      another.paymentIntents.create({
        amount: 5,
        currency: 'aud',
        payment_method,
        metadata: { attempt: 'att_another' },
      });
    const refused = await errorOf(create(method));
    assert.deepEqual([refused.statusCode, refused.code], [400, 'resource_missing']);
    const { id } = await create(await rig.makeCard('good', key));
    await another.paymentIntents.confirm(id);
    assert.equal((await rig.judge(key)).successesOfAttempt.get('att_another'), 1);
    assert.equal((await rig.judge()).successesOfAttempt.get('att_another'), undefined);
  });

  it('refuses the key of a create under other parameters', async () => {
    const { attempt } = await prepare();
    const other = stripe.paymentIntents.create({ amount: 1, currency: 'aud' }, { idempotencyKey: attempt });
    assert.ok((await errorOf(other)) instanceof StripeIdempotencyError);
  });

  it('has charged when the answer is lost, and replays it to the same key', async () => {
    const { attempt, intent } = await prepare();
    rig.faults.plan(/confirm$/, { kind: 'reset_answer', at: 0 });
    await errorOf(confirm(intent.id));
    assert.equal((await rig.judge()).successesOfAttempt.get(attempt), 1);
    assert.equal((await confirm(intent.id)).status, 'succeeded');
    assert.equal((await rig.judge()).successesOfAttempt.get(attempt), 1);
  });

  it('has a stored 500 that has charged, if the fault is within', async () => {
    const { attempt, intent } = await prepare();
    rig.faultsWithin.plan(/confirm$/, { kind: 'status', status: 500, when: 'after' });
    for (const _ of [1, 2]) assert.equal((await errorOf(confirm(intent.id))).statusCode, 500);
    assert.equal((await retrieve(intent.id)).status, 'succeeded');
    assert.equal((await rig.judge()).successesOfAttempt.get(attempt), 1);
  });

  it('counts a double charge of an attempt whose intent was made twice', async () => {
    const { attempt, intent, method } = await prepare();
    await confirm(intent.id);
    const { id } = await stripe.paymentIntents.create({
      ...{ amount: 1018, currency: 'aud', payment_method: method, customer: intent.customer as string },
      metadata: { attempt },
    });
    await confirm(id);
    const { successesOfAttempt, takenForAttempt } = await rig.judge();
    assert.deepEqual([successesOfAttempt.get(attempt), takenForAttempt.get(attempt)], [2, 2036]);
  });

  it('charges each attempt once for a client that repeats calls under their keys, whatever goes wrong between', async () => {
    const untilItSucceeds = async <T>(ask: () => Promise<T>): Promise<T> => {
      for (;;) {
        try {
          return await ask();
        } catch (error) {
          assert.ok(error instanceof Stripe.errors.StripeError || error instanceof TypeError, String(error));
        }
      }
    };
    const methods = await Promise.all(Array.from({ length: 40 }, () => rig.makeCard('good')));
    rig.faults.choose(seededFaults(chanceOf('rig'), 0.4));
    const madeBefore = Object.values(rig.faults.made).reduce((sum, count) => sum + count, 0);
    const attempts = await Promise.all(
      methods.map(async (method, index) => {
        const attempt = `att_seeded_${index}`;
        const parameters = { amount: 1018, currency: 'aud', payment_method: method, metadata: { attempt } };
        const { id } = await untilItSucceeds(() =>
          stripe.paymentIntents.create(parameters, { idempotencyKey: attempt }),
        );
        // A page in place of an answer is no intent: only the state at Stripe counts.
        await untilItSucceeds(async () => {
          await confirm(id).catch(() => {});
          if ((await retrieve(id)).status !== 'succeeded') throw new TypeError('not yet');
        });
        return attempt;
      }),
    );
    rig.faults.choose(null);
    const { successesOfAttempt } = await rig.judge();
    assert.deepEqual(new Set(attempts.map((attempt) => successesOfAttempt.get(attempt))), new Set([1]));
    const made = Object.values(rig.faults.made).reduce((sum, count) => sum + count, 0) - madeBefore;
    assert.ok(made >= 40, `${made} faults`);
  });

  it('fails a test that sends what Stripe’s document does not allow, whatever localstripe says', async () => {
    isWrongOnPurpose = true;
    const before = (await rig.shadow.complaints()).length;
    await fetch(`${rig.url}/v1/payment_intents/pi_1/confirm`, {
      ...{ method: 'POST', headers: { authorization: `Bearer ${rigKey}` } },
      body: new URLSearchParams({ off_sesion: 'true' }),
    });
    const complaints = await rig.shadow.complaints();
    assert.equal(complaints.length, before + 1);
    assert.match(complaints.at(-1)?.message ?? '', /additional properties are not allowed/);
    assert.match(complaints.at(-1)?.body ?? '', /off_sesion/);
    assert.ok(rig.shadow.judged > 50);
  });
});
