import { fallsDueAt } from '../../lab/due-dates.ts';
import { inParallel, itemInTurn, range } from '../../lab/parallel.ts';
import { makeActivePlan, makePayer } from '../../lab/payer.ts';
import { atomically } from '../../src/platform/postgres/transaction.ts';
import { realNow } from '../../src/platform/real-time.ts';
import { wake } from '../../src/services/wake.ts';
import type { Bench } from '../bench.ts';
import { expectPayments } from '../live-plans.ts';
import { dateOf, day, planTerms } from '../scenery.ts';

/** Long enough for the workflow to be poked and to start a timer, so that the timer wakes it. */
const aheadMs = 3_000;

/** Plans in real time, of which now one and now another falls due. */
export interface LivePlans {
  /**
   * Moves the due instant of the next plan in turn some seconds ahead; nothing while its last payment is outstanding.
   */
  letNextFallDue(): Promise<void>;
  /** Of those that were collected since the last call: milliseconds from the due instant to the attempt. */
  takeLags(): Promise<number[]>;
  /** How many are due for longer than this. */
  overdue(ms: number): number;
  /** How often a plan was let fall due, in all. */
  readonly dues: number;
  /** @throws unless each plan has exactly one paid slot, intent and attempt for each time that it fell due. */
  expectChargedOnce(): Promise<void>;
}

export async function openLivePlans({ client, sql }: Bench, count: number): Promise<LivePlans> {
  const terms = { ...planTerms, name: 'soak', start_date: dateOf(realNow().getTime() + 7 * day) };
  const ids = await inParallel(range(count), 6, async () => {
    const { customerId } = await makePayer(client);
    return makeActivePlan(client, { ...terms, customer_id: customerId });
  });
  const rounds = new Map(ids.map((id) => [id, 0]));
  /** The due instants (epoch ms) of those that were not collected when it was last looked. */
  const outstanding = new Map<string, number>();
  let turns = 0;
  let dues = 0;

  return {
    get dues() {
      return dues;
    },
    async letNextFallDue() {
      const id = itemInTurn(ids, turns++);
      if (outstanding.has(id)) return;
      const dueAt = new Date(realNow().getTime() + aheadMs);
      outstanding.set(id, dueAt.getTime());
      dues += 1;
      rounds.set(id, (rounds.get(id) ?? 0) + 1);
      await atomically(sql, async (tx) => {
        await tx`update payment_plans set ${fallsDueAt(tx, dueAt)} where id = ${id}`;
        await wake.paymentPlan(tx, { id, livemode: false }, realNow());
      });
    },
    async takeLags() {
      if (outstanding.size === 0) return [];
      const found = await sql<{ plan_id: string; opened_at: Date }[]>`
        select i.payment_plan_id as plan_id, max(a.opened_at) as opened_at
        from payment_intents i join payment_attempts a on a.payment_intent_id = i.id
        where i.payment_plan_id in ${sql([...outstanding.keys()])} and a.outcome = 'succeeded'
        group by i.payment_plan_id`;
      const lags: number[] = [];
      for (const { plan_id, opened_at } of found) {
        const dueAt = outstanding.get(plan_id);
        // The last attempt is of the time before.
        if (dueAt === undefined || opened_at.getTime() < dueAt) continue;
        outstanding.delete(plan_id);
        lags.push(opened_at.getTime() - dueAt);
      }
      return lags;
    },
    overdue: (ms) => [...outstanding.values()].filter((dueAt) => realNow().getTime() - dueAt > ms).length,
    expectChargedOnce: () => expectPayments(sql, rounds),
  };
}
