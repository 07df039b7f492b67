import type { Client as Temporal } from '@temporalio/client';
import { fallsDueAt } from '../lab/due-dates.ts';
import { eventually } from '../lab/eventually.ts';
import { inParallel } from '../lab/parallel.ts';
import { signals } from '../src/messages/signals.ts';
import type { Pool } from '../src/platform/postgres/connection.ts';
import { realNow } from '../src/platform/real-time.ts';
import type { RunContext } from './bench.ts';
import { type Figure, figure } from './figure.ts';
import { expectChargedOnce, type LivePlans, lastEvent } from './live-plans.ts';

/** Of so many plans the history is looked at. */
const looked = 20;

/** The time between two charges of a plan that ages: enough for its workflow to set a timer when all are charged. */
const gapMs = (count: number) => Math.max(1_000, 5 * count);

/** How old plans are, for a title. */
export function ageInWords(age: number): string {
  return age === 0 ? 'new' : `aged ${age} charges`;
}

/** How the plans became so old, for a report; nothing if they are new. */
export function howAged(age: number): string[] {
  if (age === 0) return [];
  return [
    `Before that, each plan was charged ${age} times, as it is in ${age} weeks: by its own timer, through the whole path. Only the timers were of seconds instead of a week (a trigger on payment_plans sets next_due_at, and start_date with it). Each charge was checked as those that are measured.`,
  ];
}

/**
 * Charges each plan `age` times, on timers of seconds, so that its rows and its workflow's history are those of a plan
 * that has run for as many weeks. @throws Error unless each plan was charged so often
 */
export async function agePlans(
  { sql, temporal, log }: { sql: Pool; temporal: Temporal; log: RunContext['log'] },
  live: LivePlans,
  age: number,
): Promise<void> {
  if (age === 0) return;
  const count = live.ids.length;
  const gap = `${gapMs(count)} milliseconds`;
  log(`each of ${count} plans is charged ${age} times, to age them`);
  await sql`create table if not exists bench_ages (plan_id text collate "C" primary key, charges_left integer not null)`;
  await sql.unsafe(`
    create or replace function bench_fall_due_again() returns trigger language plpgsql as $$
    begin
      update bench_ages set charges_left = charges_left - 1 where plan_id = new.id and charges_left > 0;
      if found then
        new.next_due_at = now() + interval '${gap}';
        new.start_date = (new.next_due_at at time zone 'UTC')::date - 7 * new.next_slot;
      end if;
      return new;
    end $$;
    create or replace trigger bench_fall_due_again before update on payment_plans
      for each row when (new.next_slot > old.next_slot) execute function bench_fall_due_again()`);
  const before = await lastEvent(sql);
  await sql`
    insert into bench_ages (plan_id, charges_left) select unnest(${live.ids}::text[]), ${age - 1}::integer
    on conflict (plan_id) do update set charges_left = excluded.charges_left`;
  const first = new Date(realNow().getTime() + gapMs(count));
  await sql`update payment_plans set ${fallsDueAt(sql, first)} where id = any(${live.ids}::text[])`;
  const begun = performance.now();
  await inParallel(live.ids, 40, (id) => temporal.workflow.getHandle(`payment-plan/${id}`).signal(signals.poke));
  let seen = 0;
  const areCharged = async () => {
    const done = (await lastEvent(sql)) - before;
    if (done - seen >= 5 * count) {
      seen = done;
      log(`${done} of ${count * age} charges`);
    }
    return done >= count * age;
  };
  await eventually('all plans have aged', areCharged, { timeoutMs: Number.POSITIVE_INFINITY, everyMs: 500 });
  log(`aged, ${((count * age * 1000) / (performance.now() - begun)).toFixed(0)} charges a second`);
  await sql`drop trigger bench_fall_due_again on payment_plans`;
  live.charges += age;
  await expectChargedOnce(sql, live);
}

/** The events in a plan's history: those of its present run, which a worker that has lost it replays. */
export async function historyFigure(group: string, temporal: Temporal, { ids }: LivePlans): Promise<Figure> {
  const lengths = await inParallel(ids.slice(0, looked), 4, async (id) => {
    return (await temporal.workflow.getHandle(`payment-plan/${id}`).describe()).historyLength;
  });
  return figure(`${group}.history`, 'events in the history of a plan, in its present run', 'events', lengths);
}
