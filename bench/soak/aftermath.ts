import { becomesTrue } from '../../lab/eventually.ts';
import { findViolations } from '../../src/operations/invariants/invariants.ts';
import type { Bench } from '../bench.ts';
import type { BenchReceiver } from '../receiver.ts';
import type { Load } from './load.ts';

const quietTimeoutMs = 60_000;
const lookAgainMs = 250;

/** Waits until nothing is under way, and returns in words what is wrong after a run: nothing, if all is well. */
export async function findProblems(
  { sql }: Bench,
  load: Load,
  receiver: BenchReceiver,
  firstEvent: number,
): Promise<string[]> {
  const problems = load.failures.first.map((message) => `under load: ${message}`);
  const left = await untilQuiet({ sql }, load);
  if (left !== null) problems.push(left);
  await load.plans.expectChargedOnce().catch((error: unknown) => problems.push(String(error)));
  const events = await sql<{ id: string }[]>`select id from events where not livemode and sequence > ${firstEvent}`;
  const lost = events.filter(({ id }) => !receiver.arrivals.has(id));
  if (lost.length > 0)
    problems.push(`${lost.length} of ${events.length} events have not arrived, ${lost[0]?.id} among them`);
  for (const { invariant, id, detail } of await findViolations(sql)) problems.push(`${invariant}: ${id} ${detail}`);
  return problems;
}

async function untilQuiet({ sql }: Pick<Bench, 'sql'>, load: Load): Promise<string | null> {
  let counts: Record<string, number> = {};
  const isQuiet = async () => {
    await load.plans.takeLags();
    const [left] = await sql<{ outbox: number; deliveries: number; attempts: number }[]>`
      select (select count(*)::integer from workflow_intents) as outbox,
        (select count(*)::integer from webhook_deliveries where status = 'pending') as deliveries,
        (select count(*)::integer from payment_attempts where outcome = 'processing') as attempts`;
    counts = { ...left, plans: load.plans.overdue(Number.NEGATIVE_INFINITY) };
    return Object.values(counts).every((count) => count === 0);
  };
  if (await becomesTrue(isQuiet, { timeoutMs: quietTimeoutMs, everyMs: lookAgainMs })) return null;
  return `still under way a minute after the load: ${JSON.stringify(counts)}`;
}
