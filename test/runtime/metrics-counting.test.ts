import assert from 'node:assert/strict';
import { afterEach, beforeEach, describe, it } from 'mocha';
import { Registry } from 'prom-client';
import { openPool } from '../../src/platform/postgres/connection.ts';
import { afterCommit, atomically, dryRun } from '../../src/platform/postgres/transaction.ts';
import { readConfig } from '../../src/processes/config/config.ts';
import { countTelemetry } from '../../src/processes/metrics/count-events.ts';
import { probeDatabase } from '../../src/processes/metrics/database-probe.ts';
import { serveMetrics } from '../../src/processes/metrics/server.ts';
import { createServiceMetrics } from '../../src/processes/metrics/service-metrics.ts';
import { subscribe, type TelemetryEvent } from '../../src/services/telemetry.ts';
import { useDatabase } from '../support/database.ts';
import { useStage } from '../support/stage.ts';
import { samplesOf, sumOf } from './exposition.ts';

describe('a telemetry event', () => {
  const stage = useStage();
  let seen: TelemetryEvent[];
  let stop: () => void;
  beforeEach('listen', () => {
    seen = [];
    stop = subscribe((event) => seen.push(event));
  });
  afterEach('stop listening', () => stop());

  const kinds = () => seen.map(({ kind }) => kind).filter((kind) => !kind.startsWith('transaction'));

  it('is made of what was committed, and not of what was rolled back or part of a dry run', async () => {
    const told: string[] = [];
    const tell = (name: string) => (tx: Parameters<typeof afterCommit>[0]) => {
      afterCommit(tx, () => told.push(name));
      return Promise.resolve();
    };
    await atomically(stage.db.sql, tell('committed'));
    await dryRun(stage.db.sql, tell('dry run'));
    await atomically(stage.db.sql, (tx) => dryRun(tx, tell('dry run within')));
    const failed = atomically(stage.db.sql, async (tx) => {
      await tell('rolled back')(tx);
      throw new Error('no');
    });
    await assert.rejects(failed, /no/);
    assert.deepEqual(told, ['committed']);
  });

  it('is not made by the dry run of an advance, which charges nothing', async () => {
    const { merchant } = stage;
    const { clock } = await merchant.planOnClock('2027-01-04T00:00:00Z', { start_date: '2027-01-05' });
    seen.length = 0;
    const target = { frozen_time: '2027-01-06T00:00:00Z', dry_run: true };
    const simulated = await merchant.request('POST', `/test_helpers/test_clocks/${clock.id}/advance`, target);
    assert.equal(simulated.status, 200, simulated.text);
    assert.deepEqual(kinds(), []);
    await stage.advance(clock.id, '2027-01-06T00:00:00Z');
    assert.deepEqual(
      kinds().filter((kind) => kind.startsWith('charge')),
      ['charge opened', 'charge completed'],
    );
  });

  it('is made once for a charge, when two settle the same attempt', async () => {
    const { merchant } = stage;
    const payer = await merchant.payer();
    const { id } = await merchant.intent({ amount: 500, customer_id: payer.id });
    const card = await merchant.card(payer.id);
    const confirm = () => merchant.request('POST', `/payment_intents/${id}/confirm`, { payment_method: card });
    const statuses = (await Promise.all([confirm(), confirm(), confirm()])).map(({ status }) => status);
    assert.equal(statuses.filter((status) => status === 200).length, 1, String(statuses));
    assert.equal(kinds().filter((kind) => kind === 'charge completed').length, 1);
  });

  it('says the outcome of a refund', async () => {
    const { merchant } = stage;
    const payer = await merchant.payer();
    const { id } = await merchant.intent({ amount: 500, customer_id: payer.id });
    await merchant.client.paymentIntents.confirm(id, { payment_method: await merchant.card(payer.id) });
    for (const amount of [103, 100]) await merchant.request('POST', `/payment_intents/${id}/refunds`, { amount });
    const outcomes = seen.flatMap((each) => (each.kind === 'refund completed' ? [each.outcome] : []));
    assert.deepEqual(outcomes, ['failed', 'succeeded']);
  });
});

describe('the figures of a pool', () => {
  const db = useDatabase();

  it('tell who waits for a connection, who has one, and that statements get no answer', async () => {
    const pool = openPool(db.url, { max: 1, name: 'test' });
    const registry = new Registry();
    const stop = countTelemetry(createServiceMetrics(registry));
    probeDatabase(registry, pool, 1);
    const scrape = async () => samplesOf(await registry.metrics());
    let release = (): void => {};
    const holding = new Promise<void>((resolve) => {
      const held = new Promise<void>((done) => {
        release = done;
      });
      void atomically(pool, async (tx) => {
        await tx`select 1`;
        resolve();
        await held;
      });
    });
    await holding;
    const waiting = atomically(pool, async () => {});
    const busy = await scrape();
    release();
    await waiting;
    const free = await scrape();
    const figures = (samples: typeof free) =>
      ['payments_db_transactions_open', 'payments_db_transactions_waiting', 'payments_db_up'].map((name) =>
        sumOf(samples, name),
      );
    assert.deepEqual(
      [figures(busy), figures(free)],
      [
        [1, 1, 0],
        [0, 0, 1],
      ],
    );
    assert.ok(sumOf(busy, 'payments_db_probe_seconds') >= 1.9);
    assert.equal(sumOf(free, 'payments_db_connection_wait_seconds_count'), 2);
    assert.ok(sumOf(free, 'payments_db_connection_wait_seconds_sum') > 1);
    stop();
    await pool.end({ timeout: 5 });
  });
});

describe('the port of the metrics', () => {
  it('answers /metrics to GET alone, with what is appended, and not beyond its host', async () => {
    const registry = new Registry();
    createServiceMetrics(registry);
    const server = await serveMetrics(registry, { port: 0, host: '127.0.0.1', more: async () => 'sdk 1\n' });
    const ask = (path: string, method = 'GET') => fetch(`http://127.0.0.1:${server.port}${path}`, { method });
    const answer = await ask('/metrics');
    assert.match(answer.headers.get('content-type') ?? '', /^text\/plain; version=0\.0\.4/);
    assert.match(await answer.text(), /payments_charges_total.*\nsdk 1\n$/s);
    assert.deepEqual([(await ask('/')).status, (await ask('/metrics', 'POST')).status], [404, 405]);
    await assert.rejects(
      serveMetrics(registry, { port: server.port, host: '127.0.0.1' }),
      new RegExp(`127\\.0\\.0\\.1:${server.port} \\(METRICS_HOST, METRICS_PORT\\).*EADDRINUSE`),
    );
    await server.close();
  });
});

describe('the configuration of metrics and traces', () => {
  it('turns both off as long as nothing is said, and listens on loopback', () => {
    const { metricsPort, metricsHost, tracingEndpoint } = readConfig({});
    assert.deepEqual([metricsPort, metricsHost, tracingEndpoint], [null, '127.0.0.1', null]);
  });

  it('leaves room for the two ports after that of the metrics, and takes a collector by its URL alone', () => {
    const set = readConfig({ METRICS_PORT: '65532', OTEL_EXPORTER_OTLP_ENDPOINT: 'http://127.0.0.1:4318/' });
    assert.deepEqual([set.metricsPort, set.tracingEndpoint], [65_532, 'http://127.0.0.1:4318']);
    const wrong = () => readConfig({ METRICS_PORT: '65533', OTEL_EXPORTER_OTLP_ENDPOINT: '127.0.0.1:4318' });
    assert.throws(wrong, /METRICS_PORT must be .* to 65532.*OTEL_EXPORTER_OTLP_ENDPOINT must be a URL/s);
  });
});
