import type { Fragment } from 'postgres';
import type { AttemptSource } from '../../../db/payment-attempts.ts';
import { challengeMs } from '../../../domain/challenges.ts';
import { inMoney } from '../../../domain/currencies.ts';
import type { MinorUnits } from '../../../domain/units.ts';
import { workflowIdOf, workflowIdOfOwner } from '../../../messages/workflow-types.ts';
import type { Db } from '../../../platform/postgres/connection.ts';
import type { RealInstant } from '../../../platform/real-time.ts';
import { type AttemptedIntent, attemptIdOf } from '../../../services/payments/charge-records.ts';
import { type Description, minute, type StuckKind, type StuckThreshold } from '../reading/find-stuck.ts';
import { opsCommand } from '../reading/ops-command.ts';

/**
 * Most charges take a second. A processor has 10 s to prepare a charge and 30 s to make it (`http-processor.ts`), so
 * one that is merely slow is named too: money waits for it.
 */
const outcomeComesWithinSeconds = 10;

/** An attempt whose outcome is not known yet. Null what only its row knows: that is lost. */
interface OpenAttempt extends AttemptedIntent {
  attempt_id: string | null;
  number: number;
  source: AttemptSource | null;
  /** What the payer pays. */
  total_amount: MinorUnits;
  currency: string;
}

/**
 * Opened since before `before`; or in the future, by a process whose clock is ahead: its age is then unknown. The age
 * of one by a process whose clock is behind is too great, and it is found at once.
 */
const wasOpened = (db: Db, openedAt: Fragment, { before, now }: StuckThreshold) =>
  db`(${openedAt} <= ${before} or ${openedAt} > ${now}::timestamptz + make_interval(secs => ${toleratedSeconds}))`;
const toleratedSeconds = 5;

const sinceOf = (db: Db, openedAt: Fragment, { now }: StuckThreshold) =>
  db`case when ${openedAt} <= ${now} then ${openedAt} end as since`;

/**
 * Payments that were opened, and to which the processor has not responded since; also those that have lost their last
 * attempt: nothing asks about them. The index of lists finds these without reading others.
 */
export const paymentProcessing: StuckKind<OpenAttempt> = {
  kind: 'payment_processing',
  meaning: 'A payment was opened, and its outcome is not known.',
  after: outcomeComesWithinSeconds,
  asksWorkflow: true,
  waitsForWrites: true,
  rows: (db, threshold) => db`
    select i.id as subject_id, i.biller_id, i.livemode, ${sinceOf(db, db`a.opened_at`, threshold)}
    from payment_attempts a
    join payment_intents i on i.id = a.payment_intent_id
    where a.outcome = 'processing' and ${wasOpened(db, db`a.opened_at`, threshold)}
    union all
    select i.id, i.biller_id, i.livemode, case when c.test_clock_id is null then i.updated_at end
    from billers b
    cross join (values (true), (false)) as m (livemode)
    cross join lateral (
      select id, biller_id, livemode, customer_id, attempt_count, updated_at from payment_intents
      where biller_id = b.id and livemode = m.livemode and status = 'processing' offset 0
    ) i
    left join customers c on c.id = i.customer_id
    where i.attempt_count > 0 and (c.test_clock_id is not null or ${wasOpened(db, db`i.updated_at`, threshold)})
      and not exists (
        select from payment_attempts a where a.payment_intent_id = i.id and a.number = i.attempt_count
      )`,
  facts: (db) => db`
    select a.id as attempt_id, coalesce(a.number, i.attempt_count) as number, a.source, i.id, i.payment_plan_id,
      i.payment_plan_slot, i.subscription_id, i.subscription_charge, i.total_amount, i.currency
    from payment_intents i
    left join payment_attempts a on a.payment_intent_id = i.id and a.outcome = 'processing'
    where i.id = f.subject_id`,
  say: ({ subject_id: id, livemode, attempt_id: attemptId, source, ...payment }) => {
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
};

/**
 * Refunds that were opened, and to which the processor has not responded since. One that it has and has not decided is
 * asked about every hour.
 */
export const refundProcessing: StuckKind<{ payment_intent_id: string }> = {
  kind: 'refund_processing',
  meaning: 'A refund was opened, and its outcome is not known.',
  after: outcomeComesWithinSeconds,
  waitsForWrites: true,
  rows: (db, threshold) => db`
    select id as subject_id, biller_id, livemode, ${sinceOf(db, db`opened_at`, threshold)}
    from refunds
    where status = 'processing' and ${wasOpened(db, db`opened_at`, threshold)}
      and (pending_at is null or pending_at < ${threshold.now}::timestamptz - interval '2 hours')`,
  facts: (db) => db`select payment_intent_id from refunds where id = f.subject_id`,
  say: ({ payment_intent_id: intentId, livemode }) => ({
    why: `the refund of ${intentId} has no outcome: ${silence(livemode)}`,
    remedy: `${remedyOfSilence(livemode)} Its log says why that fails (housekeeping).`,
  }),
};

/** A live payment whose payer no longer has time for the challenge of the bank. */
interface OverdueChallenge {
  attempt_id: string;
  number: number;
  total_amount: MinorUnits;
  currency: string;
}

/** Live payments whose challenge has not ended in time. A worker asks every five seconds, and gives it up. */
export const challengeOverdue: StuckKind<OverdueChallenge> = {
  kind: 'challenge_overdue',
  meaning: 'A live payment waits for its payer at the bank longer than the payer has time.',
  after: minute,
  waitsForWrites: true,
  rows: (db, { before }) => db`
    select i.id as subject_id, i.biller_id, true as livemode, e.at as since
    from payment_attempts a
    join payment_intents i on i.id = a.payment_intent_id
    cross join lateral (
      select coalesce(a.challenge_ends_at, a.opened_at + make_interval(secs => ${challengeMs / 1000})) as at
    ) e
    where a.outcome = 'requires_action' and i.livemode and e.at <= ${before}`,
  facts: (db) => db`
    select a.id as attempt_id, a.number, i.total_amount, i.currency
    from payment_intents i join payment_attempts a on a.payment_intent_id = i.id and a.outcome = 'requires_action'
    where i.id = f.subject_id`,
  say: ({ subject_id: id, attempt_id: attemptId, number, total_amount: amount, currency }) => ({
    why:
      `attempt ${number}, ${inMoney(amount, currency)}, has no outcome: the live processor does not say what became of ` +
      'the challenge, or does not say where its payer has to go',
    remedy:
      `${remedyOfSilence(true)} Its log says why that fails (housekeeping). If the processor waits for a payer whom it ` +
      `sends nowhere, the biller cancels ${id}. If it never knows the outcome: ` +
      `${opsCommand('settle', attemptId, '--as', 'OUTCOME', '--evidence', 'TEXT')}.`,
  }),
};

/** What the live processor has done and the database does not know. */
interface UnknownToUs {
  charges: number;
  refunds: number;
  /** The reference of the oldest, with its amount and currency; null if there is none. */
  example: string | null;
}

/** Live charging, if it is held. */
export const chargingHeld: StuckKind<UnknownToUs> = {
  kind: 'charging_held',
  meaning: 'Live charges and refunds are held.',
  after: 0,
  rows: (db, { before }) => db`
    select null as subject_id, null as biller_id, true as livemode, held_at as since
    from live_charging
    where held_at <= ${before}`,
  facts: (db) => db`
    select count(*) filter (where kind = 'charge')::integer as charges,
      count(*) filter (where kind = 'refund')::integer as refunds,
      (array_agg(coalesce(reference, idempotency_key) || ' (' || amount || ' ' || currency || ')' order by found_at))[1]
        as example
    from unknown_movements u
    where case when u.kind = 'refund' then not exists (select from refunds where id = u.subject_id)
      else not exists (select from payment_attempts where id = u.subject_id) end`,
  say: ({ charges, refunds, example }) => ({
    why:
      example === null
        ? 'an operator holds them'
        : `the live processor has made ${charges} charges and ${refunds} refunds that are not in this database, such as ` +
          `${example}: it was restored from a back-up`,
    remedy:
      'Compare unknown_movements with the processor (docs/operations.md, "Live charging is held"); then ' +
      `${opsCommand('release-charging', '--evidence', 'TEXT')}.`,
  }),
};

/** The comparison with the live processor, if there are live charges that it should have seen by now. */
export const processorComparisonLate: StuckKind<{ compared_at: RealInstant | null }> = {
  kind: 'processor_comparison_late',
  meaning: 'Live charges were not compared with the processor lately. An hour after the last comparison they wait.',
  after: 15 * minute,
  waitsForWrites: true,
  rows: (db, { before }) => db`
    select null as subject_id, null as biller_id, true as livemode, min(a.opened_at) as since
    from payment_attempts a
    join payment_reservations r on r.attempt_id = a.id and r.livemode
    where a.opened_at <= ${before}
      and a.opened_at > coalesce((select compared_at from live_charging), '-infinity')
    having count(*) > 0`,
  facts: (db) => db`select compared_at from live_charging`,
  say: ({ compared_at: at }) => ({
    why:
      `the last comparison was ${at === null ? 'never made' : `at ${at.toISOString()}`}: no worker runs, or the live ` +
      'processor does not respond to /movements',
    remedy: 'Fix the live processor (LIVE_PROCESSOR_URL, docs/processors.md), or start a worker: npm run worker.',
  }),
};

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
