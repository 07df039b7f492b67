// Code that the compiler must accept or refuse, never run. `npm run types` checks it, and so
// does types.test.ts, which proves each refusal.
import type { Customer, Event, PaymentsClient, TestClock, WebhookEvent } from '@payments-service/client';

export async function accepted(payments: PaymentsClient): Promise<void> {
  const customer: Customer = await payments.customers.create({ name: 'Ada' }, { idempotencyKey: 'k' });
  const name: string | null = customer.name;
  const { data, has_more: more } = await payments.customers.list({ limit: 100, email: name ?? undefined });
  const first: Customer | undefined = data[0];
  for await (const method of payments.paymentMethods.list()) {
    if (method.type === 'card') method.instrument_data.expiry_month.toFixed();
    if (method.type === 'klarna') method.instrument_data.dob?.day?.toFixed();
  }
  const clock: TestClock = await payments.testClocks.advanceAndWait('clk_1', { frozen_time: '2028-01-31T09:00:00Z' });
  const { status } = await payments.testClocks.advance(clock.id, { frozen_time: clock.frozen_time });
  const advancing: 'advancing' = status;
  const { effects } = await payments.testClocks.advance(clock.id, { frozen_time: clock.frozen_time, dry_run: true });
  const amounts = effects.map((effect) => (effect.object === 'payment_intent' ? effect.changes.amount : 0));
  await payments.testClocks.get(clock.id, { waitSeconds: 60 });
  await payments.refunds.create('pi_1');
  void [more, first, advancing, amounts];
}

export function told(event: WebhookEvent): string {
  switch (event.event_type) {
    case 'payment_intent.failed':
      return `${event.data.amount} ${event.data.next_attempt_at ?? 'no more'}`;
    case 'test_clock.ready':
      return `${event.data.effects_manifest.plans_recalculated}`;
    case 'payment_plan.closed':
      return event.data.state;
    default:
      return event.id;
  }
}

export async function listed(payments: PaymentsClient): Promise<void> {
  for await (const event of payments.events.list()) {
    if (event.event_type === 'payment_intent.failed') event.data.attempt.toFixed();
    if (event.event_type === 'refund.failed') event.data.payment_intent_id.trim();
    told(event);
  }
  const event: Event = await payments.events.get('evt_1');
  // @ts-expect-error not every stored event has an amount
  event.data.amount.toFixed();
}

export async function refused(payments: PaymentsClient, event: WebhookEvent): Promise<void> {
  // @ts-expect-error a member that is required is missing
  await payments.customers.create({ email: 'a@example.com' });
  // @ts-expect-error a member that the API does not know
  await payments.customers.create({ name: 'Ada', nmae: 'Ada' });
  // @ts-expect-error a value that is not allowed
  await payments.paymentIntents.create({ amount: 5000, currency: 'XXX' });
  // @ts-expect-error a number as a text
  await payments.paymentIntents.create({ amount: '5000', currency: 'AUD' });
  // @ts-expect-error the data of another type of method
  await payments.paymentMethods.create({ type: 'card', payment_method_data: { bsb_number: '000-000' } });
  // @ts-expect-error a filter that the list does not have
  await payments.customers.list({ state: 'active' });
  // @ts-expect-error an id that is missing
  await payments.paymentPlans.activate();
  // @ts-expect-error an Idempotency-Key with a read
  await payments.customers.get('cus_1', { idempotencyKey: 'k' });
  // @ts-expect-error a wait where the service does not wait
  await payments.customers.get('cus_1', { waitSeconds: 1 });
  // @ts-expect-error a dry run has nothing to wait for
  await payments.testClocks.advanceAndWait('clk_1', { frozen_time: '2028-01-31T09:00:00Z', dry_run: true });
  // @ts-expect-error an event type that does not exist
  if (event.event_type === 'payment_plan.paused') return;
  // @ts-expect-error not every event has an amount
  event.data.amount.toFixed();
  // @ts-expect-error a member that no response has
  (await payments.customers.get('cus_1')).balance;
}
