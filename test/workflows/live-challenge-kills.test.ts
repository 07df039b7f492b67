import assert from 'node:assert/strict';
import { setTimeout as pause } from 'node:timers/promises';
import { findFreePorts } from '../../dev/ports.ts';
import { eventually } from '../../lab/eventually.ts';
import { addMs } from '../../src/domain/instants.ts';
import { realNow } from '../../src/platform/real-time.ts';
import { settleChallenges } from '../../src/services/payments/processor-challenge.ts';
import { chargeHook } from '../../src/services/subjects/charge-hook.ts';
import { sendChecked } from '../support/api.ts';
import type { Merchant } from '../support/merchant.ts';
import { type ServiceProcess, spawnProcess } from '../support/process.ts';
import { useService } from '../support/service.ts';

/** While the processor takes its time with an answer, the process that has asked is killed. */
const slow = 'slow_4000';
const asksWithinMs = 700;

describe('a live payment whose payer was at the bank, and a process that is killed before it knows', function () {
  this.timeout(120_000);
  const service = useService({ live: true, idle: true, publicUrl: 'http://pages.test' });
  const started: ServiceProcess[] = [];
  let merchant: Merchant;

  before('a biller in live mode', async () => {
    merchant = await service.liveMerchant();
  });
  afterEach('end the processes', () => Promise.all(started.splice(0).map((each) => each.end('SIGKILL'))));

  async function start(kind: 'api' | 'pages'): Promise<ServiceProcess> {
    const [port = 0] = await findFreePorts(1);
    const each = spawnProcess(kind, {
      DATABASE_URL: service.db.url,
      TEMPORAL_ADDRESS: '127.0.0.1:9',
      ENCRYPTION_KEYS: service.encryptionKeys,
      LOG_LEVEL: 'fatal',
      PORT: String(port),
      PAGES_PORT: String(port),
      ...service.standIn.environment,
    });
    started.push(each);
    return each.ready();
  }

  /** A payment that waits for its payer, who has done this at the bank. */
  async function challenged(what: 'passed' | 'left', weather: Record<string, string>) {
    const { id: customer_id } = await merchant.customer();
    const payment_method = await merchant.card(customer_id);
    const metadata = { _sandbox_outcome: 'requires_action', _stand_in_challenge: what, ...weather };
    const { id } = await merchant.intent({ customer_id, payment_method, metadata });
    const { body } = await post(service.url, `/payment_intents/${id}/confirm`);
    assert.equal(body.status, 'requires_action');
    return { id, path: new URL(body.next_action.url).pathname };
  }
  const post = (url: string, path: string) =>
    sendChecked(`${url}/api/v1${path}`, 'POST', {
      ...{ key: merchant.key, body: {}, headers: { 'Idempotency-Key': crypto.randomUUID() } },
    });
  const keepHouse = () =>
    settleChallenges(service.db.sql, { processors: service.processors, hook: chargeHook }, addMs(realNow(), 1_200_000));
  async function stateOf(id: string) {
    const lines = (await service.standIn.calls()).filter((line) => line.payment_intent_id === id);
    const paid = lines.filter((line) => line.kind === 'charge' && !line.repeated && line.outcome === 'succeeded');
    return [(await merchant.getIntent(id)).status, paid.length];
  }
  /** Kills a process while its call is under way. */
  async function killDuring(asking: Promise<unknown>, killed: ServiceProcess) {
    const call = asking.catch(() => {});
    await pause(asksWithinMs);
    await killed.end('SIGKILL');
    await call;
  }

  it('the pages: another one finds that it is paid', async () => {
    const pages = await start('pages');
    const { id, path } = await challenged('passed', { _stand_in_inquire: slow });
    await killDuring(fetch(`${pages.url}${path}`), pages);
    assert.deepEqual(await stateOf(id), ['requires_action', 1]);
    await keepHouse();
    assert.deepEqual(await stateOf(id), ['succeeded', 1]);
  });

  it('the API, which has the payment canceled at the processor: it has failed, and can be canceled again', async () => {
    const api = await start('api');
    const { id } = await challenged('left', { _stand_in_cancel: slow });
    await killDuring(post(api.url, `/payment_intents/${id}/cancel`), api);
    assert.deepEqual(await stateOf(id), ['requires_action', 0]);
    await keepHouse();
    assert.deepEqual(await stateOf(id), ['failed', 0]);
    assert.equal((await post(service.url, `/payment_intents/${id}/cancel`)).body.status, 'canceled');
  });

  it('a worker, while it asks: another one finds that it is paid', async () => {
    const worker = await service.startWorkerProcess();
    const { id } = await challenged('passed', { _stand_in_inquire: slow });
    await service.db.sql`
      update payment_attempts set opened_at = opened_at - interval '2 minutes' where payment_intent_id = ${id}`;
    await eventually('the worker asks', async () =>
      (await service.standIn.calls()).some(
        (line) => line.kind === 'asked' && line.call === 'inquire' && line.payment_intent_id === id,
      ),
    );
    await worker.end('SIGKILL');
    assert.deepEqual(await stateOf(id), ['requires_action', 1]);
    await keepHouse();
    assert.deepEqual(await stateOf(id), ['succeeded', 1]);
  });

  it('the processor, which remembers what the payer did', async () => {
    const { id } = await challenged('passed', { _stand_in_inquire: slow });
    const asking = keepHouse().catch(() => {});
    await pause(asksWithinMs);
    process.kill(service.standIn.process.pid ?? 0, 'SIGKILL');
    await asking;
    await eventually('it is settled', async () => {
      await keepHouse().catch(() => {});
      return (await stateOf(id))[0] === 'succeeded';
    });
    assert.deepEqual(await stateOf(id), ['succeeded', 1]);
  });
});
