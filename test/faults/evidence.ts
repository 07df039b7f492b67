import type { Event, PaymentLink, WebhookEvent } from '@payments-service/client';
import type { Evidence, SeenEntry } from '../../faults/evidence.ts';
import type { Exchange } from '../../faults/load/journal.ts';
import type { BehaviourName } from '../../faults/receiver.ts';
import type { Arrival } from '../../lab/receiver.ts';

/** An attempt that was opened at 2026-01-01T00:00:00Z, by the head of its id. */
export const attemptId = 'att_00UAz3UGW0abcdefghijklmnopqrstuv';
export const intentId = 'pi_sandbox_00000000000000000000000000000001';

/** One call for a charge of 500, which has succeeded. */
export function charge(over: Partial<SeenEntry> = {}): SeenEntry {
  return {
    kind: 'charge',
    idempotency_key: attemptId,
    payment_intent_id: intentId,
    amount: 500,
    currency: 'AUD',
    outcome: 'succeeded',
    livemode: false,
    ...over,
  };
}

/** One call for a refund of 100. */
export function refund(over: Partial<SeenEntry> = {}): SeenEntry {
  return { ...charge(), kind: 'refund', idempotency_key: 're_1', amount: 100, ...over };
}

export function exchange(over: Partial<Exchange> = {}): Exchange {
  const text = '{"id":"re_1","amount":100}';
  return {
    method: 'POST',
    path: `/payment_intents/${intentId}/refunds`,
    body: '{"amount":100}',
    key: 'key-1',
    apiKey: 'sk_sandbox_1',
    responses: [{ status: 201, text, at: 0 }],
    ...over,
  };
}

/** What `parse` of a webhook's body gives, whatever its schema says. */
function anEvent(sequence: number): object {
  return {
    id: `evt_${sequence}`,
    event_type: 'payment_intent.succeeded',
    created_at: '2026-01-01T00:00:00.000Z',
    livemode: false,
    biller_id: 'acct_1',
    test_clock: null,
    sequence,
    request_id: null,
    data: { id: intentId, amount: 500, status: 'succeeded' },
  };
}

export const event = (sequence: number) => anEvent(sequence) as Event;

export function arrival(sequence: number, over: Partial<Arrival<BehaviourName>> = {}): Arrival<BehaviourName> {
  return {
    endpoint: 'shop-steady',
    at: 1_000,
    event: anEvent(sequence) as WebhookEvent,
    behaviour: 'accepts',
    accepted: true,
    ...over,
  };
}

/** A link over 500 that takes one payment, and has it. */
export const paidLink = {
  id: 'lnk_1',
  amount: 500,
  status: 'completed',
  max_payments: 1,
  payments_count: 1,
  collected_amount: 500,
} as PaymentLink;

/** Its events, of these types. */
export function linkEvents(...types: string[]): Event[] {
  return types.map(
    (type, index) =>
      ({ ...anEvent(index + 1), event_type: `payment_link.${type}`, data: { id: 'lnk_1' } }) as unknown as Event,
  );
}

/** A run in which every promise was kept: one payment of 500, of which 100 were given back, and two events. */
export function sound(over: Partial<Evidence> = {}): Evidence {
  return {
    ledger: [charge(), refund()],
    claims: [{ amount: 500, what: 'a payment of 500', succeeded: [1, 1], attempts: [1, 1] }],
    exchanges: [exchange()],
    repetitions: [{ exchange: exchange(), status: 201, text: '{"id":"re_1","amount":100}' }],
    unreadable: [],
    accounts: [{ name: 'shop', events: [event(1), event(2)], endpoints: ['shop-steady'], waits: [] }],
    arrivals: [arrival(1), arrival(2)],
    refusedWebhooks: [],
    attempts: [{ id: attemptId, payment_intent_id: intentId, outcome: 'succeeded', amount: 500, livemode: false }],
    refunds: [{ id: 're_1', payment_intent_id: intentId, outcome: 'succeeded', amount: 100, livemode: false }],
    violations: [],
    stuck: [],
    histories: [],
    links: [],
    subscriptions: [],
    bystander: { before: 'abc', after: 'abc' },
    replayedFrom: Number.POSITIVE_INFINITY,
    ...over,
  };
}
