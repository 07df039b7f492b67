import { dueQueries } from '../../../db/due-on-clock.ts';
import { unionAll } from '../../../db/subject-parts.ts';
import type { CustomerInstant } from '../../../domain/instants.ts';
import { workflowIdOf } from '../../../messages/workflow-types.ts';
import type { StuckKind } from '../reading/find-stuck.ts';
import { opsCommand } from '../reading/ops-command.ts';

/** What an advance still has to do. */
interface SlowAdvance {
  /** Null if the clock has lost it. */
  target_time: CustomerInstant | null;
  /** Whether the row of the advance is there. */
  has_advance: boolean;
  /** How many subjects and mandates are due up to the target, or are being charged. */
  due: number;
  /** One of them. */
  due_id: string | null;
}

/** Clocks whose advance was accepted and has not ended, and clocks that are advancing without the row of an advance. */
export const advanceSlow: StuckKind<SlowAdvance> = {
  kind: 'advance_slow',
  meaning: 'A test clock is still advancing.',
  after: 45,
  asksWorkflow: true,
  waitsForWrites: true,
  rows: (db, { before }) => db`
    select k.id as subject_id, k.biller_id, k.livemode, a.requested_at as since
    from clock_advances a
    join test_clocks k on k.id = a.test_clock_id
    where a.status = 'advancing' and a.requested_at <= ${before}
    union all
    select k.id, k.biller_id, k.livemode, null
    from test_clocks k
    where k.status = 'advancing'
      and not exists (select 1 from clock_advances a where a.test_clock_id = k.id and a.status = 'advancing')`,
  facts: (db) => db`
    select k.target_time, count(d.id)::integer as due, min(d.id) as due_id,
      exists (select 1 from clock_advances a where a.test_clock_id = k.id and a.status = 'advancing') as has_advance
    from test_clocks k
    left join lateral (
      ${unionAll(
        db,
        Object.values(dueQueries).map(
          ({ dueOnClock }) => db`select id from (${dueOnClock(db, db`k.id`, db`k.target_time`)}) due`,
        ),
      )}
    ) d on true
    where k.id = f.subject_id
    group by k.id`,
  say: ({ subject_id: id, due, due_id: dueId, target_time: target, has_advance: hasAdvance }) => ({
    why: hasAdvance
      ? `on its way to ${target?.toISOString()}: ${due === 0 ? 'nothing more is due, but the clock is not ready' : `still to collect: ${due}, such as ${dueId}`}`
      : 'it is advancing, but the row of its advance is lost: nothing moves it',
    remedy: `${opsCommand('retry-advance', id)} (Web UI: Update retryAdvance).`,
    workflowId: workflowIdOf('testClock', id ?? ''),
  }),
};

const reportedDays = 1;

/**
 * Clocks that have failed in the last day. A failure is final: it is reported so that an operator looks at it, and then
 * dropped.
 */
export const clockFailed: StuckKind<{ failure_reason: string | null }> = {
  kind: 'clock_failed',
  meaning: 'A test clock has failed in the last day: an effect failed.',
  after: 0,
  rows: (db, { now }) => db`
    select k.id as subject_id, k.biller_id, k.livemode, a.finished_at as since
    from test_clocks k
    join clock_advances a on a.test_clock_id = k.id and a.status = 'failed'
    where k.status = 'failed' and a.finished_at > ${now}::timestamptz - make_interval(days => ${reportedDays})`,
  facts: (db) => db`select failure_reason from test_clocks where id = f.subject_id`,
  say: ({ subject_id: id, failure_reason: reason }) => ({
    why: reason ?? 'no reason was recorded',
    remedy:
      'Fix the cause. A failed clock stays failed: its biller deletes it and makes another. It is reported for a day.',
    workflowId: workflowIdOf('testClock', id ?? ''),
  }),
};
