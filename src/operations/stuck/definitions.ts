import { inMoney } from '../../domain/currencies.ts';
import { customerInstant } from '../../domain/instants.ts';
import { slotInWords } from '../../messages/slot-in-words.ts';
import { workflowIdOf, workflowIdOfOwner } from '../../messages/workflow-types.ts';
import { attemptIdOf } from '../../services/payments/charge-records.ts';
import { otherAmount, wrongDates } from '../../services/plans/plan-dates.ts';
import { wrongTerms } from '../../services/plans/plan-terms.ts';
import { wordsAboutEndpoint } from './endpoint-words.ts';
import { type Description, define, type StuckDefinition } from './find-stuck.ts';
import { opsCommand } from './ops-command.ts';
import { overdueDefinitions } from './overdue.ts';
import { heldCharging, lateProcessorComparison } from './queries/charging.ts';
import { failedClocks, slowAdvances } from './queries/clocks.ts';
import { brokenRows, doubtfulRows } from './queries/invariants.ts';
import { type OpenAttempt, processingPayments, processingRefunds } from './queries/payments.ts';
import { type InconsistentPlan, inconsistentPlans } from './queries/plans.ts';
import { processesWith } from './queries/processes.ts';
import { deliveryBacklogs, failingEndpoints, lostDeliveries } from './queries/webhooks.ts';
import { foundDifferences, lateComparison, lostSubjects, unknownEntries, waitingEntries } from './queries/workflows.ts';

const minute = 60;
const day = 24 * 60 * minute;
/** Only then an endpoint that fails is stuck: most receivers come back on their own. */
export const endpointFailsForSeconds = day;
/**
 * Most charges take a second. A processor has 10 s to prepare a charge and 30 s to make it (`http-processor.ts`), so
 * one that is merely slow is named too: money waits for it.
 */
const outcomeComesWithinSeconds = 10;

/**
 * What "stuck" means, by kind, as far as PostgreSQL knows it. `workflows.ts` has the kinds that Temporal knows. Each
 * limit is several times what the slowest healthy case takes, a restart of every process included.
 */
export const stuckDefinitions: readonly StuckDefinition[] = [
  ...overdueDefinitions,
  define({
    kind: 'plan_inconsistent',
    meaning:
      'A plan’s amounts, state or dates are not those that the service has given it, or a slot is lost. Nothing is charged.',
    afterSeconds: 0,
    query: inconsistentPlans,
    describe: ({ subject_id: id, ...plan }) => ({
      why: whyInconsistent(plan),
      remedy: `${opsCommand('recalculate', id)} (with --dry-run it only shows the correction).`,
      workflowId: workflowIdOf('paymentPlan', id ?? ''),
    }),
  }),
  define({
    kind: 'payment_processing',
    meaning: 'A payment was opened, and its outcome is not known.',
    afterSeconds: outcomeComesWithinSeconds,
    query: processingPayments,
    describe: ({ subject_id: id, livemode, attempt_id: attemptId, source, ...payment }) => {
      if (attemptId === null) return describeLost(payment);
      return {
        why: `attempt ${payment.number} (${source}) has no outcome: ${silence(livemode)}`,
        remedy:
          `${remedyOfSilence(livemode)} ` +
          `Its log says why that fails (housekeeping)${source === 'confirm' ? '' : `; then ${opsCommand('recheck', payment.payment_plan_id ?? payment.subscription_id ?? id)}`}. ` +
          `If it never knows the outcome: ${opsCommand('settle', attemptId, '--as', 'OUTCOME', '--evidence', 'TEXT')}.`,
        ...(source === 'confirm'
          ? {}
          : { workflowId: workflowIdOfOwner(payment) ?? workflowIdOf('scheduledPayment', id ?? '') }),
      };
    },
  }),
  define({
    kind: 'refund_processing',
    meaning: 'A refund was opened, and its outcome is not known.',
    afterSeconds: outcomeComesWithinSeconds,
    query: processingRefunds,
    describe: ({ payment_intent_id: intentId, livemode }) => ({
      why: `the refund of ${intentId} has no outcome: ${silence(livemode)}`,
      remedy: `${remedyOfSilence(livemode)} Its log says why that fails (housekeeping).`,
    }),
  }),
  define({
    kind: 'charging_held',
    meaning: 'Live charges and refunds are held.',
    afterSeconds: 0,
    query: heldCharging,
    describe: ({ charges, refunds, example }) => ({
      why:
        example === null
          ? 'an operator holds them'
          : `the live processor has made ${charges} charges and ${refunds} refunds that are not in this database, such as ` +
            `${example}: it was restored from a back-up`,
      remedy:
        'Compare unknown_movements with the processor (docs/operations.md, After a restore); then ' +
        `${opsCommand('release-charging', '--evidence', 'TEXT')}.`,
    }),
  }),
  define({
    kind: 'processor_comparison_late',
    meaning: 'Live charges were not compared with the processor lately. An hour after the last comparison they wait.',
    afterSeconds: 15 * minute,
    query: lateProcessorComparison,
    describe: ({ compared_at: at }) => ({
      why:
        `the last comparison was ${at === null ? 'never made' : `at ${at.toISOString()}`}: no worker runs, or the live ` +
        'processor does not respond to /movements',
      remedy: 'Fix the live processor (LIVE_PROCESSOR_URL, docs/processors.md), or start a worker: npm run worker.',
    }),
  }),
  define({
    kind: 'advance_slow',
    meaning: 'A test clock is still advancing.',
    afterSeconds: 45,
    query: slowAdvances,
    describe: ({ subject_id: id, due, due_id: dueId, target_time: target, has_advance: hasAdvance }) => ({
      why: hasAdvance
        ? `on its way to ${target?.toISOString()}: ${due === 0 ? 'nothing more is due, but the clock is not ready' : `still to collect: ${due}, such as ${dueId}`}`
        : 'it is advancing, but the row of its advance is lost: nothing moves it',
      remedy: `${opsCommand('retry-advance', id)} (Web UI: Update retryAdvance).`,
      workflowId: workflowIdOf('testClock', id ?? ''),
    }),
  }),
  define({
    kind: 'clock_failed',
    meaning: 'A test clock has failed in the last day: an effect failed.',
    afterSeconds: 0,
    query: failedClocks,
    describe: ({ subject_id: id, failure_reason: reason }) => ({
      why: reason ?? 'no reason was recorded',
      remedy:
        'Fix the cause. A failed clock stays failed: its biller deletes it and makes another. It is reported for a day.',
      workflowId: workflowIdOf('testClock', id ?? ''),
    }),
  }),
  define({
    kind: 'delivery_backlog',
    meaning: 'Deliveries to an endpoint are due and were not attempted.',
    afterSeconds: 5 * minute,
    query: deliveryBacklogs,
    describe: ({ waiting, oldest_id: oldest, ...news }) => ({
      why: `${waiting} due and not attempted, the oldest is ${oldest}; they go ${wordsAboutEndpoint(news)}`,
      remedy:
        'Remove the reason that is named last. If no worker takes deliveries, start one: npm run worker (npm start does so ' +
        `automatically). They are then sent automatically; to send the oldest now: ${opsCommand('retry-delivery', oldest)}, ` +
        'or give-up-delivery (Web UI: Updates retryNow, giveUp).',
      ...(oldest === null ? {} : { workflowId: workflowIdOf('webhookDelivery', oldest) }),
    }),
  }),
  define({
    kind: 'delivery_lost',
    meaning: 'The row of a webhook delivery was deleted before the delivery had ended.',
    afterSeconds: 0,
    query: lostDeliveries,
    describe: ({ endpoint_id: endpointId }) => ({
      why: 'its workflow found no row, so its event is no longer sent. The service deletes no such row: a person or a program did',
      remedy: `Find out who deleted it. ${opsCommand('retry-delivery', endpointId)} makes the row anew, and sends the event.`,
    }),
  }),
  define({
    kind: 'endpoint_failing',
    meaning: 'A webhook endpoint has only failed for a day, or was disabled for that in the last thirty days.',
    afterSeconds: endpointFailsForSeconds,
    query: failingEndpoints,
    describe: ({ subject_id: id, status, pending, ...news }) => ({
      why: `${status === 'disabled' ? 'disabled after days of failure' : `${pending} waiting`}: ${wordsAboutEndpoint(news)}`,
      remedy:
        status === 'disabled'
          ? `When the receiver works again: ${opsCommand('enable-endpoint', id)}, which sends what it has missed.`
          : `Inform its biller; when the receiver works again: ${opsCommand('retry-delivery', id)}.`,
    }),
  }),
  define({
    kind: 'workflow_intents_waiting',
    meaning: 'An outbox entry was not dispatched to Temporal.',
    afterSeconds: minute,
    query: waitingEntries,
    describe: ({ subject_id: id, workflow_type: type, attempts, last_error: error }) => ({
      why: attempts === 0 ? 'no process dispatches it' : `tried ${attempts} times: ${error ?? 'its process ended'}`,
      remedy: 'Start Temporal, and an API or a worker: it is then dispatched within ten seconds.',
      workflowId: workflowIdOf(type, id ?? ''),
    }),
  }),
  define({
    kind: 'workflow_intent_unknown',
    meaning: 'An outbox entry is of a type that this version does not know. It is set aside; all others continue.',
    afterSeconds: 10,
    query: unknownEntries,
    describe: ({ subject_id: subjectId, id, workflow_type: type }) => ({
      why: `entry ${id} is for a workflow of the type ${JSON.stringify(type)}: written by a newer version, or changed by hand`,
      remedy:
        'If a newer version has written it, start its processes: they dispatch it. Otherwise ' +
        `${opsCommand('delete-entry', String(id))}, and, if the object is there, ${opsCommand('recheck', subjectId)}.`,
    }),
  }),
  define({
    kind: 'rows_broken',
    meaning: 'A row breaks an invariant: it was changed by hand, restored in part, or written by a bug.',
    afterSeconds: 0,
    query: brokenRows,
    describe: ({ invariant, detail, remedy }) => ({
      why: `${detail}; but ${invariant}`,
      remedy: `${remedy} It is looked at again within a minute; npm run --silent check:invariants looks now.`,
    }),
  }),
  define({
    kind: 'rows_doubtful',
    meaning: 'Two equal live payments were charged under one Idempotency-Key. A hint, no proof.',
    afterSeconds: 0,
    query: doubtfulRows,
    describe: ({ detail, remedy }) => ({ why: detail, remedy }),
  }),
  define({
    kind: 'row_lost',
    meaning: 'The row of a plan, a subscription or a scheduled payment was deleted before it had ended.',
    afterSeconds: 0,
    query: lostSubjects,
    describe: ({ subject_id: id }) => ({
      why:
        'its workflow ran, and it has no row, so nothing is charged for it. The service deletes such a row with its test clock ' +
        'only: a person or a program did, or PostgreSQL was restored from a back-up that is older',
      remedy:
        `Find out who deleted it. Restore its rows from a back-up; then ${opsCommand('recheck', id)}. If it is to stay ` +
        `deleted: delete from lost_subjects where id = '${id}'.`,
    }),
  }),
  define({
    kind: 'clock_wrong',
    meaning: 'The clock of a process is not that of PostgreSQL.',
    afterSeconds: 0,
    query: processesWith('clock'),
    describe: ({ process, detail }) => ({
      why: `${process}: ${detail}. What it opens is dated wrongly`,
      remedy:
        'Correct the clock of its host (its time server, timedatectl), or end the process until that is done. Nothing is ' +
        'charged early: dates count by the clock of PostgreSQL. If that one is wrong, correct it instead.',
    }),
  }),
  define({
    kind: 'files_used_up',
    meaning: 'A process cannot open another file or connection.',
    afterSeconds: 0,
    query: processesWith('files'),
    describe: ({ process, detail }) => ({
      why: `${process}: ${detail}`,
      remedy:
        'Raise its limit of open files (ulimit -n, LimitNOFILE in systemd), then start it again; its log says so too. If many ' +
        'clients keep connections open, let the proxy close them.',
    }),
  }),
  define({
    kind: 'encryption_keys_old',
    meaning: 'A process has an older list of encryption keys than another one.',
    afterSeconds: 0,
    query: processesWith('keys'),
    describe: ({ process, detail }) => ({
      why: `${process}: ${detail}. What others seal with it does not open there: webhooks, bank accounts and links fail`,
      remedy:
        'Start this process again with the ENCRYPTION_KEYS of the others (SECURITY.md, rotation). If the key was given up ' +
        'before anything was sealed with it, start one process once with its id in ENCRYPTION_KEYS_LOST: it is then forgotten.',
    }),
  }),
  define({
    kind: 'workflows_differ',
    meaning: 'The last comparison found workflows on which PostgreSQL and Temporal differ.',
    afterSeconds: 0,
    query: foundDifferences,
    describe: ({ missing, orphaned, stale, examples }) => ({
      why:
        `${missing} missing, ${orphaned} orphaned, ${stale} stale: one of the two was lost or restored from a back-up, or rows ` +
        `were changed by hand${examples.length === 0 ? '' : ` (${examples.join('; ')})`}`,
      remedy:
        'They were repaired, except those that are not started: correct what they name. The next comparison, within five minutes, finds none; to compare now: npm run --silent reconcile.',
    }),
  }),
  define({
    kind: 'comparison_late',
    meaning: 'PostgreSQL was not compared with Temporal lately.',
    afterSeconds: 15 * minute,
    query: lateComparison,
    describe: () => ({
      why: 'no worker has finished a comparison: no worker runs, one of the two is away, or the database was restored from a back-up',
      remedy: 'Start a worker: npm run worker; or compare once: npm run --silent reconcile.',
    }),
  }),
];

/** A payment that is processing, and whose last attempt has no row. */
function describeLost(payment: Omit<OpenAttempt, 'attempt_id' | 'source'>): Description {
  const { id, number, total_amount: amount, currency } = payment;
  return {
    why:
      `attempt ${number} has lost its row: it was deleted by hand, or restored in part. The processor may have taken ` +
      `${inMoney(amount, currency)} under the key ${attemptIdOf(payment, number)}, and nothing asks about it`,
    remedy:
      'Find out who deleted it, and look for this key in the processor’s account. Then ' +
      `${opsCommand('settle', id, '--as', 'OUTCOME', '--evidence', 'TEXT')}, with --reference REFERENCE if the processor has a ` +
      'charge there: its own id. It is asked first; nothing is charged.',
  };
}

function silence(livemode: boolean | null): string {
  return `the ${livemode ? 'live processor' : 'processor'} has not responded, or the process that asked it has ended`;
}

function remedyOfSilence(livemode: boolean | null): string {
  const processor = livemode ? 'the live processor (LIVE_PROCESSOR_URL, docs/processors.md)' : 'the processor';
  return `Fix ${processor}, or start a worker: every worker asks again every five seconds.`;
}

function whyInconsistent({ open, without_row: lost, at, ...plan }: InconsistentPlan): string {
  const dateOf = (text: string | null) => (text === null ? null : customerInstant(text));
  const slots = open.map((slot) => ({
    ...slot,
    first_failed_at: dateOf(slot.first_failed_at),
    last_result_at: dateOf(slot.last_result_at),
    next_attempt_at: dateOf(slot.next_attempt_at),
  }));
  const { currency } = plan;
  const reasons = [
    ...wrongTerms(plan),
    ...slots
      .filter((slot) => slot.amount !== slot.intent_amount)
      .map((slot) => otherAmount(slot, { amount: slot.intent_amount, currency })),
    ...wrongDates(plan, slots, at).map(({ why }) => why),
    ...(lost ?? []).map((slot) => `${slotInWords(slot)} has a payment, but its row is lost`),
  ];
  return reasons.join('; ') || 'it was corrected meanwhile';
}
