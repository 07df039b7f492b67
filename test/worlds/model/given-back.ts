import type { Happening } from '../telling.ts';
import { eventsOf, type Payment, type Period, type Story } from './story.ts';

/** Money that was given back and not held: by a refund, a return or as credit. Returns a sentence for each. */
export function givenBackTooMuch(story: Story): string[] {
  return [...moreThanWasPaid(story), ...moreCreditThanIsHeld(story)];
}

/** Refunds of more than a payment holds at that time, and returns of what was not taken. */
function moreThanWasPaid(story: Story): string[] {
  return story.payments.flatMap((payment) => {
    let [held, taken] = [0, 0];
    return eventsAbout(story, payment).flatMap(({ type, subject, data, at }) => {
      const before = held;
      if (type === 'payment_intent.succeeded') [held, taken] = [held + payment.total, taken + 1];
      if (type === 'payment_intent.returned') [held, taken] = [held - payment.total, taken - 1];
      if (type === 'refund.succeeded') held -= data.amount;
      if (type === 'refund.succeeded' && held < 0)
        return [`${subject}: ${data.amount} given back of ${before} at ${at}`];
      return taken < 0 ? [`${payment.name}: came back at ${at}, and was not taken`] : [];
    });
  });
}

function eventsAbout({ happenings }: Story, { name, refunds }: Payment): Happening[] {
  const subjects = new Set([name, ...refunds.map((refund) => refund.name)]);
  return happenings.filter(({ subject }) => subjects.has(subject));
}

/**
 * Credit that is paid out, or in hand at the end, beyond what the changes of each period gave and the payments of that
 * period held.
 */
function moreCreditThanIsHeld(story: Story): string[] {
  return Object.keys(story.periods).flatMap((name) => {
    const refunds = story.payments
      .filter(({ subject }) => subject === name)
      .flatMap(({ refunds: all }) => all.filter(({ isOfCredit }) => isOfCredit).map((refund) => refund.name));
    const faults: string[] = [];
    let paidOut = 0;
    for (const { type, subject, data, at, sequence } of story.happenings) {
      if (type !== 'refund.succeeded' || !refunds.includes(subject)) continue;
      paidOut += data.amount;
      const most = creditOf(story, name, { at: Date.parse(at), sequence });
      if (paidOut > most)
        faults.push(`${subject}: ${paidOut} of credit paid out by ${at}, and ${Math.max(0, most)} held`);
    }
    const { credit_balance_cents: credit, next_period_lines: lines } = story.resources[name] ?? {};
    const owed = (lines ?? []).reduce((sum: number, line: { amount_cents: number }) => sum + line.amount_cents, 0);
    const most = Math.max(0, creditOf(story, name, { at: story.now, sequence: Infinity }) - paidOut + owed);
    if (credit > most) faults.push(`${name}: ${credit} of credit at the end, and ${most} held`);
    return faults;
  });
}

/** When something is looked at. */
interface Moment {
  at: number;
  sequence: number;
}

/**
 * The credit that a subscription had to give up to a moment: what its changes and their payments left, period by
 * period and at most what the payments of that period held, less what later periods have used.
 */
function creditOf(story: Story, name: string, until: Moment): number {
  const heldBy = (payment: string | null) => (payment === null ? 0 : heldOf(story, payment, until));
  const changes = (story.changes[name] ?? []).filter(({ changedAt }) => changedAt <= until.at);
  const periods = (story.periods[name] ?? []).filter(({ beganAt }) => beganAt <= until.at);
  const numbers = new Set(
    [...periods, ...changes.map(({ period: number }) => ({ number }))].map(({ number }) => number),
  );
  let credit = 0;
  for (const number of numbers) {
    const period = periods.find((one) => one.number === number && !isVoid(story, one, until));
    const made = changes.filter((one) => one.period === number && one.status === 'made');
    const credited = changes.filter((one) => one.period === number && one.status === 'credited');
    const paid = made.reduce((sum, { payment }) => sum + everHeldOf(story, payment, until), 0);
    const held = made.reduce((sum, { payment }) => sum + heldBy(payment), 0);
    const cost = period === undefined ? 0 : made.reduce((sum, { lines }) => sum + lines, 0);
    const opening = period === undefined ? 0 : heldBy(period.payment) - period.carried;
    const given = paid - cost;
    credit += given > 0 ? Math.min(given, Math.max(0, opening + held)) : given;
    credit += credited.reduce((sum, { payment }) => sum + heldBy(payment), 0);
    credit += period?.carried ?? 0;
  }
  return credit;
}

/** Nothing is owed for a void period. Its payment was canceled then; one that was never paid has none. */
function isVoid(story: Story, { status, payment }: Period & { payment: string | null }, until: Moment): boolean {
  if (status !== 'void') return false;
  const canceled = eventsOf(story, 'payment_intent.canceled').find(({ subject }) => subject === payment);
  return canceled === undefined || canceled.sequence <= until.sequence;
}

/** What a payment holds, without surcharge: what it took, less refunds, and nothing once it came back. */
function heldOf(story: Story, name: string, until: Moment): number {
  const payment = story.payments.find((one) => one.name === name);
  if (payment === undefined) return 0;
  const ofCredit = new Set(payment.refunds.filter(({ isOfCredit }) => isOfCredit).map((refund) => refund.name));
  let [isTaken, refunded] = [false, 0];
  for (const { type, subject, data, sequence } of eventsAbout(story, payment)) {
    if (sequence > until.sequence) break;
    if (type === 'payment_intent.succeeded') isTaken = true;
    if (type === 'payment_intent.returned') isTaken = false;
    if (type === 'refund.succeeded' && !ofCredit.has(subject)) refunded += data.amount;
  }
  return isTaken ? Math.min(payment.amount, payment.total - refunded) : 0;
}

/** What a payment took and the bank has not taken back, whatever was refunded. */
function everHeldOf(story: Story, name: string | null, until: Moment): number {
  const payment = story.payments.find((one) => one.name === name);
  return payment === undefined || heldOf({ ...story, happenings: withoutRefunds(story) }, payment.name, until) === 0
    ? 0
    : payment.amount;
}

const withoutRefunds = ({ happenings }: Story): Happening[] =>
  happenings.filter(({ type }) => type !== 'refund.succeeded');
