import assert from 'node:assert/strict';
import { describe, it } from 'mocha';
import { realNow } from '../../src/platform/real-time.ts';
import { useService } from '../support/service.ts';
import { useStage } from '../support/stage.ts';

const today = () => realNow().toISOString().slice(0, 10);

describe('a plan that is fetched with Prefer: wait', function () {
  this.timeout(60_000);
  const service = useService();

  for (const where of ['in real time', 'on a test clock'] as const) {
    it(`shows what was charged at once after an activation and a resume, ${where}`, async () => {
      const merchant = await service.merchant();
      const clock = where === 'on a test clock' ? await merchant.clock('2028-02-01T00:00:00Z') : null;
      const customer = await merchant.payer(clock === null ? {} : { test_clock: clock.id });
      const { id } = await merchant.plan({
        customer_id: customer.id,
        start_date: clock === null ? today() : '2028-02-01',
        failure_behaviour: 'stop',
        metadata: { _sandbox_outcome: 'decline,succeed' },
      });
      await merchant.client.paymentPlans.activate(id);
      const failed = await merchant.client.paymentPlans.get(id, { waitSeconds: 30 });
      assert.deepEqual([failed.state, failed.state_reason], ['suspended', 'payment_failed']);
      await merchant.client.paymentPlans.resume(id);
      const paid = await merchant.client.paymentPlans.get(id, { waitSeconds: 30 });
      assert.deepEqual([paid.state, paid.collected_amount_cents], ['active', paid.recurring_amount_cents]);
    });
  }
});

describe('a plan that is fetched with Prefer: wait, while no worker charges', function () {
  this.timeout(60_000);
  const stage = useStage();

  /** Milliseconds until the response, its status, and whether it may have waited. */
  async function fetched(id: string, seconds: number, key = stage.keys.sandboxSecret) {
    const begun = performance.now();
    const response = await fetch(`${stage.api.url}/api/v1/payment_plans/${id}`, {
      headers: { Authorization: `Bearer ${key}`, Prefer: `wait=${seconds}` },
    });
    await response.text();
    const applied = response.headers.get('Preference-Applied');
    return { ms: performance.now() - begun, status: response.status, applied };
  }
  async function dueNow() {
    const { id: customer } = await stage.merchant.customer();
    await stage.merchant.card(customer);
    const { id } = await stage.merchant.plan({ customer_id: customer, start_date: today() });
    await stage.merchant.move(id, 'activate');
    return id;
  }

  it('responds after the seconds that were asked for, with the plan as it is', async () => {
    const { ms, ...rest } = await fetched(await dueNow(), 1);
    assert.deepEqual(rest, { status: 200, applied: 'wait' });
    assert.ok(ms >= 990 && ms < 10_000, `${ms} ms`);
  });

  it('responds as soon as the charge is done', async () => {
    const id = await dueNow();
    const [{ ms, status }] = await Promise.all([fetched(id, 30), stage.collectAll(id, realNow())]);
    assert.equal(status, 200);
    assert.ok(ms < 15_000, `${ms} ms`);
  });

  it('responds at once if nothing is due: pending, ended, or of another mode', async () => {
    const due = await dueNow();
    const { id: customer } = await stage.merchant.customer();
    await stage.merchant.card(customer);
    const pending = await stage.merchant.plan({ customer_id: customer, start_date: today() });
    const ended = await dueNow();
    await stage.merchant.move(ended, 'close');
    for (const [id, key, expected] of [
      [pending.id, stage.keys.sandboxSecret, 200],
      [ended, stage.keys.sandboxSecret, 200],
      [due, stage.keys.liveSecret, 404],
      ['pp_00000000000000000000000000000000', stage.keys.sandboxSecret, 404],
      ['%00', stage.keys.sandboxSecret, 404],
    ] as const) {
      const { ms, status } = await fetched(id, 20, key);
      assert.equal(status, expected, id);
      assert.ok(ms < 10_000, `${id}: ${ms} ms`);
    }
  });
});
