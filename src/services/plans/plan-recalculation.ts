import { selectFirstDebitOf } from '../../db/bank-debits.ts';
import { listSlots, type PlanSlotRow, putSlot } from '../../db/payment-plan-slots.ts';
import { type CollectingPlanRow, cadenceOf, type PaymentPlanRow, termsOf, updatePlan } from '../../db/payment-plans.ts';
import { earliestInstant, firstSlotAfter, isNearSlot } from '../../domain/calendar.ts';
import { inMoney } from '../../domain/currencies.ts';
import { isId } from '../../domain/ids.ts';
import { nextPaymentAmount, type PlanProgress } from '../../domain/plan-schedule.ts';
import { hasEnded } from '../../domain/plan-state.ts';
import { slotInWords } from '../../messages/slot-in-words.ts';
import type { Db, Tx } from '../../platform/postgres/connection.ts';
import { type ChangeOrigin, type Changes, changesBetween, recordAudit } from '../accounts/audit.ts';
import { CommandRefused } from '../command-refused.ts';
import { NotFound } from '../errors.ts';
import { wake } from '../wake.ts';
import { committedAmount, dueInstant } from './plan-calendar.ts';
import { capital, entryOf, ofSlot, withPlan } from './plan-operations.ts';
import { correctedSlots, isOpen, skippedRow } from './slot-correction.ts';

/** What to do with payments that the corrected dates make due at once. Null: the operator has not said. */
export type OverdueChoice = 'charge' | 'skip' | null;

/** Whether a text of an operator is such a choice. */
export function isOverdueChoice(text: string | null): text is OverdueChoice {
  return text === null || text === 'charge' || text === 'skip';
}

/** The columns of a plan that are recalculated. */
type Course = Pick<
  PaymentPlanRow,
  'next_slot' | 'next_due_at' | 'next_attempt_at' | 'next_debit_at' | 'collected_amount_cents'
>;

/** A plan as it should be. */
interface Corrected {
  slots: PlanSlotRow[];
  course: Course;
  /** A payment that the corrected dates make due at once, in words. */
  overdue: string | null;
}

/**
 * Corrects the rows of a plan that contradict each other. Its payment intents say which slots were charged and what was
 * collected; its calendar and dunning say when the next payment and each retry are due. A slot that has a payment keeps
 * it, so no slot is charged anew. The command itself charges nothing: the plan's workflow does what is due. A payment
 * that would be due at once is charged or skipped only if `overdue` says so.
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
  return withPlan(db, planId, origin.now, async (tx, { plan, at }) => {
    const stored = await listSlots(tx, planId);
    const corrected = await correct(tx, plan, stored, { at, choice });
    const changes = changesOf(plan, stored, corrected);
    if (Object.keys(changes).length === 0) throw new CommandRefused(nothingToCorrect);
    const isAsked = corrected.overdue !== null && choice === null;
    const follows = isAsked ? `${capital(corrected.overdue ?? '')}. ${choices}` : whatFollows(plan, corrected, at);
    if (isDryRun) return report('Nothing was changed. The correction would be:', changes, follows);
    if (isAsked) throw new CommandRefused(`Nothing was done: ${corrected.overdue}. ${choices}`);
    await store(tx, plan, stored, corrected, at);
    await recordAudit(tx, { ...entryOf(plan, origin), action: 'payment_plan.recalculated', changes });
    if (!hasEnded(plan.state)) await wake.paymentPlan(tx, plan, origin.now, { start: true });
    return report('Corrected:', changes, follows);
  });
}

const nothingToCorrect = 'Nothing to correct: the plan’s dates and slots agree with its calendar and its payments.';
const choices =
  'Add --overdue charge to have what is overdue charged at once, or --overdue skip to skip it for good: the calendar then ' +
  'continues with the next date to come.';

async function correct(
  tx: Tx,
  locked: CollectingPlanRow,
  stored: readonly PlanSlotRow[],
  { at, choice }: { at: Date; choice: OverdueChoice },
): Promise<Corrected> {
  const { slots, collected } = await correctedSlots(tx, locked, stored, at);
  const debit = await selectFirstDebitOf(tx, { planId: locked.id });
  const challenges = slots.map(({ challenge_ends_at: endsAt }) => endsAt);
  const next_debit_at = earliestInstant([debit?.next_at ?? null, ...challenges]);
  const plan = { ...locked, next_slot: slots.length, next_debit_at, collected_amount_cents: collected };
  assertNotAllCollected(plan);
  const course = courseOf(plan, slots);
  const nextRetry = slots.find((slot) => slot.next_attempt_at?.getTime() === course.next_attempt_at?.getTime());
  const isRetriedAtOnce = isNewAndBy(at, course.next_attempt_at, locked.next_attempt_at);
  if (isRetriedAtOnce && choice === 'skip') throw new CommandRefused(giveUpFirst(plan.id, nextRetry?.slot ?? 0));
  if (isNewAndBy(at, course.next_due_at, locked.next_due_at)) {
    const continued = withoutPassed(plan, slots, at);
    if (choice === 'skip') return { ...continued, overdue: null };
    const others = continued.course.next_slot - plan.next_slot - 1;
    const overdue = `${nextInWords(plan, slots)} is overdue since ${iso(course.next_due_at)}`;
    return { slots, course, overdue: others === 0 ? overdue : `${overdue}, and ${others} more after it` };
  }
  if (!isRetriedAtOnce || nextRetry === undefined) return { slots, course, overdue: null };
  return { slots, course, overdue: `the retry of ${retryInWords(plan, nextRetry)} is overdue` };
}

/** The course of a plan, by its slots. */
function courseOf(plan: CollectingPlanRow, slots: readonly PlanSlotRow[]): Course {
  const { next_slot, next_debit_at, collected_amount_cents } = plan;
  const ended = { next_slot, next_due_at: null, next_attempt_at: null, next_debit_at, collected_amount_cents };
  if (plan.state !== 'active') return ended;
  const due = dueInstant(plan, progressBy(plan, slots));
  const isKept = due !== null && plan.next_due_at !== null && isNearSlot(cadenceOf(plan), next_slot, plan.next_due_at);
  return {
    ...ended,
    next_due_at: isKept ? plan.next_due_at : due,
    next_attempt_at: earliestInstant(slots.map(({ next_attempt_at: date }) => date)),
  };
}

/** As a resume does: slots that have passed are skipped, and the calendar continues after `at`. */
function withoutPassed(plan: CollectingPlanRow, slots: readonly PlanSlotRow[], at: Date) {
  const next_slot = firstSlotAfter(cadenceOf(plan), plan.time_zone, at, plan.next_slot);
  const passed = Array.from({ length: next_slot - plan.next_slot }, (_, index) =>
    skippedRow(plan, plan.next_slot + index),
  );
  const all = [...slots, ...passed];
  return { slots: all, course: courseOf({ ...plan, next_slot }, all) };
}

function progressBy(plan: CollectingPlanRow, slots: readonly PlanSlotRow[]): PlanProgress {
  const paymentsOpened = slots.filter(({ status }) => status !== 'skipped').length;
  return { nextSlot: plan.next_slot, paymentsOpened, committedAmount: committedAmount(plan, slots.filter(isOpen)) };
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

/** Whether a date is another than before, and has come. */
function isNewAndBy(at: Date, date: Date | null, before: Date | null): boolean {
  return date !== null && date <= at && date.getTime() !== before?.getTime();
}

async function store(
  tx: Tx,
  plan: CollectingPlanRow,
  stored: readonly PlanSlotRow[],
  { slots, course }: Corrected,
  at: Date,
): Promise<void> {
  const before = new Set(stored);
  for (const row of slots) if (!before.has(row)) await putSlot(tx, row);
  await updatePlan(tx, plan.id, { ...course, updated_at: at });
}

function changesOf(plan: CollectingPlanRow, stored: readonly PlanSlotRow[], { slots, course }: Corrected): Changes {
  const { next_slot, next_due_at, next_attempt_at, next_debit_at, collected_amount_cents } = plan;
  const before = new Map(stored.map((row) => [row.slot, row]));
  const ofSlots = slots.map((row) => {
    const was = before.get(row.slot);
    return ofSlot(row, changesBetween(was === undefined ? null : shown(was), shown(row)));
  });
  const ofPlan = changesBetween(
    { next_slot, next_due_at, next_attempt_at, next_debit_at, collected_amount_cents },
    course,
  );
  return Object.assign({}, ...ofSlots, ofPlan);
}

function shown({ status, amount, payment_intent_id, next_attempt_at }: PlanSlotRow) {
  return { status, amount, payment_intent_id, next_attempt_at };
}

function report(title: string, changes: Changes, follows: string): string {
  const lines = Object.entries(changes).map(([field, { from, to }]) => `  ${field}: ${inText(from)} → ${inText(to)}`);
  return [title, ...lines, follows].join('\n');
}

/** What happens next, in money. */
function whatFollows(plan: CollectingPlanRow, { slots, course }: Corrected, at: Date): string {
  if (plan.state !== 'active') return `The plan is ${plan.state}: nothing is charged.`;
  const known = { ...plan, ...course };
  const { next_due_at: dueAt, next_attempt_at: retryAt } = course;
  if (retryAt !== null && (dueAt === null || retryAt <= dueAt)) {
    const retry = slots.find(({ next_attempt_at: date }) => date?.getTime() === retryAt.getTime());
    return retry === undefined ? '' : `Next: the retry of ${retryInWords(plan, retry)}, ${when(retryAt, at)}.`;
  }
  if (dueAt === null) return 'The plan waits for the outcome of a charge.';
  return `Next: ${nextInWords(known, slots)}, ${when(dueAt, at)}.`;
}

function when(date: Date, at: Date): string {
  return date <= at ? 'charged at once' : `charged at ${iso(date)} and not before`;
}

function nextInWords(plan: CollectingPlanRow, slots: readonly PlanSlotRow[]): string {
  const amount = nextPaymentAmount(termsOf(plan), progressBy(plan, slots)) ?? 0;
  return `${slotInWords(plan.next_slot)} of ${inMoney(amount, plan.currency)}`;
}

function retryInWords({ currency }: CollectingPlanRow, { slot, amount }: PlanSlotRow): string {
  return `${slotInWords(slot)} of ${inMoney(amount ?? 0, currency)}`;
}

function giveUpFirst(planId: string, slot: number): string {
  return (
    `Nothing was done: the retry of ${slotInWords(slot)} is overdue. To give that payment up, first: ` +
    `npm run --silent ops -- skip-slot ${planId} ${slot}.`
  );
}

function inText(value: unknown): string {
  if (value === null) return 'none';
  return value instanceof Date ? value.toISOString() : String(value);
}

function iso(date: Date | null): string {
  return date?.toISOString() ?? 'an unknown time';
}
