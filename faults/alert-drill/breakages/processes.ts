// API, pages, worker and Temporal are stopped, killed or slow.
import { eventually } from '../../../lab/eventually.ts';
import { serveOnLoopback } from '../../../lab/loopback-server.ts';
import { signal } from '../../../lab/process-table.ts';
import type { Scene } from '../../scene.ts';
import { type Breakage, freezeUntilRepair, makeDuePlan, wait } from './breakage.ts';

export const apiStopped: Breakage = {
  what: 'the API is stopped (SIGSTOP)',
  alerts: { PaymentsApiDown: {} },
  begin: (scene, onRepair) => freezeUntilRepair(scene, 'api', onRepair),
};

export const pagesStopped: Breakage = {
  what: 'the pages are stopped (SIGSTOP)',
  alerts: { PaymentsPagesDown: {} },
  begin: (scene, onRepair) => freezeUntilRepair(scene, 'pages', onRepair),
};

/** After a start, a scrape must come before the next kill, or the start is not counted. */
const scrapedAfterMs = 4_000;
const kills = 5;

export const apiKilled: Breakage = {
  what: `the API is killed ${kills} times, and starts again each time`,
  alerts: { PaymentsProcessRestarts: { job: 'payments-api' } },
  async begin(scene) {
    for (let killed = 0; killed < kills; killed += 1) {
      const pid = await scene.pidOf('api');
      signal(pid, 'SIGKILL');
      const isAnother = async () => (await scene.pidOf('api').catch(() => pid)) !== pid;
      await eventually('the API is started again', isAnother, {
        timeoutMs: 60_000,
        everyMs: 100,
        signal: scene.signal,
      });
      await scene.untilReady();
      await wait(scrapedAfterMs, scene);
    }
  },
};

export const temporalStopped: Breakage = {
  what: 'Temporal is stopped (SIGSTOP), and a plan is activated',
  alerts: { PaymentsIntentsWaiting: {} },
  async begin(scene, onRepair) {
    await freezeUntilRepair(scene, 'temporal', onRepair);
    await makeDuePlan(scene);
  },
};

/** Longer than a payment or a webhook may be late without an alert: 60 s and 30 s. */
const workerStoppedMs = 75_000;
/** Of each second, the worker runs for a quarter. So the event loop stands still for more than half a second. */
const [runMs, stoppedMs] = [250, 750];
const plansAtOnce = 150;

export const workerSlow: Breakage = {
  what: `the worker is stopped for ${workerStoppedMs / 1000} s, then runs a quarter of the time, while plans fall due`,
  alerts: {
    PaymentsWorkerDown: {},
    PaymentsCollectedLate: {},
    PaymentsWebhooksLate: {},
    PaymentsTemporalSlow: {},
    PaymentsEventLoopBlocked: { job: 'payments-worker' },
  },
  async begin(scene, onRepair) {
    const receiver = await openReceiver(scene);
    onRepair(receiver.close);
    const thaw = await scene.freeze('worker');
    onRepair(thaw);
    let made = 0;
    const rest = () => (made < plansAtOnce ? Promise.resolve() : wait(1_000, scene));
    const stopMaking = scene.keepDoing(4, 50, async () => {
      await rest();
      await makeDuePlan(scene);
      made += 1;
    });
    onRepair(stopMaking);
    await wait(workerStoppedMs, scene);
    thaw();
    const stopSlowing = scene.keepDoing(1, runMs, async () => {
      const goOn = await scene.freeze('worker');
      await wait(stoppedMs, scene).finally(goOn);
    });
    onRepair(stopSlowing);
  },
};

/** An endpoint that accepts the webhooks of the sandbox. */
async function openReceiver({ sandbox }: Scene): Promise<{ close(): Promise<void> }> {
  const server = await serveOnLoopback((_received, response) => response.writeHead(204).end());
  const { id } = await sandbox.webhookEndpoints.create({ url: server.url });
  return {
    async close() {
      await sandbox.webhookEndpoints.delete(id);
      await server.close();
    },
  };
}
