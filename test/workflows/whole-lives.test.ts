import assert from 'node:assert/strict';
import { eventually } from '../../lab/eventually.ts';
import { addDays, dateIn, daysBetween } from '../../src/domain/calendar.ts';
import { withoutClock } from '../../src/domain/instants.ts';
import { retryDelays } from '../../src/domain/webhook-schedule.ts';
import { workflowIdOf } from '../../src/messages/workflow-types.ts';
import { realNow } from '../../src/platform/real-time.ts';
import { canSkipTime } from '../../src/processes/temporal/time-skipping.ts';
import type { Merchant } from '../support/merchant.ts';
import { useSkippedTime } from '../support/skipped-time.ts';
import { useReceiver } from '../support/webhooks.ts';

const day = 86_400_000;
/** How long after its instant an effect may come here, where the server's time runs on while something is done. */
const tolerance = 60_000;

const today = (): string => dateIn(withoutClock(realNow()), 'UTC');

function assertNear(actual: number, expected: number, what: string): void {
  assert.ok(actual >= expected - 1 && actual < expected + tolerance, `${what}: ${actual - expected} ms off`);
}

/** Each payment of the plan, paid at the first moment of its date. */
async function assertPaidOn(merchant: Merchant, planId: string, dates: string[]): Promise<void> {
  const payments = await merchant.payments(planId);
  assert.deepEqual(
    payments.map(({ due_date, status, attempts }) => [due_date, status, attempts.length]),
    dates.map((date) => [date, 'paid', 1]),
  );
  for (const { due_date, attempts } of payments) {
    const at = attempts[0]?.at ?? '';
    assert.equal(at.slice(0, 10), due_date);
    if (due_date !== today()) assertNear(Date.parse(at), Date.parse(due_date), `the payment of ${due_date}`);
  }
}

describe('a year of a weekly plan in real time, skipped', () => {
  const { service, pass, until } = useSkippedTime();

  it('makes 53 payments, each on its date, and is then closed', async () => {
    const merchant = await service.merchant();
    const payer = await merchant.payer();
    const start = today();
    const plan = await merchant.activePlan({ customer_id: payer.id, start_date: start, total_amount_cents: 53_000 });
    const workflowId = workflowIdOf('paymentPlan', plan.id);
    await until('RUNNING', workflowId);
    await pass(365);
    await until('COMPLETED', workflowId);
    await assertPaidOn(
      merchant,
      plan.id,
      Array.from({ length: 53 }, (_, slot) => addDays(start, 7 * slot)),
    );
    const { state, collected_amount_cents } = await merchant.getPlan(plan.id);
    assert.deepEqual([state, collected_amount_cents], ['closed', 53_000]);
    assert.equal((await merchant.events({ event_type: 'payment_intent.succeeded' })).length, 53);
  });
});

describe('a monthly plan over a leap year’s February, skipped', () => {
  const { service, pass, until } = useSkippedTime();

  it('started on the 31st, is charged on the last day of each month', async () => {
    const merchant = await service.merchant();
    const payer = await merchant.payer();
    let year = Number(today().slice(0, 4));
    while (year % 4 !== 0 || year % 100 === 0 || `${year}-01-31` <= today()) year++;
    const plan = await merchant.activePlan({
      customer_id: payer.id,
      frequency_type: 'monthly',
      start_date: `${year}-01-31`,
      total_amount_cents: 6000,
    });
    const workflowId = workflowIdOf('paymentPlan', plan.id);
    await until('RUNNING', workflowId);
    await pass(daysBetween(today(), `${year}-07-15`));
    await until('COMPLETED', workflowId);
    const days = ['01-31', '02-29', '03-31', '04-30', '05-31', '06-30'];
    await assertPaidOn(
      merchant,
      plan.id,
      days.map((date) => `${year}-${date}`),
    );
  });
});

describe('the dunning of a plan in real time, skipped', () => {
  const { service, pass, until } = useSkippedTime();

  it('tries 1, 3 and 5 days after the first failure, then suspends and charges no more until it is closed', async () => {
    const merchant = await service.merchant();
    const payer = await merchant.payer();
    const plan = await merchant.activePlan({
      customer_id: payer.id,
      start_date: today(),
      metadata: { _sandbox_outcome: 'decline' },
    });
    await eventually('the first attempt', async () => (await merchant.payments(plan.id))[0]?.status === 'retrying');
    await pass(30);
    const [payment, ...others] = await merchant.payments(plan.id);
    assert.deepEqual(others, []);
    assert.equal(payment?.status, 'failed');
    const [first, ...retries] = payment.attempts.map(({ at }) => Date.parse(at));
    assert.ok(first);
    assert.equal(retries.length, 3);
    for (const [index, days] of [1, 3, 5].entries()) {
      assertNear(retries[index] ?? 0, first + days * day, `retry ${index + 1}`);
    }
    const { state, state_reason } = await merchant.getPlan(plan.id);
    assert.deepEqual([state, state_reason], ['suspended', 'payment_failed']);

    await merchant.move(plan.id, 'close');
    await until('COMPLETED', workflowIdOf('paymentPlan', plan.id));
  });
});

describe('a webhook to a receiver that always fails, skipped', () => {
  const receiver = useReceiver();
  const { service, pass, until } = useSkippedTime();

  it('is tried ten times with the published gaps; after five days of nothing else the endpoint is disabled', async () => {
    receiver.answer = (request, response) => {
      response.statusCode = request.url === '/failing' ? 500 : 200;
      response.end();
    };
    const merchant = await service.merchant();
    const endpoint = await merchant.endpoint(`${receiver.url}/failing`, ['payment_plan.closed']);
    await merchant.endpoint(`${receiver.url}/other`, ['webhook_endpoint.disabled']);
    const { id } = await merchant.ping(endpoint.id);
    const first = workflowIdOf('webhookDelivery', id);
    await until('RUNNING', first);
    await pass(4);
    await until('COMPLETED', first);

    const delivery = await merchant.delivery(id);
    assert.deepEqual([delivery.status, delivery.failure_reason], ['failed', 'all attempts have failed']);
    const instants = delivery.attempts.map(({ at }) => Date.parse(at));
    assert.equal(instants.length, 10);
    for (const [index, delay] of retryDelays.entries()) {
      const gap = (instants[index + 1] ?? 0) - (instants[index] ?? 0);
      assert.ok(gap >= delay * 0.9 && gap <= delay * 1.1 + tolerance, `gap ${index}: ${gap} ms, published ${delay} ms`);
    }
    assert.equal(receiver.received.length, 10);
    assert.equal(new Set(receiver.received.map(({ headers }) => headers['webhook-id'])).size, 1);
    assert.equal((await merchant.getEndpoint(endpoint.id)).status, 'enabled');

    // The schedule ends after three days; a second event carries the failure past five.
    const second = await merchant.ping(endpoint.id);
    const secondWorkflow = workflowIdOf('webhookDelivery', second.id);
    await until('RUNNING', secondWorkflow);
    await pass(3);
    await until('COMPLETED', secondWorkflow);
    const ended = await merchant.delivery(second.id);
    assert.deepEqual([ended.status, ended.failure_reason], ['failed', 'endpoint disabled']);
    const lastAttempts = ended.attempts.slice(-2).map(({ at }) => Date.parse(at) - (instants[0] ?? 0));
    assert.ok((lastAttempts[0] ?? 0) < 5 * day && (lastAttempts[1] ?? 0) >= 5 * day, lastAttempts.join());
    const disabled = await merchant.getEndpoint(endpoint.id);
    assert.deepEqual([disabled.status, disabled.disabled_reason], ['disabled', 'failing']);
    const told = await eventually('the other endpoint is told', () =>
      receiver.received.find(({ path }) => path === '/other'),
    );
    assert.equal(JSON.parse(told.body).event_type, 'webhook_endpoint.disabled');
  });
});

describe('a test clock that is not deleted, skipped', () => {
  const { service, pass, until } = useSkippedTime();

  it('could not be advanced on this server, which is found out by asking', async () => {
    assert.equal(await canSkipTime(service.temporal), false);
  });

  it('is there for 30 days of real time, and then deleted with all that its customers have', async () => {
    const { merchant, clock, payer, plan } = await service.planOnClock('2027-01-04T00:00:00Z', {
      start_date: '2027-02-01',
    });
    for (const id of [workflowIdOf('testClock', clock.id), workflowIdOf('paymentPlan', plan.id)]) {
      await until('RUNNING', id);
    }
    await pass(29);
    assert.equal((await merchant.getClock(clock.id)).status, 'created');
    await pass(2);
    await until('COMPLETED', workflowIdOf('testClock', clock.id));
    await until('COMPLETED', workflowIdOf('paymentPlan', plan.id));
    const statuses = await Promise.all(
      [`/test_helpers/test_clocks/${clock.id}`, `/customers/${payer.id}`, `/payment_plans/${plan.id}`].map(
        async (path) => (await merchant.request('GET', path)).status,
      ),
    );
    assert.deepEqual(statuses, [404, 404, 404]);
    const types = (await merchant.events({ test_clock: clock.id })).map(({ event_type }) => event_type);
    assert.deepEqual(types, ['test_clock.created', 'payment_plan.activated', 'test_clock.deleted']);
  });
});
