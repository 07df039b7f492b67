import { selectFirstDebitOf } from '../../db/bank-debits.ts';
import { listAllSlots } from '../../db/payment-plan-slots.ts';
import type { CollectingPlanRow } from '../../db/payment-plans.ts';
import { earliestInstant } from '../../domain/calendar.ts';
import { inMoney } from '../../domain/currencies.ts';
import { isId } from '../../domain/ids.ts';
import type { CustomerInstant } from '../../domain/instants.ts';
import { nextPaymentAmount } from '../../domain/plan-schedule.ts';
import { hasEnded } from '../../domain/plan-state.ts';
import {
  applyChange,
  type PlanStepChange,
  type PlanWithSlots,
  progressOf,
  type Slot,
  termsOf,
} from '../../domain/plans/plan.ts';
import { skipPassed } from '../../domain/plans/steps.ts';
import { firstRetry } from '../../domain/recurring/recurring-payment.ts';
import type { SlotNumber } from '../../domain/units.ts';
import { slotInWords } from '../../messages/slot-in-words.ts';
import type { Db, Tx } from '../../platform/postgres/connection.ts';
import { type ChangeOrigin, type Changes, changesBetween, recordAudit } from '../accounts/audit.ts';
import { CommandRefused } from '../command-refused.ts';
import { NotFound } from '../errors.ts';
import { wake } from '../wake.ts';
import { rightTerms } from './plan-consistency.ts';
import { capital, entryOf, ofSlot, withPlan } from './plan-operations.ts';
import { correctedSlots } from './slot-correction.ts';
import { type LockedPlan, store, withSlots } from './store.ts';

/** What to do with payments that the corrected dates make due at once. Null: the operator has not said. */
export type OverdueChoice = 'charge' | 'skip' | null;

/** Whether a text of an operator is such a choice. */
export function isOverdueChoice(text: string | null): text is OverdueChoice {
  return text === null || text === 'charge' || text === 'skip';
}

/** The correction of a plan. */
interface Correction {
  /** What is stored: slots whose rows were lost or wrong, and what the plan has collected. */
  change: PlanStepChange;
  /** The plan as it should be, with all its slots. */
  after: PlanWithSlots & { plan: CollectingPlanRow };
  /** A payment that the corrected dates make due at once, in words. */
  overdue: string | null;
}

/**
 * Corrects the rows of a plan that contradict each other. Its amounts become those that were agreed, and a plan that
 * has ended, or was suspended, is so again. Its payment intents say which slots were charged and what was collected;
 * its calendar and dunning say when the next payment and each retry are due. A slot that has a payment keeps it, so no
 * slot is charged anew. The command itself charges nothing: the plan's workflow does what is due. A payment that would
 * be due at once is charged or skipped only if `overdue` says so.
 * @returns what was changed, or with `isDryRun` would be, and what follows: several lines.
 * @throws CommandRefused; NotFound for an id that is not that of a plan.
 */
export async function recalculatePlan(
  db: Db,
  planId: string,
  { isDryRun, overdue: choice }: { isDryRun: boolean; overdue: OverdueChoice },
  origin: ChangeOrigin,
): Promise<string> {
  if (!isId('payment_plan', planId)) throw new NotFound('payment plan', planId);
  return withPlan(db, planId, origin.now, async (tx, { plan }, at) => {
    const locked = withSlots(plan, await listAllSlots(tx, planId));
    const { change, after, overdue } = await correct(tx, locked, { at, choice });
    const changes = changesOf(locked, after);
    if (Object.keys(changes).length === 0) throw new CommandRefused(nothingToCorrect);
    const isAsked = overdue !== null && choice === null;
    const follows = isAsked ? `${capital(overdue)}. ${choices}` : whatFollows(after, at);
    if (isDryRun) return report('Nothing was changed. The correction would be:', changes, follows);
    if (isAsked) throw new CommandRefused(`Nothing was done: ${overdue}. ${choices}`);
    await store(tx, locked, change, at, { columns: { next_debit_at: after.plan.next_debit_at } });
    await recordAudit(tx, { ...entryOf(plan, origin), action: 'payment_plan.recalculated', changes });
    await wake.paymentPlan(tx, plan, origin.now, { start: !hasEnded(after.plan.state) });
    return report('Corrected:', changes, follows);
  });
}

const nothingToCorrect = 'Nothing to correct: the plan’s dates and slots agree with its calendar and its payments.';
const choices =
  'Add --overdue charge to have what is overdue charged at once, or --overdue skip to skip it for good: the calendar then ' +
  'continues with the next date to come.';

/** The rows as they should be are the payments' and the calendar's; the dates of the plan then follow (`derive`). */
async function correct(
  tx: Tx,
  locked: LockedPlan,
  { at, choice }: { at: CustomerInstant; choice: OverdueChoice },
): Promise<Correction> {
  const terms = rightTerms(locked.plan);
  const plan = { ...locked.plan, ...terms };
  const { slots, collected } = await correctedSlots(tx, plan, locked.slots, at);
  const restores = slots.filter((slot) => !locked.slots.includes(slot));
  const change: PlanStepChange = {
    restores,
    plan: { ...terms, next_slot: slots.length, collected_amount_cents: collected },
  };
  const debit = await selectFirstDebitOf(tx, { planId: plan.id });
  const next_debit_at = earliestInstant([debit?.next_at ?? null, ...slots.map((slot) => slot.challenge_ends_at)]);
  const { planWithSlots: after } = applyChange({ ...locked, plan: { ...plan, next_debit_at } }, change);
  assertNotAllCollected(after.plan);
  const retry = firstRetry(after.slots);
  const isRetriedAtOnce = isNewAndBy(at, after.plan.next_attempt_at, plan.next_attempt_at);
  if (isRetriedAtOnce && choice === 'skip') throw new CommandRefused(giveUpFirst(plan.id, retry?.slot ?? 0));
  if (isNewAndBy(at, after.plan.next_due_at, plan.next_due_at)) {
    const passed = skipPassed(after, at);
    if (choice === 'skip') {
      const skipping = { ...change, ...passed, plan: { ...change.plan, ...passed.plan } };
      return { change: skipping, after: applyChange(after, passed).planWithSlots, overdue: null };
    }
    const overdue = `${nextInWords(after)} is overdue since ${iso(after.plan.next_due_at)}`;
    const others = passed.skips.length - 1;
    return { change, after, overdue: others === 0 ? overdue : `${overdue}, and ${others} more after it` };
  }
  const overdue = isRetriedAtOnce && retry ? `the retry of ${retryInWords(plan, retry)} is overdue` : null;
  return { change, after, overdue };
}

/** Only its biller ends a plan: closing it notifies the biller by an event. */
function assertNotAllCollected(plan: CollectingPlanRow): void {
  const { state, currency, collected_amount_cents: collected, total_amount_cents: total } = plan;
  if (total === null || collected < total || (collected === total && hasEnded(state))) return;
  throw new CommandRefused(
    `Nothing was done: ${inMoney(collected, currency)} of a total of ${inMoney(total, currency)} are collected. ` +
      'Have its biller close the plan, and refund what is more than the total.',
  );
}

/** Whether a date has changed, and has come. */
function isNewAndBy(at: CustomerInstant, date: CustomerInstant | null, before: CustomerInstant | null): boolean {
  return date !== null && date <= at && date.getTime() !== before?.getTime();
}

function changesOf(before: LockedPlan, after: PlanWithSlots & { plan: CollectingPlanRow }): Changes {
  const rowOf = new Map(before.slots.map((row) => [row.slot, row]));
  const ofSlots = after.slots.map((row) => {
    const was = rowOf.get(row.slot);
    return ofSlot(row, changesBetween(was === undefined ? null : shown(was), shown(row)));
  });
  return Object.assign({}, ...ofSlots, changesBetween(recalculated(before.plan), recalculated(after.plan)));
}

/** The columns of a plan that are recalculated. */
function recalculated(plan: CollectingPlanRow) {
  const { state, recurring_amount_cents, first_amount_cents, total_amount_cents } = plan;
  const { next_slot, next_due_at, next_attempt_at, next_debit_at, collected_amount_cents } = plan;
  const terms = { state, recurring_amount_cents, first_amount_cents, total_amount_cents };
  return { ...terms, next_slot, next_due_at, next_attempt_at, next_debit_at, collected_amount_cents };
}

function shown({ status, amount, payment_intent_id, next_attempt_at }: Slot) {
  return { status, amount, payment_intent_id, next_attempt_at };
}

function report(title: string, changes: Changes, follows: string): string {
  const lines = Object.entries(changes).map(([field, { from, to }]) => `  ${field}: ${inText(from)} → ${inText(to)}`);
  return [title, ...lines, follows].join('\n');
}

/** What happens next, in money. */
function whatFollows(after: Correction['after'], at: CustomerInstant): string {
  const { plan, slots } = after;
  if (plan.state !== 'active') return `The plan is ${plan.state}: nothing is charged.`;
  const { next_due_at: dueAt, next_attempt_at: retryAt } = plan;
  const retry = firstRetry(slots);
  if (retry !== null && retryAt !== null && (dueAt === null || retryAt <= dueAt)) {
    return `Next: the retry of ${retryInWords(plan, retry)}, ${when(retryAt, at)}.`;
  }
  if (dueAt === null) return 'The plan waits for the outcome of a charge.';
  return `Next: ${nextInWords(after)}, ${when(dueAt, at)}.`;
}

function when(date: CustomerInstant, at: CustomerInstant): string {
  return date <= at ? 'charged at once' : `charged at ${iso(date)} and not before`;
}

function nextInWords({ plan, slots }: Correction['after']): string {
  const progress = progressOf(
    { plan, slots },
    slots.every(({ status }) => status === 'skipped'),
  );
  const amount = nextPaymentAmount(termsOf(plan), progress) ?? 0;
  return `${slotInWords(plan.next_slot)} of ${inMoney(amount, plan.currency)}`;
}

function retryInWords({ currency }: CollectingPlanRow, { slot, amount }: Slot): string {
  return `${slotInWords(slot)} of ${inMoney(amount ?? 0, currency)}`;
}

function giveUpFirst(planId: string, slot: SlotNumber): string {
  return (
    `Nothing was done: the retry of ${slotInWords(slot)} is overdue. To give that payment up, first: ` +
    `npm run --silent ops -- skip-slot ${planId} ${slot}.`
  );
}

function inText(value: unknown): string {
  if (value === null) return 'none';
  return value instanceof Date ? value.toISOString() : String(value);
}

function iso(date: CustomerInstant | null): string {
  return date?.toISOString() ?? 'an unknown time';
}
