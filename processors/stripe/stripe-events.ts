// Which events of Stripe say that something has happened to a payment (docs.stripe.com/api/events/types).
import Type, { type Static } from 'typebox';

/** An event of Stripe, as far as it is read. */
export const StripeEvent = Type.Object({
  id: Type.String({ pattern: '^evt_\\w{1,200}$' }),
  object: Type.Literal('event'),
  type: Type.String({ maxLength: 100 }),
  livemode: Type.Boolean(),
  data: Type.Object({ object: Type.Record(Type.String(), Type.Unknown()) }),
});
export type StripeEvent = Static<typeof StripeEvent>;

/** What the service is told of an event: to ask about the charge or the refunds of a payment, or about a mandate. */
export interface Hint {
  kind: 'charge' | 'refund' | 'mandate';
  /** Of the PaymentIntent; of a mandate Stripe's id. */
  reference: string;
}

/**
 * By the type of the event: what the service is to ask about, and the member with the id of the PaymentIntent or
 * of the mandate.
 */
const known: Readonly<Record<string, readonly [Hint['kind'], 'id' | 'payment_intent']>> = {
  'payment_intent.succeeded': ['charge', 'id'],
  'payment_intent.payment_failed': ['charge', 'id'],
  'payment_intent.processing': ['charge', 'id'],
  'payment_intent.canceled': ['charge', 'id'],
  // A debit that was collected and is taken back: by a dispute, or because the bank reports late that it has failed.
  'charge.failed': ['charge', 'payment_intent'],
  'charge.refunded': ['charge', 'payment_intent'],
  'charge.dispute.created': ['charge', 'payment_intent'],
  'charge.dispute.funds_withdrawn': ['charge', 'payment_intent'],
  'charge.dispute.closed': ['charge', 'payment_intent'],
  'mandate.updated': ['mandate', 'id'],
  'refund.created': ['refund', 'payment_intent'],
  'refund.updated': ['refund', 'payment_intent'],
  'refund.failed': ['refund', 'payment_intent'],
};

/** The types of events that an endpoint at Stripe is to send. */
export const typesOfEvents = Object.keys(known) as readonly string[];

/** Returns what an event hints at; null if it is of another type, or about no payment and no mandate. */
export function hintOf({ type, data }: StripeEvent): Hint | null {
  const [kind, member] = Object.hasOwn(known, type) ? (known[type] ?? []) : [];
  const reference = member === undefined ? undefined : data.object[member];
  const pattern = kind === 'mandate' ? /^mandate_\w{1,190}$/ : /^pi_\w{1,190}$/;
  if (kind === undefined || typeof reference !== 'string' || !pattern.test(reference)) return null;
  return { kind, reference };
}
