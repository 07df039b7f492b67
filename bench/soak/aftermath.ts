import { setTimeout as pause } from 'node:timers/promises';
import { findViolations } from '../../src/operations/invariants/invariants.ts';
import type { Bench } from '../bench.ts';
import type { Receiver } from '../receiver.ts';
import type { Load } from './load.ts';

const quietTimeoutMs = 60_000;
const lookAgainMs = 250;

/** Waits until nothing is under way, and answers in words what is not as it should be after a run; nothing, if all is well. */
export async function findFaults(
  { sql }: Bench,
  load: Load,
  receiver: Receiver,
  firstEvent: number,
): Promise<string[]> {
  const faults = load.failures.first.map((message) => `under load: ${message}`);
  const left = await untilQuiet({ sql }, load);
  if (left !== null) faults.push(left);
  await load.plans.expectChargedOnce().catch((error: unknown) => faults.push(String(error)));
  const events = await sql<{ id: string }[]>`select id from events where not livemode and sequence > ${firstEvent}`;
  const lost = events.filter(({ id }) => !receiver.arrivals.has(id));
  if (lost.length > 0)
    faults.push(`${lost.length} of ${events.length} events have not arrived, ${lost[0]?.id} among them`);
  for (const { invariant, id, detail } of await findViolations(sql)) faults.push(`${invariant}: ${id} ${detail}`);
  return faults;
}

async function untilQuiet({ sql }: Pick<Bench, 'sql'>, load: Load): Promise<string | null> {
  const giveUpAt = performance.now() + quietTimeoutMs;
  for (;;) {
    await load.plans.takeLags();
    const [left] = await sql<{ intents: number; deliveries: number; attempts: number }[]>`
      select (select count(*)::integer from workflow_intents) as intents,
        (select count(*)::integer from webhook_deliveries where status = 'pending') as deliveries,
        (select count(*)::integer from payment_attempts where outcome = 'processing') as attempts`;
    const counts = { ...left, plans: load.plans.overdue(Number.NEGATIVE_INFINITY) };
    if (Object.values(counts).every((count) => count === 0)) return null;
    if (performance.now() > giveUpAt) return `still under way a minute after the load: ${JSON.stringify(counts)}`;
    await pause(lookAgainMs);
  }
}
