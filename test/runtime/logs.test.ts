import assert from 'node:assert/strict';
import type { PaymentIntent } from '@payments-service/client';
import { before, describe, it } from 'mocha';
import { eventually } from '../../lab/eventually.ts';
import { idFields, idFieldsIn } from '../../src/domain/id-fields.ts';
import { createLogger } from '../../src/platform/logger.ts';
import { realNow } from '../../src/platform/real-time.ts';
import { temporalLogger } from '../../src/processes/temporal/logger.ts';
import type { LogLine } from '../support/process.ts';
import { useReceiver } from '../support/webhooks.ts';
import { useObservedProcesses } from './observed-processes.ts';

const id = (prefix: string) => `${prefix}_${'0'.repeat(32)}`;

describe('the log of running processes', function () {
  this.timeout(60_000);
  const receiver = useReceiver();
  const processes = useObservedProcesses();

  before('tell of payments', async () => {
    await processes.merchant.endpoint(receiver.url, ['payment_intent.*']);
  });

  /** The lines that name this id, once there are so many that say each of these; two processes write them. */
  function linesOf(named: string, counts: Record<string, number>): Promise<LogLine[]> {
    return eventually(`lines of ${named}: ${JSON.stringify(counts)}`, () => {
      const found = processes.lines.filter(({ text }) => text.includes(named));
      const isThere = ([said, count]: [string, number]) => found.filter(({ msg }) => msg === said).length >= count;
      return Object.entries(counts).every(isThere) && found;
    });
  }

  it('follows a plan’s payment by the id of the plan, from the request to the webhook', async () => {
    const { merchant } = processes;
    const plan = await merchant.activePlan({ start_date: realNow().toISOString().slice(0, 10) });
    const lines = await linesOf(plan.id, { request: 2, 'outbox: dispatched to Temporal': 1, 'delivery attempted': 1 });
    const of = (msg: string) => lines.filter((line) => line.msg === msg);

    const requests = of('request').map(({ operation, name, payment_plan_id: planId }) => [operation, name, planId]);
    assert.deepEqual(requests, [
      ['createPaymentPlan', 'api', plan.id],
      ['activatePaymentPlan', 'api', plan.id],
    ]);
    const [told] = of('outbox: dispatched to Temporal');
    assert.match(String(told?.workflow_ids), new RegExp(`payment-plan/${plan.id}`));

    const [charge, ...more] = of('charge completed');
    assert.ok(charge && more.length === 0, 'one line for a charge');
    assert.deepEqual(
      [charge.name, charge.payment_plan_id, charge.workflow_id, charge.outcome, charge.source],
      ['worker', plan.id, `payment-plan/${plan.id}`, 'succeeded', 'plan'],
    );
    const [delivery] = of('delivery attempted');
    assert.ok(delivery);
    assert.deepEqual(
      [delivery.payment_plan_id, delivery.payment_intent_id, delivery.event_id, delivery.outcome],
      [plan.id, charge.payment_intent_id, charge.event_id, 'delivered'],
    );
    assert.equal(delivery.workflow_id, `webhook-delivery/${delivery.delivery_id}`);
    const webhook = receiver.received.find(({ headers }) => headers['webhook-id'] === charge.event_id);
    assert.equal((JSON.parse(webhook?.body ?? '{}').data as PaymentIntent).id, charge.payment_intent_id);

    const byDelivery = await linesOf(String(delivery.delivery_id), { 'outbox: dispatched to Temporal': 1 });
    assert.deepEqual(byDelivery.map(({ msg }) => msg).sort(), ['delivery attempted', 'outbox: dispatched to Temporal']);
  });

  it('follows a subscription’s payment by the id of the subscription, from the request to the webhook', async () => {
    const { merchant } = processes;
    const payer = await merchant.payer();
    const { id } = await merchant.client.subscriptions.create({
      ...{ customer_id: payer.id, name: 'Membership', currency: 'AUD', frequency_type: 'weekly' },
      items: [{ name: 'Membership', unit_amount_cents: 4900 }],
    });
    await merchant.client.subscriptions.start(id);
    const lines = await linesOf(id, { request: 1, 'charge completed': 1, 'delivery attempted': 1 });
    const named = (msg: string) => lines.find((line) => line.msg === msg)?.subscription_id;
    assert.deepEqual(['request', 'charge completed', 'delivery attempted'].map(named), [id, id, id]);
  });

  it('follows a confirm by the id of its request, to the webhook that it has caused', async () => {
    const { merchant } = processes;
    const payer = await merchant.payer();
    const intent = await merchant.intent({ amount: 700, customer_id: payer.id });
    const card = await merchant.card(payer.id);
    const confirmed = await merchant.request('POST', `/payment_intents/${intent.id}/confirm`, { payment_method: card });
    const requestId = confirmed.headers.get('request-id') ?? '';
    assert.match(requestId, /^req_/);
    const lines = await linesOf(requestId, { 'charge completed': 1, request: 1, 'delivery attempted': 1 });
    assert.deepEqual(lines.map(({ msg, name, payment_intent_id: intentId }) => [msg, name, intentId]).sort(), [
      ['charge completed', 'api', intent.id],
      ['delivery attempted', 'worker', intent.id],
      ['request', 'api', intent.id],
    ]);
    const charge = lines.find(({ msg }) => msg === 'charge completed');
    assert.equal('workflow_id' in (charge ?? {}), false, 'no workflow has charged');
    assert.ok(lines.every((line) => line.event_id === undefined || line.event_id === charge?.event_id));
  });
});

describe('the names of ids in the log', () => {
  it('are those of the API’s fields, found by the prefix of the id', () => {
    const sandboxIntent = id('pi_sandbox');
    assert.deepEqual(idFields(sandboxIntent), { payment_intent_id: sandboxIntent });
    assert.deepEqual(idFieldsIn(`/api/v1/customers/${id('cus')}/payment_methods/${id('pm')}`), {
      customer_id: id('cus'),
      payment_method_id: id('pm'),
    });
    assert.deepEqual([idFields(null), idFields('x'), idFieldsIn('/api/v1/zz_1')], [{}, {}, {}]);
  });

  it('are the same in what the Temporal SDK says, which spells them in another way', () => {
    const lines: Record<string, unknown>[] = [];
    const logger = createLogger('warn', 'test', { write: (line) => void lines.push(JSON.parse(line)) });
    temporalLogger(logger).warn('slow', { workflowId: `payment-plan/${id('pp')}`, runId: 'r', taskQueue: 'payments' });
    const [{ level: _, time: _at, pid: _pid, hostname: _host, ...line } = {}] = lines;
    assert.deepEqual(line, {
      name: 'test',
      msg: 'slow',
      payment_plan_id: id('pp'),
      workflow_id: `payment-plan/${id('pp')}`,
      run_id: 'r',
      task_queue: 'payments',
    });
    temporalLogger(logger).info('housekeeping', {});
    assert.equal(lines.length, 1);
  });
});
