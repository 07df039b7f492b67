import { randomUUID } from 'node:crypto';
import { setTimeout as pause } from 'node:timers/promises';
import { Client, Connection } from '@temporalio/client';
import type { Pool } from '../../src/db/connection.ts';
import { realNow } from '../../src/domain/real-time.ts';
import { startBareTemporal, type TickKind } from '../bare-temporal/ticks.ts';
import { type Bench, inParallel, type Measurement, range } from '../bench.ts';
import { type DueCourse, type DueRun, followCourse, leadFor, NotAllHeld, withLead } from '../due-course.ts';
import { besideOf, type Figure, figure } from '../figure.ts';
import { dateOf, day, makeActivePlan, makePayer } from '../scenery.ts';

const namespace = 'payments';
/** Of each payment, as the plans of the scenery have it. */
const amount = 1500;

/** The time before the first instant; later ones follow what the preparation has taken. */
const firstLeadMs = (count: number) => 3000 + 10 * count;
/** A second round is begun only by then: on a busy machine one takes minutes. */
const anotherRoundMs = 80_000;
/** The least time before the instant at which all timers have to be there. */
const marginMs = 300;
const farAheadMs = 3_600_000;

/** Many plans in real time that fall due at one instant, beside as many bare workflows on the same server. */
export const dueAtOnce: Measurement = {
  name: 'due-at-once',
  needs: 'copy',
  async measure(bench) {
    const count = bench.quick ? 100 : 1000;
    const rounds = bench.quick ? 1 : 2;
    const connection = await Connection.connect({ address: bench.copy.temporalAddress });
    const temporal = new Client({ connection, namespace });
    const bare = await startBareTemporal(bench.copy, temporal, bench.sql);
    const ours: DueCourse[] = [];
    const theirs: Record<TickKind, DueCourse[]> = { tickByActivity: [], tickByLocalActivity: [] };
    try {
      bench.log(`due at once: making ${count} live plans`);
      const plans = await makeLivePlans(bench, count);
      const lead = (run: (ms: number) => Promise<DueRun>, first = firstLeadMs(count)) =>
        withLead(first, run, bench.log);
      // Once for an instant that is not waited for, to see how long it takes them all to have their timer.
      const { preparedMs } = await holdTimers(bench.sql, temporal, plans, farAheadMs);
      bench.log(`due at once: the plans take ${(preparedMs / 1000).toFixed(1)} s to have their timers`);
      const runs = {
        tickByLocalActivity: lead((ms) => bare.run('tickByLocalActivity', count, ms)),
        tickByActivity: lead((ms) => bare.run('tickByActivity', count, ms)),
        plans: lead((ms) => letFallDue(bench, temporal, plans, ms), leadFor(preparedMs)),
      };
      const begun = performance.now();
      for (let round = 1; round <= rounds; round++) {
        if (round > 1 && performance.now() - begun > anotherRoundMs) break;
        bench.log(`due at once: round ${round} of ${rounds}`);
        theirs.tickByLocalActivity.push(await runs.tickByLocalActivity());
        ours.push(await runs.plans());
        theirs.tickByActivity.push(await runs.tickByActivity());
      }
      await inParallel(plans.ids, 12, (id) => bench.client.post(`/payment_plans/${id}/close`));
    } finally {
      await bare.stop();
      await connection.close();
    }
    return {
      name: 'due-at-once',
      title: `${count} live plans due at one instant (one biller, no webhook endpoint)`,
      how: [
        `${count} customers without a clock, each with a card and an active weekly plan, made through the API. Then next_due_at of all is set to one instant some seconds ahead by SQL and their workflows are told to look (signal \`poke\`), so that each holds a real timer for it; the server's NextDueAt says that all do.`,
        'Time runs from the instant until all charges are seen committed in the database, looked at every 25 ms. Each plan must then have exactly one succeeded attempt more, or the run fails.',
        'Bare: as many workflows with one timer for such an instant and one activity that inserts one row, on the same server, with a worker process of their own that has the same limits; they end after it, while a plan goes on to its next timer. Kinds and plans take turns in each round.',
      ],
      figures: figuresOf(count, ours, theirs),
    };
  },
};

/** Plans that are alike, and how often each of them has been charged so far. */
interface LivePlans {
  ids: string[];
  /** The name of them all, by which the database counts them. */
  name: string;
  charges: number;
}

async function makeLivePlans({ client }: Bench, count: number): Promise<LivePlans> {
  const name = `due at once ${randomUUID()}`;
  const terms = { name, frequency_type: 'weekly', start_date: dateOf(realNow().getTime() + 7 * day) } as const;
  const ids = await inParallel(range(count), 12, async () => makeActivePlan(client, await makePayer(client), terms));
  return { ids, name, charges: 0 };
}

async function letFallDue({ sql }: Bench, temporal: Client, plans: LivePlans, lead: number): Promise<DueRun> {
  const count = plans.ids.length;
  plans.charges += 1;
  const { dueAt, preparedMs, held } = await holdTimers(sql, temporal, plans, lead);
  const course = await followCourse(dueAt.getTime(), count, async () => {
    const [row] = await sql<{ count: number }[]>`
      select count(*)::integer as count from payment_plans
      where name = ${plans.name} and collected_amount_cents >= ${amount * plans.charges}`;
    return row?.count ?? 0;
  });
  await expectChargedOnce(sql, plans);
  if (!held) throw new NotAllHeld(`not all of ${count} plans had their timer in time`);
  return { course, preparedMs };
}

/** Makes all plans due at an instant that is so far ahead, and sees to it that their workflows hold a timer for it. */
async function holdTimers(sql: Pool, temporal: Client, plans: LivePlans, leadMs: number) {
  const begun = performance.now();
  // Whole seconds, so that two rounds never share the span by which the server is asked.
  const dueAt = new Date(Math.ceil((realNow().getTime() + leadMs) / 1000) * 1000);
  await sql`update payment_plans set next_due_at = ${dueAt} where name = ${plans.name}`;
  await inParallel(plans.ids, 40, (id) => temporal.workflow.getHandle(`payment-plan/${id}`).signal('poke'));
  const held = await allHoldTimers(temporal, dueAt, plans.ids.length);
  return { dueAt, preparedMs: performance.now() - begun, held };
}

/** Whether, before the instant, the server knows of all of them that they wait for it. */
async function allHoldTimers(temporal: Client, dueAt: Date, count: number): Promise<boolean> {
  // A span, because SQLite's visibility finds nothing by equality of instants.
  const [from, to] = [-500, 500].map((ms) => new Date(dueAt.getTime() + ms).toISOString());
  const query = `WorkflowType = 'paymentPlan' and ExecutionStatus = 'Running' and NextDueAt between '${from}' and '${to}'`;
  while (realNow().getTime() < dueAt.getTime() - marginMs) {
    if ((await temporal.workflow.count(query)).count >= count) return true;
    await pause(100);
  }
  return false;
}

/** @throws unless each plan has exactly one paid slot, one intent and one attempt for each time that it fell due. */
async function expectChargedOnce(sql: Pool, { ids, name, charges }: LivePlans): Promise<void> {
  const [row] = await sql<{ right: number }[]>`
    select count(*)::integer as right from payment_plans p
    where name = ${name} and collected_amount_cents = ${amount * charges}
      and (select count(*) from payment_plan_slots s where s.payment_plan_id = p.id and s.status = 'paid') = ${charges}
      and ${charges} = all (
        select count(*) from payment_intents i join payment_attempts a on a.payment_intent_id = i.id
        where i.payment_plan_id = p.id
        union all
        select count(*) from payment_intents i where i.payment_plan_id = p.id and i.status = 'succeeded'
      )`;
  if (row?.right !== ids.length)
    throw new Error(`${row?.right} of ${ids.length} plans were charged exactly ${charges} times`);
}

function figuresOf(count: number, ours: DueCourse[], theirs: Record<TickKind, DueCourse[]>): Figure[] {
  const rates = (courses: DueCourse[]) => courses.map(({ perSecond }) => perSecond);
  const bare = {
    local: rates(theirs.tickByLocalActivity),
    task: rates(theirs.tickByActivity),
  };
  const target = count === 1000 ? { aim: 10 } : null;
  return [
    figure(
      'due-at-once.last',
      `from the instant to the last of ${count} charges`,
      's',
      ours.map(({ last }) => last),
      { target },
    ),
    figure(
      'due-at-once.first',
      'to the first charge',
      's',
      ours.map(({ first }) => first),
    ),
    figure(
      'due-at-once.half',
      'to half of them',
      's',
      ours.map(({ half }) => half),
    ),
    figure('due-at-once.rate', 'plans a second, beside bare workflows with a local activity', '1/s', rates(ours), {
      beside: besideOf('bare, local activity', rates(ours), bare.local),
    }),
    figure(
      'due-at-once.rate-beside-task',
      'plans a second, beside bare workflows with a normal activity',
      '1/s',
      rates(ours),
      {
        beside: besideOf('bare, normal activity', rates(ours), bare.task),
      },
    ),
  ];
}
