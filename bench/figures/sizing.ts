import { Connection, Client as Temporal } from '@temporalio/client';
import postgres from 'postgres';
import { clientOf } from '../../lab/client.ts';
import { eventually } from '../../lab/eventually.ts';
import { inParallel, range } from '../../lab/parallel.ts';
import { type ServiceCopy, startService } from '../../lab/service.ts';
import { openPool, type Pool } from '../../src/platform/postgres/connection.ts';
import type { Bench, Measurement } from '../bench.ts';
import { followCourse } from '../due-course.ts';
import { type Figure, figure } from '../figure.ts';
import { expectChargedOnce, lastEvent, makeLivePlans, setTimers } from '../live-plans.ts';
import { startBenchReceiver } from '../receiver.ts';
import { advance, expectAttempts, setUp } from '../scenery.ts';

const namespace = 'payments';
/** What a biller may have at once: three clocks of three customers. */
const clocks = 3;
const customers = 3;
/** Weekly, so an advance may go two weeks. */
const daysAtOnce = 14;
const livePlans = 20;
const leadMs = 20_000;

/** What a database has: the exact count of rows, and bytes with indexes and what updates have left behind. */
interface Contents {
  rows: number;
  bytes: number;
}

/** What a plan costs in a year: rows and bytes in both databases, and events in Temporal's histories. */
export const sizing: Measurement = {
  name: 'sizing',
  needs: 'nothing',
  async measure(context) {
    const weeks = context.quick ? 4 : 52;
    const plansEach = context.quick ? 2 : 10;
    const copy = await startService(`${context.folder}/sizing`, { environment: { TEMPORAL_STORE: 'postgres' } });
    const receiver = await startBenchReceiver();
    const client = clientOf(copy);
    const sql = openPool(copy.databaseUrl, { max: 4, name: 'bench' });
    const bench: Bench = { ...context, copy, client, liveMode: null, sql };
    try {
      await client.webhookEndpoints.create({ url: `${receiver.url}/hooks` });
      const histories = await measureHistories(bench);
      const year = await measureYear(bench, weeks, plansEach);
      return {
        name: 'sizing',
        title: 'What a weekly plan costs, with one webhook endpoint that takes all events',
        how: [
          `${clocks * customers * plansEach} weekly plans on ${clocks} test clocks, moved by ${weeks} weeks, ${daysAtOnce} days at a time; rows and bytes (tables, indexes, and what updates leave behind, after a VACUUM) before and after, divided by the ${year.charges} charges, times 52. An endpoint on loopback takes every event.`,
          `Temporal keeps its workflows in the same PostgreSQL. What it has of deliveries is deleted after the retention of 3 days; of a plan it has one running workflow, whose history is cut by continue-as-new.`,
          `Events: those that are added to the history of a live plan by one charge and by what goes with it, over ${livePlans} of them; of a delivery, all that its history has.`,
        ],
        figures: [...year.figures, ...histories],
      };
    } finally {
      await sql.end();
      await receiver.close();
      await copy.stop();
    }
  },
};

async function measureYear(bench: Bench, weeks: number, plansEach: number) {
  const scenes = await inParallel(range(clocks), clocks, () =>
    setUp(bench, { customers, plansEach, frequency: 'weekly', startsAfterDays: 7 }),
  );
  await untilDelivered(bench.sql);
  const before = await contentsOf(bench.copy);
  for (let day = 0; day < weeks * 7; day += daysAtOnce) {
    bench.log(`sizing: week ${day / 7} of ${weeks}`);
    await inParallel(scenes, clocks, (scene) => advance(bench, scene, daysAtOnce));
  }
  for (const scene of scenes)
    await expectAttempts(bench.sql, scene, { succeeded: customers * plansEach * weeks, failed: 0 });
  await untilDelivered(bench.sql);
  const after = await contentsOf(bench.copy);
  const charges = clocks * customers * plansEach * weeks;
  const perYear = (key: keyof Contents, database: string) =>
    (((after.get(database)?.[key] ?? 0) - (before.get(database)?.[key] ?? 0)) / charges) * 52;
  return {
    charges,
    figures: [
      figure('sizing.rows', 'rows of a plan in a year', 'rows', [perYear('rows', 'payments')]),
      figure('sizing.bytes', 'their size', 'kB', [perYear('bytes', 'payments') / 1000]),
      figure('sizing.temporal', 'Temporal: what a year has added, before anything is deleted', 'kB', [
        (perYear('bytes', 'temporal') + perYear('bytes', 'temporal_visibility')) / 1000,
      ]),
    ],
  };
}

/** What the databases of the copy hold now. */
async function contentsOf(copy: ServiceCopy): Promise<Map<string, Contents>> {
  const result = new Map<string, Contents>();
  for (const database of ['payments', 'temporal', 'temporal_visibility']) {
    const url = new URL(copy.databaseUrl);
    url.pathname = `/${database}`;
    const sql = postgres(url.href, { max: 1, onnotice: () => {} });
    await sql`vacuum analyze`;
    const tables = await sql<{ name: string; bytes: number }[]>`
      select format('%I', relname) as name, pg_total_relation_size(oid)::float8 as bytes
      from pg_class where relkind = 'r' and relnamespace = 'public'::regnamespace`;
    let rows = 0;
    for (const { name } of tables) {
      const [counted] = await sql<{ count: number }[]>`select count(*)::integer from ${sql.unsafe(name)}`;
      rows += counted?.count ?? 0;
    }
    result.set(database, { rows, bytes: tables.reduce((sum, { bytes }) => sum + bytes, 0) });
    await sql.end();
  }
  return result;
}

async function untilDelivered(sql: Pool): Promise<void> {
  const isDelivered = async () => {
    const [left] = await sql<{ count: number }[]>`
      select (select count(*) from workflow_intents)::integer
        + (select count(*) from webhook_deliveries where status = 'pending')::integer as count`;
    return left?.count === 0;
  };
  await eventually('all webhooks are delivered', isDelivered, { timeoutMs: Number.POSITIVE_INFINITY, everyMs: 200 });
}

/** Events that one charge adds to a live plan's history, and those of a delivery. */
async function measureHistories({ client, sql, copy }: Bench): Promise<Figure[]> {
  const connection = await Connection.connect({ address: copy.temporalAddress });
  const temporal = new Temporal({ connection, namespace });
  const lengthOf = async (workflowId: string) =>
    (await temporal.workflow.getHandle(workflowId).describe()).historyLength;
  try {
    const live = await makeLivePlans(client, temporal, livePlans);
    live.charges = 1;
    await untilDelivered(sql);
    const before = await lastEvent(sql);
    const { dueAt, areSet } = await setTimers(sql, temporal, live.ids, leadMs);
    if (!areSet) throw new Error('not all plans had their timer in time');
    const waiting = await inParallel(live.ids, 4, (id) => lengthOf(`payment-plan/${id}`));
    await followCourse(dueAt.getTime(), live.ids.length, async () => (await lastEvent(sql)) - before);
    await expectChargedOnce(sql, live);
    await untilDelivered(sql);
    const charged = await inParallel(live.ids, 4, (id) => lengthOf(`payment-plan/${id}`));
    const deliveries = await sql<{ id: string }[]>`
      select d.id from webhook_deliveries d join events e on e.id = d.event_id
      where e.event_type = 'payment_intent.succeeded' limit ${livePlans}`;
    const delivered = await inParallel(deliveries, 4, ({ id }) => lengthOf(`webhook-delivery/${id}`));
    const added = charged.map((length, index) => length - (waiting[index] ?? length));
    return [
      figure('sizing.events-per-charge', 'history events that a charge adds to its plan', 'events', added),
      figure('sizing.events-per-delivery', 'history events of a delivery at the first try', 'events', delivered),
    ];
  } finally {
    await connection.close();
  }
}
