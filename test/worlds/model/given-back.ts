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
 * period held. Refunds that leave credit which came from their payment.
 */
function moreCreditThanIsHeld(story: Story): string[] {
  return Object.keys(story.periods).flatMap((name) => {
    const payments = story.payments.filter(({ subject }) => subject === name);
    const faults: string[] = [];
    const paidOut = new Map<string, number>();
    const sumPaidOut = () => [...paidOut.values()].reduce((sum, amount) => sum + amount, 0);
    for (const { type, subject, data, at, sequence } of story.happenings) {
      const payment = payments.find(({ refunds }) => refunds.some((refund) => refund.name === subject));
      const refund = payment?.refunds.find((one) => one.name === subject);
      if (type !== 'refund.succeeded' || payment === undefined || refund === undefined) continue;
      const now = Date.parse(at);
      const before = creditOf(story, name, { at: now, sequence: sequence - 1 });
      const unspent = unspentOf(payment, payments, before, paidOut);
      const due = Math.min(data.amount - (data.surcharge_amount ?? 0), unspent);
      // Of a change at the same instant, it is not known which came first.
      const isSure = (story.changes[name] ?? []).every(({ changedAt }) => changedAt !== now);
      if (refund.credit < due && isSure)
        faults.push(`${subject}: takes ${refund.credit} of credit, and ${due} came from its payment`);
      paidOut.set(payment.name, (paidOut.get(payment.name) ?? 0) + refund.credit);
      const { credit: most } = creditOf(story, name, { at: now, sequence });
      if (refund.credit > 0 && sumPaidOut() > most)
        faults.push(`${subject}: ${sumPaidOut()} of credit paid out by ${at}, and ${Math.max(0, most)} held`);
    }
    const { credit_balance_cents: credit, next_period_lines: lines } = story.resources[name] ?? {};
    const owed = (lines ?? []).reduce((sum: number, line: { amount_cents: number }) => sum + line.amount_cents, 0);
    const atEnd = creditOf(story, name, { at: story.now, sequence: Infinity });
    const most = Math.max(0, atEnd.credit - sumPaidOut() + owed);
    if (credit > most) faults.push(`${name}: ${credit} of credit at the end, and ${most} held`);
    return faults;
  });
}

/** What is left of the credit that came from a payment: credit is used oldest payment first. */
function unspentOf(payment: Payment, oldestFirst: Payment[], { credit, given }: Credit, paidOut: Map<string, number>) {
  let left = Math.max(
    0,
    [...paidOut.values()].reduce((sum, amount) => sum - amount, credit),
  );
  for (const { name } of oldestFirst.toReversed()) {
    const unspent = Math.min(left, Math.max(0, (given.get(name) ?? 0) - (paidOut.get(name) ?? 0)));
    if (name === payment.name) return unspent;
    left -= unspent;
  }
  return 0;
}

/** When something is looked at. */
interface Moment {
  at: number;
  sequence: number;
}

/** The credit that a subscription had to give. `given` is what each of its payments gave of it. */
interface Credit {
  credit: number;
  given: Map<string, number>;
}

/**
 * The credit that a subscription had to give up to a moment: what its changes and their payments left, period by
 * period, less what later periods have used. It comes from the payments of the changes first, the newest first, and
 * from each only what that holds.
 */
function creditOf(story: Story, name: string, until: Moment): Credit {
  const heldBy = (payment: string | null) => (payment === null ? 0 : heldOf(story, payment, until));
  const changes = (story.changes[name] ?? []).filter(({ changedAt }) => changedAt <= until.at);
  const periods = (story.periods[name] ?? []).filter(({ beganAt }) => beganAt <= until.at);
  const numbers = new Set(
    [...periods, ...changes.map(({ period: number }) => ({ number }))].map(({ number }) => number),
  );
  const given = new Map<string, number>();
  let credit = 0;
  const give = (payment: string | null, amount: number) => {
    credit += amount;
    if (payment !== null) given.set(payment, Math.min(amount, heldBy(payment)));
  };
  for (const number of numbers) {
    const period = periods.find((one) => one.number === number && !isVoid(story, one, until));
    const made = changes.filter((one) => one.period === number && one.status === 'made');
    const cost = period === undefined ? 0 : made.reduce((sum, { lines }) => sum + lines, 0);
    let left = made.reduce((sum, { payment }) => sum + everHeldOf(story, payment, until), 0) - cost;
    if (left < 0) credit += left;
    for (const { payment } of made.toReversed()) {
      const part = Math.min(Math.max(0, left), everHeldOf(story, payment, until));
      left -= part;
      if (payment !== null) give(payment, Math.min(part, heldBy(payment)));
    }
    if (period !== undefined) {
      const opening = heldBy(period.payment) - period.carried;
      give(period.payment, Math.min(Math.max(0, left), Math.max(0, opening)));
    }
    const credited = changes.filter((one) => one.period === number && one.status === 'credited');
    for (const { payment } of credited) give(payment, heldBy(payment));
    credit += period?.carried ?? 0;
  }
  return { credit, given };
}

/** Nothing is owed for a void period. Its payment was canceled then; one that was never paid has none. */
function isVoid(story: Story, { status, payment }: Period & { payment: string | null }, until: Moment): boolean {
  if (status !== 'void') return false;
  const canceled = eventsOf(story, 'payment_intent.canceled').find(({ subject }) => subject === payment);
  return canceled === undefined || canceled.sequence <= until.sequence;
}

/** What a payment holds, without surcharge: what it took, less refunds but of credit, and nothing once it came back. */
function heldOf(story: Story, name: string, until: Moment): number {
  const payment = story.payments.find((one) => one.name === name);
  if (payment === undefined) return 0;
  const creditIn = new Map(payment.refunds.map(({ name: refund, credit }) => [refund, credit]));
  let [isTaken, refunded] = [false, 0];
  for (const { type, subject, data, sequence } of eventsAbout(story, payment)) {
    if (sequence > until.sequence) break;
    if (type === 'payment_intent.succeeded') isTaken = true;
    if (type === 'payment_intent.returned') isTaken = false;
    if (type === 'refund.succeeded') refunded += data.amount - (creditIn.get(subject) ?? 0);
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
