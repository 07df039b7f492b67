import { createServer } from 'node:http';
import type { Event, SubscriptionChange, SubscriptionCreate } from '../generated/models.ts';
import type { Made } from './made.ts';
import { debitLink, exhaustAttempts, payLink, throttleLink } from './payer.ts';

/** Causes an event. Returns the id of the object in its data. The signal ends it early. */
export type Recipe = (made: Made, signal: AbortSignal) => Promise<string>;

/** Longer than the 15 months after which a mandate without a debit ends. */
const unusedDays = 480;

const paid = async (made: Made): Promise<string> => (await made.payment('succeed')).id;

async function refund(made: Made, outcome: string): Promise<string> {
  const id = await paid(made);
  return (await made.payments.refunds.create(id, { metadata: { _sandbox_refund_outcome: outcome } })).id;
}

/** A payout on a clock that has moved on beyond its arrival, also if banks are closed for some days. */
async function payout(made: Made, word: 'paid' | 'fail'): Promise<string> {
  const clock = await made.clock();
  await made.payment('succeed', clock, word);
  await made.advance(clock, 14);
  const payouts = await made.payments.payouts.list({ test_clock: clock.id }).toArray({ limit: 100 });
  return payouts.at(-1)?.id ?? '';
}

/** A dispute, on a clock that has moved on beyond its end if it has a result. */
async function dispute(made: Made, result?: 'won' | 'lost'): Promise<string> {
  const clock = await made.clock();
  const { id } = await made.payment('succeed', clock);
  const opened = await made.payments.paymentIntents.dispute(id, { result });
  if (result !== undefined) await made.advance(clock, 11);
  return opened.id;
}

async function activePlan(made: Made): Promise<string> {
  const { id } = await made.plan();
  await made.payments.paymentPlans.activate(id);
  return id;
}

const paidLink = async (made: Made): Promise<string> => {
  const { id, url } = await made.link();
  await payLink(url ?? '');
  return id;
};

/** A subscription on a clock that has moved on by so many days, beyond the end of its first week. */
async function rolled(made: Made, days: number, terms: Partial<SubscriptionCreate> = {}): Promise<string> {
  const clock = await made.clock();
  const { id } = await made.subscription(clock, terms);
  await made.advance(clock, days);
  return id;
}

async function pausedSubscription(made: Made): Promise<string> {
  const clock = await made.clock();
  const { id } = await made.subscription(clock);
  await made.payments.subscriptions.pause(id);
  await made.advance(clock, 8);
  return id;
}

/** What the sandbox's processor says in each period: periods by `;`, tries by `,`. */
function outcomes(byPeriod: string): Partial<SubscriptionCreate> {
  return { metadata: { _sandbox_outcome_by_period: byPeriod } };
}

/** The events that can be triggered, by type. */
export const recipes: Readonly<Partial<Record<Event['event_type'], Recipe>>> = {
  'payment_intent.succeeded': paid,
  'payment_intent.failed': async (made) => (await made.payment('decline')).id,
  'payment_intent.canceled': async ({ payments }) => {
    const { id } = await payments.paymentIntents.create({ amount: 2500, currency: 'AUD' });
    return (await payments.paymentIntents.cancel(id)).id;
  },
  'payment_intent.requires_action': async (made) => (await made.payment('requires_action')).id,
  'payment_intent.restricted': async (made, signal) => {
    const { id, url } = await made.link();
    await exhaustAttempts(url ?? '', signal);
    const { data } = await made.payments.paymentLinks.listPayments(id);
    return data[0]?.id ?? '';
  },
  'payment_intent.processing': async (made) => (await made.debit()).id,
  'payment_intent.returned': async (made) => {
    const { id } = await made.debit();
    await made.payments.paymentIntents.reportBankResult(id, { result: 'settled' });
    return (await made.payments.paymentIntents.reportBankResult(id, { result: 'returned' })).id;
  },
  'mandate.created': async (made) => (await made.mandate(false)).id,
  'mandate.activated': async (made) => (await made.mandate(true)).id,
  'mandate.canceled': async (made) => (await made.payments.mandates.cancel((await made.mandate(true)).id)).id,
  'mandate.failed': async (made) => {
    const { id, mandate_id } = await made.debit();
    await made.payments.paymentIntents.reportBankResult(id, { result: 'dishonoured', bank_code: '1' });
    return mandate_id ?? '';
  },
  'mandate.notice_due': async (made) => {
    const mandate = await made.mandate(true);
    const { id } = await made.plan(mandate);
    await made.payments.paymentPlans.activate(id);
    await made.payments.paymentPlans.update(id, { recurring_amount_cents: 2600 });
    return mandate.id;
  },
  'mandate.expired': async (made) => {
    let clock = await made.clock();
    const { id } = await made.mandate(true, clock);
    const end = Date.parse(clock.frozen_time) + unusedDays * 86_400_000;
    while (clock.max_frozen_time !== null && Date.parse(clock.frozen_time) < end) {
      clock = await made.payments.testClocks.advanceAndWait(clock.id, { frozen_time: clock.max_frozen_time });
    }
    return id;
  },
  'payment_plan.activated': activePlan,
  'payment_plan.suspended': async (made) => (await made.payments.paymentPlans.suspend(await activePlan(made))).id,
  'payment_plan.deactivated': async (made) => (await made.payments.paymentPlans.deactivate(await activePlan(made))).id,
  'payment_plan.closed': async (made) => (await made.payments.paymentPlans.close(await activePlan(made))).id,
  'payment_link.created': async (made) => (await made.link()).id,
  'payment_link.deactivated': async (made) => (await made.payments.paymentLinks.deactivate((await made.link()).id)).id,
  'payment_link.renewed': async (made) => {
    const { id } = await made.payments.paymentLinks.deactivate((await made.link()).id);
    return (await made.payments.paymentLinks.renew(id)).id;
  },
  'payment_link.expired': async (made) => {
    const clock = await made.clock();
    const expires_at = new Date(Date.parse(clock.frozen_time) + 86_400_000).toISOString();
    const { id } = await made.link(clock, { expires_at });
    await made.advance(clock, 2);
    return id;
  },
  'payment_link.paid': paidLink,
  'payment_link.completed': paidLink,
  'payment_link.reopened': async (made) => {
    const { id, url } = await made.link(undefined, { payment_method_types: ['au_becs_debit'] });
    await debitLink(url ?? '');
    const { data } = await made.payments.paymentLinks.listPayments(id);
    for (const result of ['settled', 'returned'] as const) {
      await made.payments.paymentIntents.reportBankResult(data[0]?.id ?? '', { result });
    }
    return id;
  },
  'payment_link.throttled': async (made, signal) => {
    const { id, url } = await made.link();
    await throttleLink(url ?? '', signal);
    return id;
  },
  'checkout_session.completed': async (made) => {
    const id = await paidLink(made);
    const { data } = await made.payments.checkoutSessions.list({ payment_link_id: id });
    return data[0]?.id ?? '';
  },
  'checkout_session.expired': async ({ payments }) => {
    const { id } = await payments.checkoutSessions.create({ name: 'Trigger', amount: 2500, currency: 'AUD' });
    return (await payments.checkoutSessions.expire(id)).id;
  },
  'subscription.started': async (made) => (await made.subscription()).id,
  'subscription.in_effect_changed': async (made) => (await made.subscription()).id,
  'subscription.period_paid': async (made) => (await made.subscription()).id,
  'subscription.updated': async (made) => {
    const id = await rolled(made, 8, outcomes('succeed;decline'));
    return (await made.payments.subscriptions.update(id, { grace_days: 2 })).id;
  },
  'subscription.trial_ending': (made) => rolled(made, 5, { trial_days: 7 }),
  'subscription.renewed': (made) => rolled(made, 8),
  'subscription.past_due': (made) => rolled(made, 8, outcomes('succeed;decline')),
  'subscription.recovered': (made) => rolled(made, 9, outcomes('succeed;decline,succeed')),
  'subscription.pause_scheduled': async (made) =>
    (await made.payments.subscriptions.pause((await made.subscription()).id)).id,
  'subscription.pause_removed': async (made) => {
    const { id } = await made.payments.subscriptions.pause((await made.subscription()).id);
    return (await made.payments.subscriptions.resume(id)).id;
  },
  'subscription.paused': pausedSubscription,
  'subscription.resumed': async (made) => (await made.payments.subscriptions.resume(await pausedSubscription(made))).id,
  'subscription.cancel_scheduled': async (made) =>
    (await made.payments.subscriptions.cancel((await made.subscription()).id)).id,
  'subscription.cancel_removed': async (made) => {
    const { id } = await made.payments.subscriptions.cancel((await made.subscription()).id);
    return (await made.payments.subscriptions.uncancel(id)).id;
  },
  'subscription.canceled': async (made) =>
    (await made.payments.subscriptions.cancel((await made.subscription()).id, { at: 'now' })).id,
  'subscription.changed': (made) => changed(made, { when: 'now' }),
  'subscription.change_scheduled': (made) => changed(made),
  'subscription.change_removed': async (made) => {
    const { id, items } = await made.subscription();
    const sold = items.map(({ name, unit_amount_cents, quantity }) => ({ name, unit_amount_cents, quantity }));
    await made.payments.subscriptions.change(id, { items: dearer });
    return (await made.payments.subscriptions.change(id, { items: sold })).subscription.id;
  },
  'subscription.change_failed': (made) =>
    changed(
      made,
      { when: 'now', collect: 'now' },
      { _sandbox_outcome_by_period: 'succeed', _sandbox_outcome: 'decline' },
    ),
  'refund.succeeded': (made) => refund(made, 'succeed'),
  'refund.failed': (made) => refund(made, 'fail'),
  'dispute.opened': (made) => dispute(made),
  'dispute.won': (made) => dispute(made, 'won'),
  'dispute.lost': (made) => dispute(made, 'lost'),
  'payout.created': (made) => payout(made, 'paid'),
  'payout.reconciled': (made) => payout(made, 'paid'),
  'payout.paid': (made) => payout(made, 'paid'),
  'payout.failed': (made) => payout(made, 'fail'),
  'test_clock.created': async (made) => (await made.clock()).id,
  'test_clock.advancing': advancedClock,
  'test_clock.ready': advancedClock,
  'test_clock.deleted': async (made) => (await made.payments.testClocks.delete((await made.clock()).id)).id,
  'webhook_endpoint.ping': (made) => pingedEndpoint(made, 204),
  'webhook_endpoint.disabled': (made) => pingedEndpoint(made, 410),
};

const dearer = [{ name: 'Membership', unit_amount_cents: 99_000 }];

async function changed(
  made: Made,
  how: Omit<SubscriptionChange, 'items'> = {},
  metadata: Record<string, string> = {},
): Promise<string> {
  const { id } = await made.subscription(undefined, { metadata });
  return (await made.payments.subscriptions.change(id, { ...how, items: dearer })).subscription.id;
}

async function advancedClock(made: Made): Promise<string> {
  const { id, frozen_time } = await made.clock();
  const hourLater = new Date(Date.parse(frozen_time) + 3_600_000).toISOString();
  return (await made.payments.testClocks.advanceAndWait(id, { frozen_time: hourLater })).id;
}

/**
 * Pings an endpoint on this machine that returns this status, and waits until it has. The service must reach this
 * machine, and 410 disables the endpoint.
 */
async function pingedEndpoint(made: Made, status: number): Promise<string> {
  const server = createServer((_, response) => response.writeHead(status).end());
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const address = server.address();
  try {
    const port = typeof address === 'object' ? address?.port : 0;
    const { id } = await made.endpoint(`http://127.0.0.1:${port}/`);
    const { id: delivery } = await made.payments.webhookEndpoints.ping(id);
    for (let waits = 0; waits < 100; waits += 1) {
      if ((await made.payments.webhookDeliveries.get(delivery)).attempts.length > 0) break;
      await new Promise((resolve) => setTimeout(resolve, 100));
    }
    return id;
  } finally {
    server.closeAllConnections();
    server.close();
  }
}
