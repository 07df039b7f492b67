import assert from 'node:assert/strict';
import { customerInstant } from '../../src/domain/instants.ts';
import { findViolations } from '../../src/operations/invariants/invariants.ts';
import { realNow } from '../../src/platform/real-time.ts';
import { settleChallenges } from '../../src/services/payments/processor-challenge.ts';
import { settleAttempt } from '../../src/services/payments/settle-attempt.ts';
import { collectDuePayment } from '../../src/services/plans/plan-collection.ts';
import { chargeHook } from '../../src/services/subjects/charge-hook.ts';
import { collectDueSubscription } from '../../src/services/subscriptions/subscription-collection.ts';
import { type Reply, sendChecked } from '../support/api.ts';
import type { Merchant } from '../support/merchant.ts';
import { useService } from '../support/service.ts';
import { stuckBySubject } from '../support/stuck.ts';

const dayMs = 86_400_000;
const dateOf = (daysAhead: number) => new Date(Date.now() + daysAhead * dayMs).toISOString().slice(0, 10);

describe('what ends a live payment that waits for its payer at the bank', function () {
  this.timeout(60_000);
  const service = useService({ live: true, idle: true, publicUrl: 'http://pages.test' });
  let merchant: Merchant;
  let customer = '';

  before('a biller in live mode', async () => {
    merchant = await service.liveMerchant();
  });
  beforeEach('a payer', async () => {
    customer = (await merchant.customer()).id;
    await merchant.card(customer);
  });
  afterEach('no invariant is broken', async () => {
    assert.deepEqual(await findViolations(service.db.sql), []);
  });

  const send = (method: string, path: string, body?: object): Promise<Reply> =>
    sendChecked(`${service.url}/api/v1${path}`, method, { key: merchant.key, ...(body ? { body } : {}) });
  const ok = async (method: string, path: string, body?: object) => {
    const reply = await send(method, path, body);
    assert.ok(reply.status < 300, reply.text);
    return reply.body;
  };
  const charging = () => ({ processors: service.processors, hook: chargeHook });
  const keepHouse = () => settleChallenges(service.db.sql, charging(), realNow());

  async function taken(intentId: string): Promise<number> {
    const lines = await service.standIn.calls();
    const charged = lines.filter((line) => line.kind === 'charge' && !line.repeated && line.outcome === 'succeeded');
    return charged.filter((line) => line.payment_intent_id === intentId).length;
  }
  const stateOf = async (id: string) => {
    const { status, last_payment_error: error } = await merchant.getIntent(id);
    return error ? `${status} ${error.code}` : status;
  };
  /** What the payer does at the bank of a payment. Returns the status of the response. */
  async function answerAtBank(intentId: string, answer: 'pass' | 'fail') {
    const [row] = await service.db.sql<{ reference: string }[]>`
      select r.reference from payment_reservations r join payment_attempts a on a.id = r.attempt_id
      where a.payment_intent_id = ${intentId} order by a.number desc limit 1`;
    await fetch(`${service.standIn.url}/challenge/${row?.reference}`, {
      ...{ method: 'POST', redirect: 'manual', body: new URLSearchParams({ answer }) },
    });
  }

  const items = (amount: number) => [{ name: 'Gym', unit_amount_cents: amount }];
  async function subscription(outcomes: string): Promise<string> {
    const terms = { customer_id: customer, name: 'Gym', frequency_type: 'monthly', currency: 'AUD' };
    const metadata = { _sandbox_outcome: outcomes };
    const { id } = await ok('POST', '/subscriptions', { ...terms, items: items(4900), metadata });
    return id;
  }
  const get = (id: string) => ok('GET', `/subscriptions/${id}`);

  describe('of a subscription', () => {
    async function startedWithChallenge() {
      const id = await subscription('requires_action,succeed');
      const { state, latest_payment_intent_id: intent } = await ok('POST', `/subscriptions/${id}/start`);
      assert.deepEqual([state, await stateOf(intent)], ['pending', 'requires_action']);
      return { id, intent: String(intent) };
    }

    it('that a biller starts: it is active once the payer has passed, and has a day', async () => {
      const { id, intent } = await startedWithChallenge();
      const [row] = await service.db.sql<{ hours: number }[]>`
        select extract(epoch from challenge_ends_at - opened_at)::float8 / 3600 as hours
        from payment_attempts where payment_intent_id = ${intent}`;
      assert.equal(Math.round(row?.hours ?? 0), 24);
      await answerAtBank(intent, 'pass');
      await service.db
        .sql`update payment_attempts set opened_at = opened_at - interval '2 minutes' where payment_intent_id = ${intent}`;
      await keepHouse();
      assert.deepEqual([(await get(id)).state, await stateOf(intent), await taken(intent)], ['active', 'succeeded', 1]);
    });

    for (const passed of [false, true]) {
      it(`a cancellation: ${passed ? 'what was passed before is paid, and becomes credit' : 'it is given up at the processor first'}`, async () => {
        const { id, intent } = await startedWithChallenge();
        if (passed) await answerAtBank(intent, 'pass');
        assert.equal((await ok('POST', `/subscriptions/${id}/cancel`, { at: 'now' })).state, 'canceled');
        assert.equal(await stateOf(intent), 'requires_action');
        await keepHouse();
        assert.equal(await stateOf(intent), passed ? 'succeeded' : 'canceled authentication_required');
        await answerAtBank(intent, 'pass');
        assert.equal(await taken(intent), passed ? 1 : 0);
        assert.equal((await get(id)).credit_balance_cents, passed ? 4900 : 0);
      });
    }

    async function changing() {
      const id = await subscription('succeed');
      await ok('POST', `/subscriptions/${id}/start`);
      await ok('PUT', `/subscriptions/${id}`, { metadata: { _sandbox_outcome: 'requires_action,succeed' } });
      const change = (amount: number, more: object = {}) =>
        send('POST', `/subscriptions/${id}/change`, { items: items(amount), when: 'now', collect: 'now', ...more });
      const { body } = await change(9800);
      const intent = String(body.subscription?.change_payment_intent_id ?? body.change_payment_intent_id);
      assert.equal(await stateOf(intent), 'requires_action');
      return { id, intent, change };
    }
    const priceOf = async (id: string) => (await get(id)).items[0].unit_amount_cents;

    it('a second change: the first is given up at the processor, and the second is made in the same request', async () => {
      const { id, intent, change } = await changing();
      await ok('PUT', `/subscriptions/${id}`, { metadata: { _sandbox_outcome: 'succeed' } });
      assert.equal((await change(9900)).status, 200);
      assert.deepEqual([await stateOf(intent), await priceOf(id)], ['canceled', 9900]);
      await answerAtBank(intent, 'pass');
      assert.equal(await taken(intent), 0);
    });

    it('a second change, of one whose payer has passed: that one is made first', async () => {
      const { id, intent, change } = await changing();
      await answerAtBank(intent, 'pass');
      await ok('PUT', `/subscriptions/${id}`, { metadata: { _sandbox_outcome: 'succeed' } });
      const { status } = await change(9900, { expected_amount_cents: 5000 });
      assert.equal(status, 422, 'the price of the change is another one by then');
      assert.deepEqual([await stateOf(intent), await priceOf(id), await taken(intent)], ['succeeded', 9800, 1]);
    });

    it('a second change while the processor does not respond: 503, and nothing has changed', async () => {
      const { intent, change } = await changing();
      await service.standIn.setClimate({ seed: 'x', share: 1, kinds: ['reset_before'] });
      const { status } = await change(9900);
      await service.standIn.setClimate(null);
      assert.deepEqual([status, await stateOf(intent)], [503, 'requires_action']);
    });

    it('a refused change and a quote end nothing', async () => {
      const { intent, change } = await changing();
      assert.equal((await change(9900, { dry_run: true })).status, 200);
      assert.equal((await change(9900, { expected_amount_cents: 1 })).status, 422);
      assert.equal(await stateOf(intent), 'requires_action');
      await keepHouse();
      assert.equal(await stateOf(intent), 'requires_action');
    });

    for (const passed of [false, true]) {
      it(`a change, by a cancellation: ${passed ? 'what was passed is paid, and becomes credit' : 'it is given up'}`, async () => {
        const { id, intent } = await changing();
        if (passed) await answerAtBank(intent, 'pass');
        await ok('POST', `/subscriptions/${id}/cancel`, { at: 'now' });
        await keepHouse();
        assert.equal(await stateOf(intent), passed ? 'succeeded' : 'failed authentication_required');
        await answerAtBank(intent, 'pass');
        assert.deepEqual([await taken(intent), (await get(id)).change_payment_intent_id], [passed ? 1 : 0, null]);
        assert.equal((await get(id)).credit_balance_cents > 0, passed);
        assert.equal((await send('POST', `/payment_intents/${intent}/confirm`, {})).status, 422);
      });
    }

    for (const passed of [false, true]) {
      it(`a change, by the end of its period: ${passed ? 'what was passed becomes credit' : 'it is given up'}`, async () => {
        const { id, intent } = await changing();
        if (passed) await answerAtBank(intent, 'pass');
        const [row] = await service.db.sql<
          { at: Date }[]
        >`select next_period_at as at from subscriptions where id = ${id}`;
        const at = customerInstant(Number(row?.at) + 1000);
        await ok('PUT', `/subscriptions/${id}`, { metadata: { _sandbox_outcome: 'succeed' } });
        await collectDueSubscription(service.db.sql, charging(), id, { at, now: realNow(), maxAheadMs: Infinity });
        await keepHouse();
        assert.equal(await stateOf(intent), passed ? 'succeeded' : 'failed authentication_required');
        await answerAtBank(intent, 'pass');
        assert.deepEqual([await taken(intent), await priceOf(id)], [passed ? 1 : 0, 4900]);
      });
    }

    it('deleting the customer gives it up', async () => {
      const { intent } = await startedWithChallenge();
      await merchant.client.customers.delete(customer);
      await keepHouse();
      await answerAtBank(intent, 'pass');
      assert.deepEqual([await taken(intent), await stateOf(intent)], [0, 'canceled authentication_required']);
    });
  });

  describe('that has no end', () => {
    const minuteMs = 60_000;
    const attemptOf = async (intentId: string) => {
      const [row] = await service.db.sql<{ id: string }[]>`
        select id from payment_attempts where payment_intent_id = ${intentId} and outcome = 'requires_action'`;
      return String(row?.id);
    };
    const settle = (attemptId: string, outcome: 'succeeded' | 'failed') =>
      settleAttempt(
        service.db.sql,
        charging(),
        { attemptId, outcome, evidence: 'statement of 3 May' },
        { by: { kind: 'operator', id: 'test' }, now: realNow() },
      );
    async function confirmed() {
      const payment_method = await merchant.card(customer, 'tok_sandbox_visa_3ds_required');
      const { id } = await merchant.intent({ customer_id: customer, payment_method });
      assert.equal((await ok('POST', `/payment_intents/${id}/confirm`, {})).status, 'requires_action');
      return id;
    }

    it('is named by ops stuck a minute after its time, until it has ended', async () => {
      const id = await confirmed();
      assert.deepEqual(await stuckBySubject(service.db.sql, id, 15 * minuteMs), {});
      const { challenge_overdue: stuck } = await stuckBySubject(service.db.sql, id, 17 * minuteMs);
      assert.match(stuck?.why ?? '', /^attempt 1, 10\.00 AUD, has no outcome: the live processor does not say/);
      assert.ok(stuck?.remedy.includes(`ops -- settle ${await attemptOf(id)} --as OUTCOME`), stuck?.remedy);
      await ok('POST', `/payment_intents/${id}/cancel`);
      assert.deepEqual(await stuckBySubject(service.db.sql, id, 17 * minuteMs), {});
    });

    it('is settled by an operator if the processor does not know it, and not against its word', async () => {
      const id = await confirmed();
      const attempt = await attemptOf(id);
      await assert.rejects(settle(attempt, 'failed'), /The processor responds, and says: requires_action/);
      await service.standIn.setClimate({ seed: 'x', share: 1, kinds: ['reset_before'] });
      const said = await settle(attempt, 'failed').finally(() => service.standIn.setClimate(null));
      assert.equal(said, `Attempt ${attempt} of ${id} is recorded as failed; the payment is failed.`);
      await assert.rejects(settle(attempt, 'failed'), /There is nothing to settle/);
    });
  });

  describe('of a plan', () => {
    /** A plan whose first payment was declined, and is confirmed by the biller since: its bank wants the payer. */
    async function planWithChallenge() {
      const metadata = { _sandbox_outcome: 'decline,requires_action,succeed' };
      const { id } = await merchant.activePlan({ customer_id: customer, start_date: dateOf(0), metadata });
      await collectDuePayment(service.db.sql, charging(), id, {
        ...{ at: customerInstant(Date.now() + 1000), now: realNow(), maxAheadMs: Infinity },
      });
      const [payment] = await merchant.payments(id);
      const intent = String(payment?.payment_intent_id);
      assert.equal((await ok('POST', `/payment_intents/${intent}/confirm`, {})).status, 'requires_action');
      return { id, intent };
    }

    for (const transition of ['suspend', 'deactivate', 'close'] as const) {
      for (const passed of [false, true]) {
        it(`${transition}: ${passed ? 'what was passed is paid' : 'it is given up at the processor first'}`, async () => {
          const { id, intent } = await planWithChallenge();
          if (passed) await answerAtBank(intent, 'pass');
          await merchant.move(id, transition);
          assert.equal(await stateOf(intent), 'requires_action');
          await keepHouse();
          const failed = `${transition === 'suspend' ? 'failed' : 'canceled'} authentication_required`;
          assert.equal(await stateOf(intent), passed ? 'succeeded' : failed);
          await answerAtBank(intent, 'pass');
          assert.equal(await taken(intent), passed ? 1 : 0);
          const { collected_amount_cents: collected } = await merchant.getPlan(id);
          assert.equal(collected, passed ? 1000 : 0);
        });
      }
    }

    it('a page on which it is paid ends with the suspension of its plan', async () => {
      const metadata = { _sandbox_outcome: 'decline,requires_action,succeed' };
      const { id } = await merchant.activePlan({ customer_id: customer, start_date: dateOf(0), metadata });
      const time = { at: customerInstant(Date.now() + 1000), now: realNow(), maxAheadMs: Infinity };
      await collectDuePayment(service.db.sql, charging(), id, time);
      const [payment] = await merchant.payments(id);
      const intent = String(payment?.payment_intent_id);
      const session = await ok('POST', '/checkout_sessions', {
        ...{ payment_intent_id: intent, payment_method_types: ['card', 'au_becs_debit'] },
      });
      await ok('POST', `/payment_intents/${intent}/confirm`, {});
      await merchant.move(id, 'suspend');
      await keepHouse();
      const { status, status_reason: reason } = await ok('GET', `/checkout_sessions/${session.id}`);
      assert.deepEqual([status, reason], ['expired', 'payment_canceled']);
    });
  });
});
