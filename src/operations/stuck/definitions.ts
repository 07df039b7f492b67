import { workflowIdOf } from '../../platform/postgres/outbox.ts';
import { define, type StuckDefinition } from './find-stuck.ts';
import { failedClocks, slowAdvances } from './queries/clocks.ts';
import { overduePlans, overdueScheduledPayments, processingPayments, processingRefunds } from './queries/payments.ts';
import { deliveryBacklogs, failingEndpoints } from './queries/webhooks.ts';
import { foundDifferences, lateComparison, waitingIntents } from './queries/workflows.ts';

const minute = 60;
const day = 24 * 60 * minute;

/** The operator command as it is typed on the command line. */
export function opsCommand(...words: (string | null)[]): string {
  return ['npm run --silent ops --', ...words].join(' ');
}

/**
 * What "stuck" means, by kind, as far as PostgreSQL knows it. `workflows.ts` has the kinds that Temporal knows. Each
 * limit is several times what the slowest healthy case takes, a restart of every process included.
 */
export const stuckDefinitions: readonly StuckDefinition[] = [
  define({
    kind: 'plan_overdue',
    meaning: 'A plan’s payment or retry is due, and nobody makes it.',
    afterSeconds: 5 * minute,
    query: overduePlans,
    tell: ({ subject_id: id, ...plan }) => ({
      why: whyOverdue(plan),
      remedy: `Mend the cause, then ${opsCommand('recheck', id)} (Web UI: Update recheck).`,
      workflowId: workflowIdOf('paymentPlan', id ?? ''),
    }),
  }),
  define({
    kind: 'scheduled_payment_overdue',
    meaning: 'A scheduled payment’s date has come, and nobody makes it.',
    afterSeconds: 5 * minute,
    query: overdueScheduledPayments,
    tell: ({ subject_id: id }) => ({
      why: 'its date has come and it was not attempted',
      remedy: `Mend the cause, then ${opsCommand('recheck', id)} (Web UI: Update recheck).`,
      workflowId: workflowIdOf('scheduledPayment', id ?? ''),
    }),
  }),
  define({
    kind: 'payment_processing',
    meaning: 'A payment was opened, and the processor’s answer is not known.',
    afterSeconds: 2 * minute,
    query: processingPayments,
    tell: ({ subject_id: id, number, source, payment_plan_id: planId }) => ({
      why: `attempt ${number} (${source}) has no outcome: the processor does not answer, or no worker asks it again`,
      remedy:
        'Mend the processor, or start a worker: every worker asks again each five seconds, under the same key. ' +
        `Its log says why that fails (housekeeping)${source === 'confirm' ? '.' : `; then ${opsCommand('recheck', planId ?? id)}.`}`,
      ...(source === 'confirm'
        ? {}
        : {
            workflowId:
              planId === null ? workflowIdOf('scheduledPayment', id ?? '') : workflowIdOf('paymentPlan', planId),
          }),
    }),
  }),
  define({
    kind: 'refund_processing',
    meaning: 'A refund was opened, and the processor’s answer is not known.',
    afterSeconds: 2 * minute,
    query: processingRefunds,
    tell: ({ payment_intent_id: intentId }) => ({
      why: `the refund of ${intentId} has no outcome: the processor does not answer, or no worker asks it again`,
      remedy:
        'Mend the processor, or start a worker: every worker asks again each five seconds, under the same key. ' +
        'Its log says why that fails (housekeeping).',
    }),
  }),
  define({
    kind: 'advance_slow',
    meaning: 'A test clock is still advancing.',
    afterSeconds: 2 * minute,
    query: slowAdvances,
    tell: ({ subject_id: id, due, due_id: dueId, target_time: target }) => ({
      why:
        due === 0
          ? `on its way to ${target.toISOString()}: nothing is due any more, and nobody says ready`
          : `on its way to ${target.toISOString()}: ${due} still to be collected, such as ${dueId}`,
      remedy: `${opsCommand('retry-advance', id)} (Web UI: Update retryAdvance).`,
      workflowId: workflowIdOf('testClock', id ?? ''),
    }),
  }),
  define({
    kind: 'clock_failed',
    meaning: 'A test clock has failed in the last day: an effect could not be carried out.',
    afterSeconds: 0,
    query: failedClocks,
    tell: ({ subject_id: id, failure_reason: reason }) => ({
      why: reason ?? 'no reason was kept',
      remedy:
        'Mend the cause. A failed clock stays failed: its biller deletes it and makes another. It is not told of after a day.',
      workflowId: workflowIdOf('testClock', id ?? ''),
    }),
  }),
  define({
    kind: 'delivery_backlog',
    meaning: 'Deliveries to an endpoint are due, and nobody attempts them.',
    afterSeconds: 5 * minute,
    query: deliveryBacklogs,
    tell: ({ waiting, oldest_id: oldest }) => ({
      why: `${waiting} due and not attempted, the oldest is ${oldest}: no worker makes deliveries, or the receiver answers too slowly`,
      remedy: `See that a worker runs; then ${opsCommand('retry-delivery', oldest)}, or give-up-delivery (Web UI: Updates retryNow, giveUp).`,
      ...(oldest === null ? {} : { workflowId: workflowIdOf('webhookDelivery', oldest) }),
    }),
  }),
  define({
    kind: 'endpoint_failing',
    meaning: 'A webhook endpoint has only failed for a day, or was disabled for it in the last thirty.',
    afterSeconds: day,
    query: failingEndpoints,
    tell: ({ subject_id: id, status, pending, last_error: error }) => ({
      why: `${status === 'disabled' ? 'disabled after days of failure' : `${pending} waiting`}; the last attempt: ${error ?? 'not known'}`,
      remedy:
        status === 'disabled'
          ? `When the receiver works again: ${opsCommand('enable-endpoint', id)}, which sends what it has missed.`
          : `Tell its biller; when the receiver works again: ${opsCommand('retry-delivery', id)}.`,
    }),
  }),
  define({
    kind: 'workflow_intents_waiting',
    meaning: 'Temporal was not told what has been committed.',
    afterSeconds: minute,
    query: waitingIntents,
    tell: ({ subject_id: id, workflow_type: type, attempts, last_error: error }) => ({
      why: attempts === 0 ? 'no process carries it out' : `tried ${attempts} times: ${error ?? 'its process ended'}`,
      remedy: 'Start Temporal, and an API or a worker: it is carried out by itself within ten seconds.',
      workflowId: workflowIdOf(type, id ?? ''),
    }),
  }),
  define({
    kind: 'workflows_differ',
    meaning: 'The last comparison has found workflows that PostgreSQL and Temporal do not agree on.',
    afterSeconds: 0,
    query: foundDifferences,
    tell: ({ missing, orphaned, stale }) => ({
      why: `${missing} missing, ${orphaned} orphaned, ${stale} stale: one of the two was lost, or restored from a back-up`,
      remedy:
        'They were mended. The next comparison, within five minutes, finds none; at once: npm run --silent reconcile.',
    }),
  }),
  define({
    kind: 'comparison_late',
    meaning: 'Nobody has compared PostgreSQL with Temporal lately.',
    afterSeconds: 15 * minute,
    query: lateComparison,
    tell: () => ({
      why: 'no worker has finished a comparison: none runs, one of the two is away, or the database was restored from a back-up',
      remedy: 'Start a worker: npm run worker; or compare once: npm run --silent reconcile.',
    }),
  }),
];

function whyOverdue(plan: {
  next_slot: number;
  next_due_at: Date | null;
  next_attempt_at: Date | null;
  retry_slot: number | null;
  failures: number | null;
  last_error_code: string | null;
}): string {
  const isRetry = plan.next_attempt_at !== null && Number(plan.next_attempt_at) <= Number(plan.next_due_at ?? Infinity);
  if (!isRetry) return `slot ${plan.next_slot} is due and was not attempted`;
  return `slot ${plan.retry_slot} is to be tried again after ${plan.failures} failures, the last ${plan.last_error_code}`;
}
