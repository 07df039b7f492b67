import type { WebhookEvent } from '@payments-service/client';
import { becomesTrue } from '../lab/eventually.ts';
import { arrivalTimeoutMs, type Scene } from './scene.ts';
import { minute, money, table } from './timeline.ts';

/** Compares the periods of a subscription, oldest first, and shows them. */
export async function showPeriods(
  { payments, checks }: Scene,
  label: string,
  id: string,
  expected: string[],
): Promise<void> {
  const begun = (await payments.subscriptions.listPeriods(id)).data.toReversed();
  const rows = begun.map(({ number, start, end, status, amount_cents: amount }) => [
    ...[String(number), start, end, status, money(amount)],
  ]);
  checks.equal(
    `${label}, periods`,
    rows.map((row) => row.join(' ')),
    expected,
  );
  const titles = [
    { title: 'period', width: 6 },
    { title: 'from', width: 10 },
    { title: 'until', width: 10 },
    { title: 'status', width: 6 },
    { title: 'amount', width: 7, align: 'right' as const },
  ];
  table(titles, rows);
}

/**
 * Waits for the webhooks about the subscription and the payments of a customer, compares them with what must have
 * happened so far, and shows the last ones. Returns all of them, in their order.
 */
export async function checkSubscriptionEvents(
  { checks, receiver, signal }: Scene,
  label: string,
  customerId: string,
  expected: string[],
  news: number,
): Promise<WebhookEvent[]> {
  const told = () => {
    const own = receiver.arrivals
      .map(({ event }) => event)
      .filter(({ event_type: type }) => /^(subscription|payment_intent)\./.test(type))
      .filter(({ data }) => 'customer_id' in data && data.customer_id === customerId);
    return [...new Map(own.map((event) => [event.id, event])).values()].sort((a, b) => a.sequence - b.sequence);
  };
  await becomesTrue(() => told().length >= expected.length, { timeoutMs: arrivalTimeoutMs, everyMs: 5, signal });
  const lines = told().map(({ created_at: at, event_type: type }) => `${minute(at)} ${type}`);
  checks.equal(`${label}, events`, lines, expected);
  const titles = [
    { title: 'simulated time', width: 16 },
    { title: 'event', width: 30 },
    { title: 'amount', width: 7, align: 'right' as const },
    { title: 'state', width: 10 },
    { title: 'in effect', width: 9 },
  ];
  table(titles, told().slice(-news).map(cells));
  return told();
}

function cells({ created_at: at, event_type: type, data }: WebhookEvent): string[] {
  if ('in_effect' in data) return [minute(at), type, '', data.state, data.in_effect ? 'yes' : 'no'];
  return [minute(at), type, 'amount' in data && data.amount != null ? money(data.amount) : '', '', ''];
}
