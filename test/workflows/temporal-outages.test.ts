import assert from 'node:assert/strict';
import pino from 'pino';
import { findFreePorts } from '../../dev/ports.ts';
import { eventually } from '../../lab/eventually.ts';
import { dateIn } from '../../src/domain/calendar.ts';
import { withoutClock } from '../../src/domain/instants.ts';
import { realNow } from '../../src/platform/real-time.ts';
import { watchTimeSkipping } from '../../src/processes/temporal/time-skipping.ts';
import { paymentLines } from '../support/merchant.ts';
import { useService } from '../support/service.ts';
import {
  prepareNamespace,
  serverStartTimeoutMs,
  startOwnTemporal,
  startTemporalWithoutTimeSkipping,
} from '../support/temporal.ts';
import { useReceiver } from '../support/webhooks.ts';

describe('the service while Temporal is away', () => {
  let port = 0;
  let server: Awaited<ReturnType<typeof startOwnTemporal>> | undefined;
  const receiver = useReceiver();
  const service = useService({
    idle: true,
    canSkipTime: () => null,
    async temporal() {
      [port = 0] = await findFreePorts(1);
      return `127.0.0.1:${port}`;
    },
  });
  after('end the server', () => server?.stop());

  it('answers what is asked of it, and carries all of it out when Temporal is back', async function () {
    this.timeout(60_000);
    service.startDispatcher();
    const merchant = await service.merchant();
    await merchant.endpoint(receiver.url, ['payment_plan.activated']);
    const live = await merchant.payer();
    const livePlan = await merchant.activePlan({
      customer_id: live.id,
      start_date: dateIn(withoutClock(realNow()), 'UTC'),
    });
    const { clock, payer, plan } = await merchant.planOnClock('2027-01-04T00:00:00Z', { start_date: '2027-01-05' });
    const closed = await merchant.activePlan({ customer_id: payer.id, start_date: '2027-01-05' });
    await merchant.move(closed.id, 'close');
    await merchant.beginAdvance(clock.id, '2027-01-12T00:00:00Z');
    await eventually('the dispatcher has tried in vain', async () => {
      const [row] = await service.db
        .sql`select count(*)::integer as tried from workflow_intents where last_error <> ''`;
      return row?.tried > 0;
    });
    assert.deepEqual(await merchant.payments(livePlan.id), []);
    assert.equal((await merchant.getClock(clock.id)).status, 'advancing');
    assert.deepEqual(receiver.received, []);

    server = await startOwnTemporal(port);
    await prepareNamespace(server.address);
    await service.startWorkers();
    assert.equal((await merchant.stopped(clock.id, 30_000)).status, 'ready');
    assert.deepEqual(paymentLines(await merchant.payments(plan.id)), [
      '0 paid 2027-01-05T00:00:00.000Z',
      '1 paid 2027-01-12T00:00:00.000Z',
    ]);
    assert.deepEqual(await merchant.payments(closed.id), []);
    await eventually('the live plan is charged', async () => {
      return (await merchant.payments(livePlan.id))[0]?.status === 'paid';
    });
    await eventually('the webhooks have come', () => receiver.received.length === 3);
    await eventually('nothing is left to be told', async () => {
      const [row] = await service.db.sql`select count(*)::integer as left from workflow_intents`;
      return row?.left === 0;
    });
  });
});

describe('a Temporal server that cannot skip time', () => {
  let server: Awaited<ReturnType<typeof startTemporalWithoutTimeSkipping>> | undefined;
  before('start it', async function () {
    this.timeout(serverStartTimeoutMs);
    server = await startTemporalWithoutTimeSkipping();
  });
  let known: () => boolean | null = () => null;
  const service = useService({ idle: true, temporal: () => server?.address ?? '', canSkipTime: () => known() });
  after('end it', () => server?.stop());

  it('is noted in the log, and clocks are refused with the name of the setting', async () => {
    const lines: Record<string, unknown>[] = [];
    const logger = pino({ level: 'warn' }, { write: (line: string) => lines.push(JSON.parse(line)) });
    const watch = watchTimeSkipping(service.temporal, logger);
    known = watch.known;
    try {
      await eventually('it has answered', () => watch.known() === false);
    } finally {
      watch.close();
    }
    assert.equal(lines.length, 1);
    assert.match(String(lines[0]?.msg), /frontend\.WorkflowTimeSkippingEnabled: true/);

    const merchant = await service.merchant();
    const refused = await merchant.request('POST', '/test_helpers/test_clocks', {
      frozen_time: '2027-01-04T00:00:00Z',
    });
    assert.equal(refused.status, 503);
    assert.deepEqual([refused.body.error.type, refused.body.error.code], ['api_error', 'time_skipping_unavailable']);
    assert.match(refused.body.error.message, /frontend\.WorkflowTimeSkippingEnabled/);
  });

  it('fails the advance of a clock that was accepted before the service knew, with the name of the setting', async () => {
    known = () => null;
    await service.startWorkers();
    service.startDispatcher();
    const { merchant, clock, plan } = await service.planOnClock('2027-01-04T00:00:00Z', { start_date: '2027-01-05' });
    await merchant.beginAdvance(clock.id, '2027-01-12T00:00:00Z');
    const failed = await merchant.stopped(clock.id);
    assert.equal(failed.status, 'failed');
    assert.match(failed.failure_reason ?? '', /frontend\.WorkflowTimeSkippingEnabled/);
    assert.deepEqual(await merchant.payments(plan.id), []);
  });
});
