// What only a process itself, Temporal or the live processor knows, and what is said of it.
import { spawn } from 'node:child_process';
import { readFile } from 'node:fs/promises';
import { fileURLToPath } from 'node:url';
import { eventually } from '../../../lab/eventually.ts';
import { serveOnLoopback } from '../../../lab/loopback-server.ts';
import type { Scene } from '../../scene.ts';
import type { Breakage } from '../course.ts';
import { runOps, stuck } from '../places.ts';
import { isFree } from './payments.ts';

const root = fileURLToPath(new URL('../../../', import.meta.url));
const twoDaysMs = 48 * 3_600_000;

/** Another worker of the service, whose clock is so far ahead. Returns what ends it. */
async function startWorkerAhead(scene: Scene, aheadMs: number): Promise<() => Promise<void>> {
  const environ = await readFile(`/proc/${await scene.pidOf('worker')}/environ`, 'utf8');
  const variables = environ.split('\0').map((line): [string, string] => {
    const end = line.indexOf('=');
    return [line.slice(0, end), line.slice(end + 1)];
  });
  const worker = spawn(
    process.execPath,
    ['--import', './setup.mjs', '--import', './lab/processes/wrong-clock.ts', 'src/processes/worker.ts'],
    {
      cwd: root,
      env: {
        ...Object.fromEntries(variables.filter(([name]) => name !== '')),
        ...{ CLOCK_AHEAD_MS: String(aheadMs), METRICS_PORT: '', npm_lifecycle_event: undefined },
        // The channel to its supervisor is not open here.
        ...{ NODE_CHANNEL_FD: undefined, NODE_CHANNEL_SERIALIZATION_MODE: undefined },
      },
      stdio: 'ignore',
    },
  );
  const ended = new Promise<void>((resolve) => worker.once('exit', () => resolve()));
  return () => {
    worker.kill('SIGTERM');
    return ended;
  };
}

export const reportBreakages: readonly Breakage<Scene>[] = [
  {
    name: 'clock-wrong',
    what: 'a second worker is started on a host whose clock is two days ahead',
    async run(scene, course) {
      const { dataDir } = scene.service;
      course.broken();
      const end = await startWorkerAhead(scene, twoDaysMs);
      course.onRepair(end);
      await course.find(stuck(dataDir, 'clock_wrong'), /worker \d+@.*: its clock is 48 h ahead of PostgreSQL’s/);
      await course.follow(/end the process/, end);
      await course.free(async () => (await runOps(dataDir, ['stuck'])).text === 'Nothing is stuck.');
    },
  },
  {
    name: 'delivery-lost',
    what: 'the row of a webhook delivery that waits for its next attempt is deleted',
    async run(scene, course) {
      const { sandbox, service, sql, temporal } = scene;
      let fails = true;
      const receiver = await serveOnLoopback((_received, response) => response.writeHead(fails ? 500 : 204).end());
      course.onRepair(() => receiver.close());
      const { id: endpointId } = await sandbox.webhookEndpoints.create({ url: receiver.url });
      course.onRepair(() => sandbox.webhookEndpoints.delete(endpointId));
      const { id } = await sandbox.webhookEndpoints.ping(endpointId);
      const isRunning = async () => {
        const { status } = await temporal.workflow.getHandle(`webhook-delivery/${id}`).describe();
        return status.name === 'RUNNING' && (await sandbox.webhookDeliveries.get(id)).attempts.length === 1;
      };
      await eventually('it waits for its next attempt', () => isRunning().catch(() => false), { everyMs: 250 });
      await sql`delete from webhook_deliveries where id = ${id}`;
      course.broken();
      await course.find(stuck(service.dataDir, 'delivery_lost', id), /found no row/);
      await course.cause('the receiver responds', () => {
        fails = false;
      });
      await course.followOps(service.dataDir);
      await course.free(
        async () => (await sandbox.webhookDeliveries.get(id)).status === 'delivered' && isFree(scene, id),
      );
    },
  },
  {
    name: 'processor-disagrees',
    what: 'a live payment that the processor has taken is turned into a failure by hand, in all its rows and events',
    async run(scene, course) {
      const { live, payers, service, sql } = scene;
      const { customerId: customer_id, methodId: payment_method } = payers.live;
      const payment = { amount: 1_000, currency: 'AUD', customer_id, payment_method, confirm: true } as const;
      const { id } = await live.paymentIntents.create(payment);
      const isListed = async () => {
        const rows = await sql`
          select 1 from payment_reservations r join payment_attempts a on a.id = r.attempt_id
          where a.payment_intent_id = ${id} and r.taken_at is not null`;
        return rows.length > 0;
      };
      await eventually('the processor’s list was compared', isListed, { everyMs: 500, timeoutMs: 60_000 });
      const turn = (from: string, to: string, code: string | null) =>
        sql.begin(async (tx) => {
          await tx`
            update payment_attempts set outcome = ${to}, code = ${code}, message = ${code}
            where payment_intent_id = ${id}`;
          await tx`update payment_intents set status = ${to} where id = ${id}`;
          await tx`
            update events set event_type = ${`payment_intent.${to}`}
            where subject_id = ${id} and event_type = ${`payment_intent.${from}`}`;
        });
      await turn('succeeded', 'failed', 'card_declined');
      course.broken();
      await course.find(stuck(service.dataDir, 'rows_broken', id), /is failed here; the processor has charged it/);
      await course.follow(/restore the rows/, () => turn('failed', 'succeeded', null));
      await course.free(() => isFree(scene, id));
    },
  },
];
