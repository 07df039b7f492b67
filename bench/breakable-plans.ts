import { eventually } from '../lab/eventually.ts';
import { findViolations } from '../src/operations/invariants/invariants.ts';
import { findMismatches } from '../src/operations/reconciler/reconciler.ts';
import type { Pool } from '../src/platform/postgres/connection.ts';
import type { RunContext } from './bench.ts';
import type { Breakable } from './breakable.ts';
import { leadFor } from './due-course.ts';
import { type Calls, expectOneSuccessEach } from './ledger.ts';
import { expectChargedOnce, type LivePlans, setTimers } from './live-plans.ts';

const trialCount = 200;
const farAheadMs = 3_600_000;
const restTimeoutMs = 90_000;
const lookAgainMs = 500;

/**
 * Lets all plans have a timer for one instant, and returns it. Before it there is as much time as a trial with some of
 * them needs, and `spareMs` more. @throws Error if some have no timer when it comes
 */
export async function startAllTimers(
  service: Breakable,
  live: LivePlans,
  log: RunContext['log'],
  spareMs = 0,
): Promise<Date> {
  const { sql, temporal } = service;
  const trial = live.ids.slice(0, trialCount);
  const tried = await setTimers(sql, temporal, trial, farAheadMs);
  const expectedMs = (tried.preparedMs / trial.length) * live.ids.length;
  log(`to have all timers, the plans may take ${(expectedMs / 1000).toFixed(0)} s`);
  live.charges += 1;
  const { dueAt, areSet } = await setTimers(sql, temporal, live.ids, 2 * leadFor(expectedMs) + spareMs);
  if (!areSet) throw new Error(`not all of ${live.ids.length} plans had their timer in time`);
  return dueAt;
}

/** @throws unless the end state is that of an undisturbed run. */
export async function judgeEndState(service: Breakable, live: LivePlans): Promise<Calls> {
  const sql = service.openFreshPool();
  try {
    await untilAtRest(sql, service);
    const calls = await expectOneSuccessEach(service.ledgerFile, await expectChargedOnce(sql, live));
    const violations = await findViolations(sql);
    if (violations.length > 0) throw new Error(`invariants are broken: ${JSON.stringify(violations.slice(0, 3))}`);
    return calls;
  } finally {
    await sql.end();
  }
}

/** @throws Error unless nothing is under way, and Temporal and PostgreSQL agree, within a minute and a half */
async function untilAtRest(sql: Pool, { side }: Breakable): Promise<void> {
  let state = '';
  const isAtRest = async () => {
    const [left] = await sql<{ outbox: number; attempts: number; due: number }[]>`
      select (select count(*)::integer from workflow_intents) as outbox,
        (select count(*)::integer from payment_attempts where outcome = 'processing') as attempts,
        (select count(*)::integer from payment_plans where wake_at <= now()) as due`;
    const isIdle = Object.values(left ?? {}).every((count) => count === 0);
    const mismatches = isIdle ? await findMismatches(sql, side) : null;
    state = `${JSON.stringify(left)}, mismatches ${JSON.stringify(mismatches?.slice(0, 3))}`;
    return mismatches?.length === 0;
  };
  await eventually(() => `everything is at rest: ${state}`, isAtRest, {
    timeoutMs: restTimeoutMs,
    everyMs: lookAgainMs,
  });
}
