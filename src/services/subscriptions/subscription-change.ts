import { selectAttemptOfSubscriptionRequest } from '../../db/payment-attempts.ts';
import { insertPaymentIntent, type LockedIntentRow, lockPaymentIntent } from '../../db/payment-intents.ts';
import type { PaymentMethodRow } from '../../db/payment-methods.ts';
import { selectPeriodFunds } from '../../db/period-funds.ts';
import { insertSubscriptionChange, selectChangeOfIntent } from '../../db/subscription-changes.ts';
import type { ShownSubscriptionRow } from '../../db/subscriptions.ts';
import { dateIn } from '../../domain/calendar.ts';
import type { Id } from '../../domain/ids.ts';
import type { CustomerInstant } from '../../domain/instants.ts';
import {
  type ItemChange,
  paidNow,
  type Quote,
  type QuotedChange,
  quoteChange,
  validUntil,
} from '../../domain/subscriptions/changes.ts';
import { comingPeriods, nextPeriodAmount } from '../../domain/subscriptions/coming.ts';
import { type PeriodLine, sumOf } from '../../domain/subscriptions/lines.ts';
import type { SubscriptionWithPeriods } from '../../domain/subscriptions/subscription.ts';
import { unpaidFees } from '../../domain/subscriptions/taking.ts';
import { taxablePart } from '../../domain/tax/taxable.ts';
import type { Pool, Tx } from '../../platform/postgres/connection.ts';
import { type FieldError, fieldError } from '../../resources/field-errors.ts';
import type { SubscriptionChange } from '../../resources/subscription-change.ts';
import { assertNoErrors, InvalidState, NotFound } from '../errors.ts';
import { transact } from '../events.ts';
import { announceAmount } from '../mandates/notices.ts';
import { type Charging, openCharge, processorFor } from '../payments/charge.ts';
import type { Charge } from '../payments/charge-records.ts';
import { chargeForRequest, continueCharge } from '../payments/charged-request.ts';
import { acceptDebit } from '../payments/debit-acceptance.ts';
import { assertWithinLimit } from '../payments/fitting-method.ts';
import { giveChallengeUp } from '../payments/processor-challenge.ts';
import { lockAndChooseRail, refusalError } from '../payments/rail.ts';
import { chargeableMethod, recurringIntent } from '../payments/recurring-charge.ts';
import { claimKey, type RepeatableRequest, storeResponse, unrepeatable } from '../payments/repeatable-request.ts';
import type { DecidedIntent } from '../payments/surcharges.ts';
import type { RequestContext } from '../request-context.ts';
import { changedBy, type LockedSubscription, readWithPeriods, shownRow, store } from './locked-subscription.ts';
import { endOpenChange } from './open-change.ts';
import { assertPayable, assertResultInPeriod } from './payable.ts';
import { lockForRequest, methodMissing, refused } from './subscription-requests.ts';
import { getSubscription, itemErrors, withIds } from './subscriptions.ts';

/** What a change costs, and the subscription as it is now. */
export interface ChangeResult {
  quote: Quote;
  subscription: ShownSubscriptionRow;
}

/**
 * Changes what a subscription sells, from the next period on or now, or returns what that would cost. A change that
 * costs something now is charged as a confirm is: the attempt is committed before the processor is asked, and a
 * repetition of the request continues with it. If the charge is declined, nothing changes. While a challenge or a bank
 * debit is under way, the items stay as they are until it has succeeded. An earlier change that waits for a challenge
 * is given up, at the processor first: in live mode also if this one is refused after that.
 * @throws NotFound
 * @throws InvalidState if its state does not allow it, or while the customer's clock is advancing; `quote_changed` if
 * it would cost another amount than expected; `mandate_limit_exceeded`, `result_after_period` for a bank account that
 * could not pay it or the periods to come. The last two also for a quote.
 * @throws ValidationFailed for items whose sum is out of range, fields that do not go together, or without a method.
 * @throws ProcessorNotConfigured in live mode without a live processor. Nothing has changed then.
 * @throws ProcessorUnavailable when the processor gave no outcome: of this payment, which stays processing, or of the
 * earlier change; then nothing has changed.
 */
export async function changeSubscription(
  pool: Pool,
  charging: Charging,
  context: RequestContext,
  id: string,
  input: SubscriptionChange,
  request: RepeatableRequest<ChangeResult> = unrepeatable,
): Promise<ChangeResult> {
  const asked = { charging, context, id, input, request };
  const opened = await openChange(pool, asked, null).catch(async (error: unknown) => {
    if (!(error instanceof ChallengeWaits)) throw error;
    return openChange(pool, asked, await giveChallengeUp(pool, charging, error.intent, context));
  });
  if (opened.kind === 'completed') return opened.result;
  const { charge, lines } = opened;
  const changed = await chargeForRequest(pool, charging, context, charge, request, async (tx) =>
    resultOfRow(tx, context, await getSubscription(tx, context, id), lines, opened.at),
  );
  if (changed === null) throw new NotFound('subscription', id);
  return changed;
}

type Opened =
  | { kind: 'charge'; charge: Charge; lines: PeriodLine[]; at: CustomerInstant }
  | { kind: 'completed'; result: ChangeResult };

interface AskedChange {
  charging: Charging;
  context: RequestContext;
  id: string;
  input: SubscriptionChange;
  request: RepeatableRequest<ChangeResult>;
}

/** An earlier change waits for its challenge at the live processor. Nothing was changed. */
class ChallengeWaits extends InvalidState {
  readonly intent: LockedIntentRow;

  constructor(intent: LockedIntentRow) {
    super(underWay(intent.id));
    this.intent = intent;
  }
}

function underWay(intentId: string): string {
  return `The payment of an earlier change, ${intentId}, is under way. Wait for the outcome.`;
}

/**
 * @param givenUp the attempt whose challenge was given up at the processor.
 * @throws ChallengeWaits if one waits there, and it is another.
 */
function openChange(pool: Pool, asked: AskedChange, givenUp: Id<'payment_attempt'> | null): Promise<Opened> {
  return transact(pool, asked.context, (tx) => openLocked(tx, asked, givenUp));
}

async function openLocked(
  tx: Tx,
  { charging: { processors }, context, id, input, request }: AskedChange,
  givenUp: Id<'payment_attempt'> | null,
): Promise<Opened> {
  await claimKey(tx, request);
  const { locked, at } = await lockForRequest(tx, context, id);
  const before = await findEarlierTry(tx, locked, context, request);
  if (before !== null) return before;
  const wanted = wantedChange(locked, input);
  const { current_number: current } = locked.row;
  const funds = wanted.when === 'now' ? await selectPeriodFunds(tx, id, current) : null;
  const quoted = quoteChange(wanted, locked.subscription, at, funds?.funds);
  if ('refused' in quoted) throw refused(id, quoted);
  const { quote } = quoted;
  if (input.dry_run === true) {
    await assertChargeable(tx, locked, quoted, at);
    const result = { quote, subscription: shownRow(locked) };
    storeResponse(tx, request, result);
    return { kind: 'completed', result };
  }
  assertExpected(input, quote);
  const step = { tx, context, at, wanted, quoted, request, givenUp };
  const free = await giveUpOpenChange(step, locked);
  await assertChargeable(tx, free, quoted, at);
  if (quote.amount > 0) {
    processorFor(processors, context.livemode);
    return chargeFor(step, free);
  }
  if (wanted.when === 'now') await insertChange(step, free, null);
  const after = await store(tx, free, quoted.change, at);
  await announceIfDebited(step, free, after);
  return { kind: 'completed', result: finish(step, after) };
}

/**
 * Says in the quote already what the charges of a change, now and later, would say.
 * @throws InvalidState `mandate_limit_exceeded`, `result_after_period`.
 */
async function assertChargeable(
  tx: Tx,
  locked: LockedSubscription,
  { quote, change }: QuotedChange,
  at: CustomerInstant,
): Promise<void> {
  const { row, subscription } = locked;
  const after = changedBy(locked, change, at);
  if (quote.amount === 0) return assertPayable(tx, after, at);
  // What it takes now does not wait for the next period.
  const terms = { ...after.subscription.terms, next_period_lines: [] };
  await assertPayable(tx, { ...after, subscription: { ...after.subscription, terms } }, at);
  const method = await chargeableMethod(tx, row);
  await assertWithinLimit(tx, method, row, quote.amount, at);
  await assertResultInPeriod(tx, method, subscription, at);
}

interface Step {
  tx: Tx;
  context: RequestContext;
  at: CustomerInstant;
  wanted: ItemChange;
  quoted: QuotedChange;
  request: RepeatableRequest<ChangeResult>;
  givenUp: Id<'payment_attempt'> | null;
}

function wantedChange({ row, subscription }: LockedSubscription, input: SubscriptionChange): ItemChange {
  const { when = 'period_end', proration = 'days', collect = 'next_period', expected_amount_cents: expected } = input;
  const items = withIds(input.items, row.items);
  const errors = itemErrors(items, [...unpaidFees(subscription), ...row.one_off_items]);
  if (when === 'period_end') {
    if (collect === 'now') errors.push(onlyNow('collect'));
    if (expected !== undefined) errors.push(onlyNow('expected_amount_cents'));
  }
  assertNoErrors(errors);
  return { items, when, proration, collect };
}

function onlyNow(field: string): FieldError {
  return fieldError(
    `/${field}`,
    'invalid_value',
    `A change at the period’s end costs nothing now: leave ${field} out.`,
  );
}

function assertExpected({ expected_amount_cents: expected }: SubscriptionChange, { amount }: Quote): void {
  if (expected === undefined || expected === amount) return;
  const message = `The change costs ${amount} now, and not ${expected}. Ask for a quote with dry_run, and send its amount.`;
  throw new InvalidState(message, 'quote_changed');
}

/**
 * Ends an earlier change that waits for a challenge, because this one takes its place.
 * @throws ChallengeWaits; InvalidState if money may already be on its way for it.
 */
async function giveUpOpenChange(
  { tx, at, context, givenUp }: Step,
  locked: LockedSubscription,
): Promise<LockedSubscription> {
  const ended = await endOpenChange(tx, locked, { at, now: context.now, debitsToo: false, givenUp });
  if (ended !== null) return ended;
  const { change_payment_intent_id: intentId } = locked.row;
  const intent = intentId === null ? null : await lockPaymentIntent(tx, intentId);
  if (intent?.livemode && intent.status === 'requires_action') throw new ChallengeWaits(intent);
  throw new InvalidState(underWay(String(intentId)));
}

/** If another amount is debited from an account under a mandate from now on, the payer is to be told. */
async function announceIfDebited(
  { tx, context, at, quoted: { quote } }: Step,
  { row, subscription: before }: LockedSubscription,
  { subscription: after }: LockedSubscription,
): Promise<void> {
  const methodId = row.payment_instrument_id ?? row.default_payment_method_id;
  const today = dateIn(at, context.timeZone);
  const [next] = comingPeriods(after, at, 1);
  const isSame = quote.amount === 0 && (next?.amount ?? 0) === nextPeriodAmount(before, at);
  if (methodId === null || isSame) return;
  await announceAmount(tx, methodId, { nextDebit: quote.amount > 0 ? today : (next?.start ?? today), at });
}

/** Opens the charge of a change. A bank debit is accepted: its result comes days later. */
async function chargeFor(step: Step, locked: LockedSubscription): Promise<Opened> {
  const { tx, context, at, quoted, request } = step;
  const { row } = locked;
  const method = await chargeableMethod(tx, row);
  if (method === null) throw methodMissing(locked);
  const intent = await insertIntent(step, locked, method);
  const rail = await lockAndChooseRail(tx, intent, method, at);
  if (rail.kind === 'refused') throw refusalError(rail.refusal, method.id, '/payment_instrument_id');
  await insertChange(step, locked, intent.id);
  const under = { terms: { change_payment_intent_id: intent.id }, events: [] };
  const more = { charges: row.charges + 1, latest_payment_intent_id: intent.id };
  const after = await store(tx, locked, under, at, more);
  await announceIfDebited(step, locked, after);
  const { requestKey, keyExpiresAt } = request;
  const about = { at, now: context.now, testClockId: row.test_clock_id, requestKey, keyExpiresAt };
  const newCharge = { source: 'confirm' as const, ...about };
  if (rail.kind === 'at_once') {
    return { kind: 'charge', charge: await openCharge(tx, intent, method, newCharge), lines: quoted.quote.lines, at };
  }
  await acceptDebit(tx, intent, method, rail, newCharge);
  return { kind: 'completed', result: finish(step, after) };
}

async function insertIntent(
  { tx, at, quoted }: Step,
  { row }: LockedSubscription,
  method: PaymentMethodRow,
): Promise<DecidedIntent> {
  const purpose = {
    subscription_id: row.id,
    subscription_charge: row.charges + 1,
    subscription_period: row.current_number,
  };
  const { amount, lines } = quoted.quote;
  const intent = recurringIntent(row, purpose, { amount, taxable: taxablePart(amount, lines) }, method, at);
  await insertPaymentIntent(tx, intent);
  return intent;
}

async function insertChange(
  { tx, at, wanted, quoted }: Step,
  { row }: LockedSubscription,
  intentId: Id<'payment_intent'> | null,
): Promise<void> {
  await insertSubscriptionChange(tx, {
    subscription_id: row.id,
    period: row.current_number,
    items: wanted.items,
    proration: wanted.proration,
    lines: quoted.own,
    amount_cents: quoted.quote.amount,
    payment_intent_id: intentId,
    status: intentId === null ? 'made' : 'processing',
    changed_at: at,
  });
}

function finish({ tx, context, at, quoted, request }: Step, locked: LockedSubscription): ChangeResult {
  const { lines, amount } = quoted.quote;
  const result = resultOf(context, shownRow(locked), locked.subscription, lines, at, amount);
  storeResponse(tx, request, result);
  return result;
}

/** The result of a change that was requested at this instant. */
function resultOf(
  { timeZone }: RequestContext,
  row: ShownSubscriptionRow,
  subscription: SubscriptionWithPeriods,
  lines: PeriodLine[],
  at: CustomerInstant,
  amount = sumOf(lines),
): ChangeResult {
  const next = nextPeriodAmount(subscription, at);
  return { quote: { lines, amount, nextPeriodAmount: next, validUntil: validUntil(at, timeZone) }, subscription: row };
}

async function resultOfRow(
  tx: Tx,
  context: RequestContext,
  row: ShownSubscriptionRow,
  lines: PeriodLine[],
  at: CustomerInstant,
): Promise<ChangeResult> {
  return resultOf(context, row, await readWithPeriods(tx, row, context.timeZone), lines, at);
}

/** Finds the charge that an earlier try of the same request has opened. */
async function findEarlierTry(
  tx: Tx,
  { row }: LockedSubscription,
  context: RequestContext,
  { requestKey, keyExpiresAt }: RepeatableRequest<ChangeResult>,
): Promise<Opened | null> {
  if (requestKey === null) return null;
  const attempt = await selectAttemptOfSubscriptionRequest(tx, row.id, requestKey, context.now);
  const change = attempt && (await selectChangeOfIntent(tx, attempt.payment_intent_id));
  if (attempt === null || change === null) return null;
  const charge = await continueCharge(tx, attempt, keyExpiresAt);
  const lines = paidNow(change.lines, change.amount_cents);
  const { changed_at: at } = change;
  if (charge !== null) return { kind: 'charge', charge, lines, at };
  const result = await resultOfRow(tx, context, await getSubscription(tx, context, row.id), lines, at);
  return { kind: 'completed', result };
}
