import { Client, Connection } from '@temporalio/client';
import { realNow } from '../../src/domain/real-time.ts';
import { startBareTemporal, type TickKind } from '../bare-temporal/ticks.ts';
import { type Bench, inParallel, type Measurement, range } from '../bench.ts';
import { type DueCourse, followCourse, NotAllHeld, withEnoughLead } from '../due-course.ts';
import { besideOf, type Figure, figure } from '../figure.ts';
import { dateOf, day, makeActivePlan, makePayer } from '../scenery.ts';
import { setTimeout as pause } from 'node:timers/promises';

const namespace = 'payments';

/** What is needed before the instant, for each plan or workflow and in any case. Generous, since a miss costs a repeat. */
const leadMs = (count: number) => 5000 + 11 * count;
/** The least time before the instant at which all timers have to be there. */
const marginMs = 300;

/** Many plans in real time that fall due at one instant, beside as many bare workflows on the same server. */
export const dueAtOnce: Measurement = {
  name: 'due-at-once',
  needs: 'copy',
  async measure(bench) {
    const count = bench.quick ? 150 : 1000;
    const rounds = bench.quick ? 1 : 3;
    const connection = await Connection.connect({ address: bench.copy.temporalAddress });
    const temporal = new Client({ connection, namespace });
    const bare = await startBareTemporal(bench.copy, temporal, bench.sql);
    const ours: DueCourse[] = [];
    const theirs: Record<TickKind, DueCourse[]> = { tickByActivity: [], tickByLocalActivity: [] };
    try {
      bench.log(`due at once: making ${count} live plans`);
      const plans = await makeLivePlans(bench, count);
      for (let round = 1; round <= rounds; round++) {
        bench.log(`due at once: round ${round} of ${rounds}`);
        for (const kind of ['tickByLocalActivity', 'tickByActivity'] as const) {
          theirs[kind].push(await withEnoughLead(leadMs(count), (lead) => bare.run(kind, count, lead)));
        }
        ours.push(await withEnoughLead(leadMs(count), (lead) => letFallDue(bench, temporal, plans, round, lead)));
        await expectChargedOnce(bench, plans, round);
      }
      for (const id of plans) await bench.client.post(`/payment_plans/${id}/close`);
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

async function makeLivePlans({ client }: Bench, count: number): Promise<string[]> {
  const startDate = dateOf(realNow().getTime() + 7 * day);
  return inParallel(range(count), 12, async () =>
    makeActivePlan(client, await makePayer(client), { frequency_type: 'weekly', start_date: startDate }),
  );
}

async function letFallDue(
  { sql }: Bench,
  temporal: Client,
  plans: string[],
  round: number,
  lead: number,
): Promise<DueCourse> {
  // Whole seconds: search attributes keep no more than milliseconds, and are compared for equality.
  const dueAt = new Date(Math.ceil((realNow().getTime() + lead) / 1000) * 1000);
  await sql`update payment_plans set next_due_at = ${dueAt} where id = any(${plans}::text[])`;
  await inParallel(plans, 40, (id) => temporal.workflow.getHandle(`payment-plan/${id}`).signal('poke'));
  const query = `WorkflowType = 'paymentPlan' and ExecutionStatus = 'Running' and NextDueAt = '${dueAt.toISOString()}'`;
  for (;;) {
    const { count } = await temporal.workflow.count(query);
    if (count >= plans.length) break;
    if (realNow().getTime() > dueAt.getTime() - marginMs) {
      // What has its timer falls due all the same; it is waited for, and the instant after this one counts.
      await followCourse(dueAt.getTime(), plans.length, () => countPaid(sql, plans, round));
      throw new NotAllHeld(`${count} of ${plans.length} plans had their timer in time`);
    }
    await pause(100);
  }
  return followCourse(dueAt.getTime(), plans.length, () => countPaid(sql, plans, round));
}
