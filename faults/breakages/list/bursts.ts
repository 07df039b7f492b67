// More webhooks than can be sent at once, and money that must not wait behind them.
import { commitEvents } from '../../../lab/events.ts';
import { serveOnLoopback } from '../../../lab/loopback-server.ts';
import { range } from '../../../lab/parallel.ts';
import { makePlan } from '../../../lab/payer.ts';
import { today } from '../../alert-drill/breakages/breakage.ts';
import type { Scene } from '../../scene.ts';
import { type Breakage, type Course, foundWhereMoneyWaitsSeconds } from '../course.ts';
import { type Look, lineIn, runOps } from '../places.ts';
import { isPaid } from './payments.ts';

const endpoints = 10;
const deliveries = 5_000;
/** What a burst must not be taken for. */
const wrong = /temporal_unreachable|does not respond|kill -9/;
/** All that waits is tried again at once. */
const freeWithinMs = 180_000;
const paidWithinSeconds = foundWhereMoneyWaitsSeconds;

/** The line about the endpoint. @throws Error if `ops stuck` says that something is down, which is not so */
function lineAbout(dataDir: string, endpointId: string): Look {
  return {
    place: '`ops stuck`',
    async look() {
      const { text } = await runOps(dataDir, ['stuck']);
      if (wrong.test(text)) throw new Error(`it says what is not true: ${text}`);
      return lineIn(text, new RegExp(`^ {2}${endpointId} `));
    },
  };
}

/** Commits that many deliveries at once and activates a plan that is due. Notes after how many seconds it was paid. */
async function burst(scene: Scene, course: Course, endpointIds: readonly string[], words: string): Promise<void> {
  const { sandbox, payers, sql } = scene;
  const { id } = await makePlan(sandbox, { customer_id: payers.sandbox.customerId, start_date: today() });
  await commitEvents(sql, endpointIds[0] ?? '', deliveries / endpointIds.length);
  course.broken();
  await sandbox.paymentPlans.activate(id);
  await course.measure(`a plan that was activated beside ${words} was paid`, paidWithinSeconds, () =>
    isPaid(sandbox, id),
  );
}

export const burstBreakages: readonly Breakage<Scene>[] = [
  {
    name: 'deliveries-burst',
    what: `${deliveries.toLocaleString('en')} webhooks are due at once to receivers that do not respond, and a plan is activated`,
    async run(scene, course) {
      const { sandbox, service, sql } = scene;
      let hangs = false;
      const receiver = await serveOnLoopback((_received, response) => {
        if (!hangs) response.writeHead(204).end();
      });
      course.onRepair(() => receiver.close());
      const ids: string[] = [];
      const add = async () => {
        const { id } = await sandbox.webhookEndpoints.create({ url: `${receiver.url}/${ids.length}` });
        course.onRepair(() => sandbox.webhookEndpoints.delete(id));
        ids.push(id);
        return id;
      };
      const isSent = (id: string) => async () => {
        const left =
          await sql`select 1 from webhook_deliveries where endpoint_id = ${id} and status = 'pending' limit 1`;
        return left.length === 0;
      };
      course.broken();
      const { id: alone } = await makePlan(sandbox, {
        customer_id: scene.payers.sandbox.customerId,
        start_date: today(),
      });
      await sandbox.paymentPlans.activate(alone);
      await course.measure('a plan that was activated alone was paid', paidWithinSeconds, () => isPaid(sandbox, alone));
      const first = await add();
      await burst(scene, course, [first], `${deliveries} to a receiver that responds`);
      await lineAbout(service.dataDir, first).look();
      await course.measure('all of those were sent', 60, isSent(first));
      for (const _ of range(endpoints - 1)) await add();
      hangs = true;
      await burst(scene, course, ids, 'these');
      await course.find(lineAbout(service.dataDir, first), /no response within 15 s/);
      const sent = async () => {
        const [row] = await sql<{ count: number }[]>`
          select count(*)::integer as count from webhook_deliveries where endpoint_id = ${first} and status = 'delivered'`;
        return row?.count ?? 0;
      };
      const before = await sent();
      await course.cause('the receivers respond', () => {
        hangs = false;
      });
      await course.followOps(service.dataDir);
      await course.free(
        async () => (await sent()) > before && (await lineAbout(service.dataDir, first).look()) === null,
        freeWithinMs,
      );
    },
  },
];
