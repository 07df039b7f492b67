import { addDays, dateIn, daysBetween, type PlainDate, startOfDay } from '../calendar.ts';
import type { Id } from '../ids.ts';
import type { CustomerInstant } from '../instants.ts';
import { withTaxable } from '../tax/taxable.ts';
import type { MinorUnits, PeriodNumber } from '../units.ts';
import { accountLine, amountEntry, entry, postAll } from './account.ts';
import { foretell } from './apply.ts';
import { nextPeriodAmount } from './coming.ts';
import { coverLine, type Fund, withheldOf } from './cover.ts';
import { changeLines, type PeriodLine, type SubscriptionItem, sumOf } from './lines.ts';
import { lengthOf } from './periods.ts';
import { discountLines } from './pricing.ts';
import type { SubscriptionRefusal } from './requests.ts';
import type { SubscriptionStepChange } from './steps.ts';
import { calendarOf, type Period, type SubscriptionWithPeriods } from './subscription.ts';

/** A change of what a subscription sells. */
export interface ItemChange {
  items: SubscriptionItem[];
  when: 'now' | 'period_end';
  proration: 'days' | 'none';
  collect: 'now' | 'next_period';
}

/** What a change costs. Amounts are without surcharge. It holds until the end of the customer's day. */
export interface Quote {
  lines: PeriodLine[];
  /** What is taken now. */
  amount: MinorUnits;
  /** What the next period takes after it. 0 if none is to come. */
  nextPeriodAmount: MinorUnits;
  validUntil: CustomerInstant;
}

/** The quote of a change, and what it changes. If its amount is not 0, it is made once that is paid. */
export interface QuotedChange {
  quote: Quote;
  change: SubscriptionStepChange;
  /** The lines of the change itself, without what the account had before. */
  own: PeriodLine[];
}

/**
 * Returns what the days are worth that are left of a period as its subscription is canceled at this instant, as the
 * quote of a change to nothing. Without a paid period there is none. `funds` are as for `quoteChange`.
 */
export function quoteUnused(
  subscription: SubscriptionWithPeriods,
  at: CustomerInstant,
  funds: readonly Fund[] | null = null,
): QuotedChange | SubscriptionRefusal {
  const { terms, current, timeZone } = subscription;
  const today = dateIn(at, timeZone);
  if (current?.status === 'processing') return { refused: 'Its period is being charged. Wait for the outcome.' };
  const isPaid = terms.state === 'active' && current?.status === 'paid' && current.end_date > today;
  const own = isPaid ? linesNow({ items: [], proration: 'days' }, subscription, today) : [];
  const cover = coverOf(subscription, own, funds);
  const { entries = [], periods = [] } = madeNow({ items: [], proration: 'days' }, subscription, own, cover);
  const change = isPaid ? { entries, periods, events: [] } : { events: [] };
  const quote = {
    lines: [...own, ...cover.lines],
    amount: 0,
    nextPeriodAmount: 0,
    validUntil: validUntil(at, timeZone),
  };
  return { quote, change, own };
}

/** The most that the payment of a change takes: as much as a period can cost. */
const mostCents: MinorUnits = 99_999_999;

/**
 * Returns what a change costs at this instant, or why it is refused. The days that are left count this day.
 * @param funds the payments of the current period, newest first. Without them, they hold all that was paid.
 */
export function quoteChange(
  request: ItemChange,
  subscription: SubscriptionWithPeriods,
  at: CustomerInstant,
  funds: readonly Fund[] | null = null,
): QuotedChange | SubscriptionRefusal {
  const { terms, timeZone } = subscription;
  const today = dateIn(at, timeZone);
  const why = whyRefused(request, subscription, today);
  if (why !== null) return { refused: why };
  if (request.when === 'period_end') {
    const isSame = priceKey(request.items) === priceKey(terms.items);
    const change: SubscriptionStepChange = isSame
      ? { terms: { next_items: null }, events: terms.next_items === null ? [] : ['change_removed'] }
      : { terms: { next_items: request.items }, events: ['change_scheduled'] };
    return { quote: quoteOf([], 0, subscription, change, at), change, own: [] };
  }
  const own = linesNow(request, subscription, today);
  const cover = coverOf(subscription, own, funds);
  const lines = [...own, ...cover.lines];
  const change = madeNow(request, subscription, own, cover);
  const owed = sumOf(postAll(terms, change.entries ?? []).next_period_lines);
  if (request.collect === 'next_period' || owed === 0) {
    const quote = quoteOf(lines, 0, subscription, change, at);
    const isLost = owed > 0 && quote.nextPeriodAmount === 0;
    if (isLost) return { refused: 'No further period can take what this change costs. Use collect: now.' };
    return { quote, change, own };
  }
  if (owed > mostCents) return { refused: `The change would cost ${owed}, which is more than ${mostCents}.` };
  const payment = amountEntry('change_paid', terms.current_number, 'Payment of a change', 0 - owed);
  const paid = { ...change, entries: [...(change.entries ?? []), ...payment] };
  return { quote: quoteOf(paidNow(lines, owed), owed, subscription, paid, at), change, own };
}

/** A change whose payment is under way. */
export interface OpenChange extends Pick<ItemChange, 'items' | 'proration'> {
  /** The period in which it was requested. */
  period: PeriodNumber;
  /** Its own lines. */
  lines: PeriodLine[];
  /** What was to be paid, and by which payment. Null if nothing was. */
  amount_cents: MinorUnits;
  payment_intent_id: Id<'payment_intent'> | null;
}

/** Returns the lines of a change that takes this amount now: its own, and one for what the account had before. */
export function paidNow(own: PeriodLine[], amount: MinorUnits): PeriodLine[] {
  return [...own, ...accountLine('Earlier changes and credit', amount - sumOf(own))];
}

/** Returns until when a quote of this instant is valid: the end of the customer's day. */
export function validUntil(at: CustomerInstant, timeZone: string): CustomerInstant {
  return startOfDay(addDays(dateIn(at, timeZone), 1), timeZone);
}

/**
 * The payment of a change has succeeded. If its period is over by then, or the subscription is no longer active, the
 * change is not made: the money is credit. `funds` are as for `quoteChange`, without this payment.
 */
export function changePaid(
  subscription: SubscriptionWithPeriods,
  open: OpenChange,
  funds: readonly Fund[] | null = null,
): { change: SubscriptionStepChange; isMade: boolean } {
  const { terms } = subscription;
  const { amount_cents: amount, period, payment_intent_id: id } = open;
  const payment = amountEntry('change_paid', period, 'Payment of a change', 0 - amount, id);
  const isMade = terms.state === 'active' && terms.current_number === period;
  if (!isMade) return { isMade, change: { terms: closed, entries: payment, events: ['change_failed'] } };
  const paid = funds && [{ kind: 'change' as const, paid: amount, held: amount }, ...funds];
  const cover = coverOf(subscription, open.lines, paid);
  const made = madeNow(open, subscription, open.lines, cover);
  const entries = [...(made.entries ?? []), ...payment];
  return { isMade, change: { ...made, terms: { ...made.terms, ...closed }, entries } };
}

/** The payment of a change was declined, or another change takes its place. Nothing else changes. */
export function changeFailed(): SubscriptionStepChange {
  return { terms: { ...closed }, events: ['change_failed'] };
}

/** The bank has taken the payment of a change back. The next period takes it. */
export function changeReturned(open: OpenChange): SubscriptionStepChange {
  const { amount_cents: amount, period, payment_intent_id: id } = open;
  const entries = amountEntry('change_returned', period, 'Payment of a change that came back', amount, id);
  return { entries, events: [] };
}

const closed = { change_payment_intent_id: null };

function whyRefused(
  { when }: ItemChange,
  { terms, current }: SubscriptionWithPeriods,
  today: PlainDate,
): string | null {
  const { state, ends_at: endsAt } = terms;
  if (state === 'past_due') return 'It is past_due. Its unpaid period must be paid first.';
  if (state === 'pending') return 'It is pending. Update it instead: nothing is charged before it starts.';
  if (state === 'canceled') return 'It is canceled and can no longer be changed.';
  if (state === 'paused') {
    return when === 'now' ? 'It is paused, so no period could change. Change it at the period’s end.' : null;
  }
  if (current === null || current.end_date <= today) return 'Its next period is about to begin. Try again in a moment.';
  if (when === 'period_end') {
    return endsAt !== null && endsAt <= current.end_date ? `It ends on ${endsAt}: no period follows.` : null;
  }
  return current.status === 'paid' ? null : 'Its period is being charged. Wait for the outcome.';
}

/** The lines of a change that is made now. A trial costs nothing. */
function linesNow(
  { items, proration }: Pick<ItemChange, 'items' | 'proration'>,
  { terms, current }: SubscriptionWithPeriods,
  today: PlainDate,
): PeriodLine[] {
  if (proration === 'none' || current === null || current.kind === 'trial') return [];
  const { number, start_date: start, end_date: end } = current;
  // Another process, whose clock is ahead, may have begun the period.
  const from = today > start ? today : start;
  const { whole } = lengthOf(calendarOf(terms), { number, start, end });
  const length = { days: daysBetween(from, end), whole };
  const before = terms.billed_items ?? terms.items;
  const lines = changeLines({ before, after: items }, length);
  const priceOf = (kind: PeriodLine['kind']) => Math.abs(sumOf(lines.filter((line) => line.kind === kind)));
  const lost: PeriodLine[] = discountLines(terms.discounts, before, length, priceOf('credit')).map((line) => ({
    ...line,
    description: `${line.description} not used`,
    amount_cents: 0 - line.amount_cents,
    ...(line.taxable_cents === undefined ? {} : { taxable_cents: 0 - line.taxable_cents }),
  }));
  const found = discountLines(terms.discounts, items, length, priceOf('proration'));
  return withTaxable([...lines, ...lost, ...found], () => true);
}

/** What is withheld of the current period's credit after a change with these lines, and the line for what differs. */
interface Cover {
  withheld_cents: MinorUnits;
  lines: PeriodLine[];
}

function coverOf(
  { current }: SubscriptionWithPeriods,
  own: readonly PeriodLine[],
  funds: readonly Fund[] | null,
): Cover {
  if (current === null || funds === null) return { withheld_cents: current?.withheld_cents ?? 0, lines: [] };
  const changed = { ...current, changed_cents: current.changed_cents + sumOf(own) };
  const withheld = withheldOf(changed, funds);
  return { withheld_cents: withheld, lines: coverLine(withheld - current.withheld_cents) };
}

/** The change as it is made, with its lines on the account. It replaces one that was scheduled. */
function madeNow(
  { items, proration }: Pick<ItemChange, 'items' | 'proration'>,
  { terms, current }: SubscriptionWithPeriods,
  lines: PeriodLine[],
  cover: Cover,
): SubscriptionStepChange {
  const isTrial = terms.state === 'trialing';
  const billed = proration === 'none' && !isTrial ? (terms.billed_items ?? terms.items) : null;
  const withheld = cover.lines.length === 0 ? [] : [entry('withheld', terms.current_number, cover.lines)];
  return {
    terms: { items, next_items: null, billed_items: billed },
    entries: [...(lines.length === 0 ? [] : [entry('change', terms.current_number, lines)]), ...withheld],
    periods: current === null ? [] : [{ number: current.number, change: changedBy(current, lines, cover) }],
    events: ['changed'],
  };
}

function changedBy(
  { changed_cents: before }: Period,
  lines: PeriodLine[],
  { withheld_cents }: Cover,
): Pick<Period, 'changed_cents' | 'withheld_cents'> {
  return { changed_cents: before + sumOf(lines), withheld_cents };
}

function quoteOf(
  lines: PeriodLine[],
  amount: MinorUnits,
  subscription: SubscriptionWithPeriods,
  change: SubscriptionStepChange,
  at: CustomerInstant,
): Quote {
  const next = nextPeriodAmount(foretell(subscription, change, at), at);
  return { lines, amount, nextPeriodAmount: next, validUntil: validUntil(at, subscription.timeZone) };
}

function priceKey(items: readonly SubscriptionItem[]): string {
  return JSON.stringify(
    items.map(({ name, unit_amount_cents: unit, quantity, tax_included = true }) => [
      name,
      unit,
      quantity,
      tax_included,
    ]),
  );
}
