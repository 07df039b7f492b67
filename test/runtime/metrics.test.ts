import assert from 'node:assert/strict';
import { readFile } from 'node:fs/promises';
import { load } from 'js-yaml';
import { before, describe, it } from 'mocha';
import { eventually } from '../../lab/eventually.ts';
import { realNow } from '../../src/platform/real-time.ts';
import { useReceiver } from '../support/webhooks.ts';
import { announcedNames, namesRead, type Sample, samplesOf, sumOf } from './exposition.ts';
import { useObservedProcesses } from './observed-processes.ts';

/** The Temporal SDK announces these when the first of them has happened; `up` is Prometheus's own. */
const seldom = new Set([
  'up',
  'temporal_workflow_task_execution_failed_total',
  'temporal_activity_execution_failed_total',
  'temporal_request_failure_total',
]);

/** These come some time after what they count. */
const sampled = [
  'payments_workflow_intents_waiting',
  'payments_stuck',
  'payments_db_connections',
  'temporal_activity_execution_latency_seconds_bucket',
];

const today = () => realNow().toISOString().slice(0, 10);

describe('the metrics of running processes', function () {
  this.timeout(60_000);
  const receiver = useReceiver();
  const processes = useObservedProcesses();
  const texts = { api: '', worker: '' };
  let api: Sample[];
  let worker: Sample[];

  before('pay by request, by plan, and in vain; then scrape', async function () {
    this.timeout(60_000);
    const { merchant } = processes;
    await merchant.endpoint(receiver.url, ['payment_intent.*']);
    const payer = await merchant.payer();
    const { id } = await merchant.intent({ amount: 500, customer_id: payer.id });
    await merchant.client.paymentIntents.confirm(id, { payment_method: await merchant.card(payer.id) });
    await merchant.activePlan({ customer_id: payer.id, start_date: today() });
    const poor = await merchant.customer();
    await merchant.card(poor.id, 'tok_sandbox_visa_decline_insufficient_funds');
    await merchant.activePlan({ customer_id: poor.id, start_date: today() });
    const clock = await merchant.clock('2027-01-04T00:00:00Z');
    const onClock = await merchant.payer({ test_clock: clock.id });
    await merchant.activePlan({ customer_id: onClock.id, start_date: '2027-01-05' });
    await merchant.advance(clock.id, '2027-01-06T00:00:00Z');
    await merchant.request('GET', '/nowhere');
    await eventually('all four have been delivered, and the databases sampled', async () => {
      texts.worker = await processes.scrape('worker');
      worker = samplesOf(texts.worker);
      const delivered = sumOf(worker, 'payments_webhook_attempts_total', { outcome: 'delivered' });
      return (
        delivered === 4 &&
        sampled.every((figure) => worker.some(({ name }) => name === figure)) &&
        sumOf(worker, 'payments_workflow_intents_waiting') === 0
      );
    });
    texts.api = await processes.scrape('api');
    api = samplesOf(texts.api);
  });

  it('count each charge once, in the process that has committed it', () => {
    const charges = (samples: Sample[]) =>
      samples
        .filter(({ name }) => name === 'payments_charges_total')
        .map(({ labels: { mode, source, outcome, code }, value }) => [mode, source, outcome, code, value].join(' '))
        .sort();
    assert.deepEqual(charges(api), ['sandbox confirm succeeded  1']);
    assert.deepEqual(charges(worker), ['sandbox plan failed insufficient_funds 1', 'sandbox plan succeeded  2']);
    assert.equal(sumOf(api, 'payments_charge_duration_seconds_count'), 1);
    assert.equal(sumOf(worker, 'payments_charge_duration_seconds_count'), 3);
  });

  it('count the requests for pages by their route, in the process of the pages alone', async () => {
    for (const path of ['/pay/a', '/pay/b', '/nowhere', '/healthz', '/readyz'])
      await fetch(`${processes.pagesUrl}${path}`);
    const pages = samplesOf(await processes.scrape('pages'));
    const counted = (labels: Record<string, string>) => sumOf(pages, 'payments_page_duration_seconds_count', labels);
    assert.equal(counted({ route: '/pay/:token', method: 'GET', status: '404' }), 2);
    assert.equal(counted({ route: 'none', status: '404' }), 1);
    assert.deepEqual(
      [counted({ route: '/healthz', status: '200' }), counted({ route: '/readyz', status: '200' })],
      [1, 1],
    );
    assert.equal(sumOf(api, 'payments_page_duration_seconds_count'), 0);
    assert.equal(sumOf(pages, 'payments_http_request_duration_seconds_count'), 0);
  });

  it('measure the due lag of plans in real time alone, from the activation where the date had come before', () => {
    assert.equal(sumOf(worker, 'payments_due_lag_seconds_count', { source: 'plan' }), 2);
    assert.ok(sumOf(worker, 'payments_due_lag_seconds_sum') < 60, 'not the hours since midnight');
    assert.equal(sumOf(api, 'payments_due_lag_seconds_count'), 0);
  });

  it('tell the first attempt of a delivery from later ones, and the events by their types', () => {
    assert.equal(sumOf(worker, 'payments_webhook_delivery_lag_seconds_count', { attempt: 'first' }), 4);
    const all = [...api, ...worker];
    assert.equal(sumOf(all, 'payments_events_total', { event_type: 'payment_intent.succeeded' }), 3);
    assert.equal(sumOf(all, 'payments_events_total', { event_type: 'payment_intent.failed' }), 1);
    assert.equal(sumOf(all, 'payments_events_total', { event_type: 'test_clock.ready' }), 1);
    assert.equal(sumOf(worker, 'payments_clock_advance_duration_seconds_count', { outcome: 'ready' }), 1);
  });

  it('know requests by route, method and status, and never by path', () => {
    const count = (labels: Record<string, string>) =>
      sumOf(api, 'payments_http_request_duration_seconds_count', labels);
    const confirm = { route: '/api/v1/payment_intents/:payment_intent_id/confirm', method: 'POST', status: '200' };
    assert.equal(count(confirm), 1, [...new Set(api.map(({ labels }) => labels.route))].join('\n'));
    assert.equal(count({ route: 'none', method: 'any', status: '404' }), 1);
    assert.equal(sumOf(api, 'payments_http_requests_in_flight'), 0);
  });

  it('have no label with an id or a text', () => {
    for (const { name, labels } of [...api, ...worker]) {
      for (const value of Object.values(labels)) assert.doesNotMatch(value, /[0-9A-Za-z]{32}|127\.0\.0\.1/, name);
    }
  });

  it('show the backlogs, what is stuck, and the connections, of a worker alone', () => {
    assert.equal(sumOf(worker, 'payments_workflow_intents_oldest_seconds'), 0);
    assert.equal(sumOf(worker, 'payments_oldest_due_seconds'), 0);
    assert.ok(worker.some(({ name, labels }) => name === 'payments_stuck' && labels.kind === 'plan_overdue'));
    assert.ok(sumOf(worker, 'payments_db_connections', { pool: 'worker' }) > 0);
    assert.equal(
      api.some(({ name }) => name === 'payments_stuck'),
      false,
    );
  });

  it('show the use of each pool, and whether its database answers', () => {
    for (const samples of [api, worker]) {
      assert.equal(sumOf(samples, 'payments_db_up'), 1);
      assert.ok(sumOf(samples, 'payments_db_probe_seconds') > 0);
      assert.ok(sumOf(samples, 'payments_db_connections_max') >= 24);
      assert.ok(sumOf(samples, 'payments_db_connection_wait_seconds_count') > 0);
      // Housekeeping may begin a transaction at the moment of the scrape.
      assert.ok(sumOf(samples, 'payments_db_transactions_waiting') <= 1);
    }
  });

  it('have what the Temporal SDK counts beside those of the worker', () => {
    assert.ok(sumOf(worker, 'temporal_worker_task_slots_available', { worker_type: 'LocalActivityWorker' }) > 0);
    assert.equal(sumOf(worker, 'temporal_local_activity_total_total', { activity_type: 'collectPlan' }) > 0, true);
  });

  it('announce every name that an alert or the dashboard reads', async () => {
    const names = new Set([...announcedNames(texts.api), ...announcedNames(texts.worker), ...seldom]);
    const expressions = [...(await alertExpressions()), ...(await dashboardExpressions())];
    assert.ok(expressions.length > 60, `${expressions.length} expressions were found`);
    const read = expressions.flatMap((expression) => namesRead(expression));
    assert.ok(read.includes('payments_due_lag_seconds_bucket'));
    assert.deepEqual(
      [...new Set(read)].filter((name) => !names.has(name)),
      [],
    );
  });
});

async function alertExpressions(): Promise<string[]> {
  const { groups } = load(await readFile('monitoring/alerts.yml', 'utf8')) as {
    groups: { rules: { expr: string }[] }[];
  };
  return groups.flatMap(({ rules }) => rules.map(({ expr }) => expr));
}

async function dashboardExpressions(): Promise<string[]> {
  const { panels } = JSON.parse(await readFile('monitoring/grafana-dashboard.json', 'utf8')) as {
    panels: { targets?: { expr: string }[] }[];
  };
  return panels.flatMap(({ targets = [] }) => targets.map(({ expr }) => expr));
}
