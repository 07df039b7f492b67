// A story as lines that can be compared: one for each event, with the names that the test gave to its objects.
import assert from 'node:assert/strict';
import type { PaymentIntent } from '@payments-service/client';
import type { AnyEvent } from '../support/merchant.ts';

const minute = (time: unknown): string => String(time).slice(0, 16).replace('T', ' ');

/** An event in one line, such as `2027-02-03 22:00 payment_intent.succeeded plan 1000`; null for the clock's own. */
export function storyLine({ created_at, event_type: type, data }: AnyEvent, names: Map<string, string>): string | null {
  if (type.startsWith('test_clock.')) return null;
  const name = nameOf(data, names);
  return [minute(created_at), type, name, ...detailsOf(type, data)].filter((word) => word !== '').join(' ');
}

/** A payment has the name that it was given, or that of the subject that made it. */
function nameOf(data: AnyEvent['data'], names: Map<string, string>): string {
  const subjects = [data.id, data.payment_plan_id, data.subscription_id, data.payment_link_id];
  const known = [...subjects, data.checkout_session_id].find((id) => names.has(String(id)));
  return names.get(String(known)) ?? '';
}

function detailsOf(type: string, data: AnyEvent['data']): string[] {
  const word = (value: unknown): string => (value === null || value === undefined ? '' : String(value));
  switch (type.slice(0, type.indexOf('.'))) {
    case 'payment_intent': {
      const { code = '' } = (data.last_payment_error ?? {}) as { code?: string };
      if (!/failed|returned/.test(type)) return [word(data.total_amount)];
      const again = data.next_attempt_at === null ? '' : `again ${minute(data.next_attempt_at)}`;
      return [word(data.total_amount), code, again];
    }
    case 'payment_plan':
      return [word(data.state_reason), word(data.collected_amount_cents)];
    case 'subscription':
      return [word(data.state), data.in_effect ? 'in effect' : 'not in effect'];
    case 'payment_link':
      return [word(data.status_reason), word(data.collected_amount)];
    case 'refund':
      return [];
    case 'dispute':
      return [word(data.amount)];
    case 'payout':
      return [word(data.amount), word(data.currency)];
    default:
      return [word(data.status_reason)];
  }
}

/**
 * The money of a customer, by its payments. The events must tell the same: what they say was taken, given back by the
 * biller and taken back by the bank.
 */
export function moneyOf(customer: string, intents: PaymentIntent[], events: AnyEvent[]): string {
  const own = intents.filter(({ customer_id: id }) => id === customer);
  const sum = (amounts: number[]): number => amounts.reduce((all, amount) => all + amount, 0);
  const returned = sum(own.map(({ total_returned_amount: amount = 0 }) => amount));
  const refunded = sum(own.map(({ total_refunded_amount: amount }) => amount));
  const succeeded = own.filter(({ status }) => status === 'succeeded').map(({ total_amount: amount }) => amount);
  const ids = new Set(own.map(({ id }) => id));
  const ownOf = (type: string) =>
    events.filter(({ event_type, data }) => event_type === type && ids.has(String(data.payment_intent_id ?? data.id)));
  /** What a dispute took, or the whole debit that came back. */
  const cameBack = ({ total_amount: total, returned_amount: taken = total }: AnyEvent['data']): number => Number(taken);
  const returns = ownOf('payment_intent.returned').map(({ data }) => data);
  // A dispute does not take what was refunded before.
  const spared = sum(returns.map((data) => Number(data.total_amount) - cameBack(data)));
  const charged = sum(succeeded) + returned + spared;
  const held = sum(own.map(({ net_collected_amount: amount }) => amount));
  assert.equal(held, charged - returned - refunded, 'net_collected_amount is what the events leave');
  const told = (type: string, field: string): number => sum(ownOf(type).map(({ data }) => Number(data[field])));
  assert.deepEqual(
    [charged, returned, refunded],
    [told('payment_intent.succeeded', 'total_amount'), sum(returns.map(cameBack)), told('refund.succeeded', 'amount')],
    'the payments and the events tell of the same money',
  );
  return [
    `charged ${charged}`,
    ...(returned === 0 ? [] : [`returned ${returned}`]),
    ...(refunded === 0 ? [] : [`refunded ${refunded}`]),
    `held ${held}`,
  ].join(' ');
}
