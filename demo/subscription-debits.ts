// A subscription by bank debit whose first debit is dishonoured once and its second twice, moved in one step. The days
// are worked out by hand, from the calendar of the Reserve Bank of Australia; nothing is shared with the service.
import { makeDebtor } from '../lab/payer.ts';
import type { Scene } from './scene.ts';
import { checkSubscriptionEvents, showPeriods } from './subscription-events.ts';
import { chapter, count, money, say } from './timeline.ts';

const label = 'subscription by debit';
const items = [{ name: 'Basic', unit_amount_cents: 4900 }];

/** Friday, 2 June 2028: the clock of the other subscription is there by then. */
const atStart = [
  '2028-06-02 00:00 payment_intent.processing',
  '2028-06-02 00:00 subscription.started',
  '2028-06-02 00:00 subscription.in_effect_changed',
];

/** Sixty days, in one advance. 09:00 in Sydney is 23:00 of the day before. */
const target = '2028-08-01T00:00:00.000Z';
const inOneStep = [
  // Tuesday, two business days later. Nothing was paid before, so no days of grace count.
  '2028-06-05 23:00 payment_intent.failed',
  '2028-06-05 23:00 subscription.past_due',
  '2028-06-05 23:00 subscription.in_effect_changed',
  // Wednesday, and the result on Friday.
  '2028-06-06 23:00 payment_intent.processing',
  '2028-06-08 23:00 payment_intent.succeeded',
  '2028-06-08 23:00 subscription.recovered',
  '2028-06-08 23:00 subscription.period_paid',
  '2028-06-08 23:00 subscription.in_effect_changed',
  // The period begins on a Sunday. Its debit is made on Monday, with the result on Wednesday.
  '2028-07-02 00:00 payment_intent.processing',
  '2028-07-02 00:00 subscription.renewed',
  '2028-07-04 23:00 payment_intent.failed',
  '2028-07-04 23:00 subscription.past_due',
  // Thursday, and the result on Monday.
  '2028-07-05 23:00 payment_intent.processing',
  '2028-07-09 23:00 payment_intent.failed',
  // Three days after the first result was a Saturday. Tuesday is the business day after the latest result.
  '2028-07-10 23:00 payment_intent.processing',
  '2028-07-12 23:00 payment_intent.succeeded',
  '2028-07-12 23:00 subscription.recovered',
  '2028-07-12 23:00 subscription.period_paid',
];

const periods = ['1 2028-06-02 2028-07-02 paid 49.00', '2 2028-07-02 2028-08-02 paid 49.00'];

/** Takes a subscription through three dishonours in one advance, which its dry run has foretold. */
export async function runDebitSubscription(scene: Scene): Promise<void> {
  const { payments, checks, subscriptionClockId } = scene;
  const clock = subscriptionClockId ?? '';
  chapter('A subscription by bank debit: AUD 49.00 a month, in effect once its debit is accepted');
  const { customerId } = await makeDebtor(payments, { name: 'Bea Banked', test_clock: clock });
  const { id } = await payments.subscriptions.create({
    ...{ customer_id: customerId, name: 'Basic', currency: 'AUD', frequency_type: 'monthly', items },
    ...{ effective_on: 'submitted', grace_days: 14 },
    metadata: { _sandbox_outcome_by_period: 'decline,succeed;decline,decline,succeed' },
  });
  await payments.subscriptions.start(id);
  await checkSubscriptionEvents(scene, label, customerId, atStart, atStart.length);

  chapter('Sixty days in one step: three dishonours, each retried on the days of its scheme');
  const dryRun = await payments.testClocks.advance(clock, { frozen_time: target, dry_run: true });
  const { last_advance: advance } = await payments.testClocks.advanceAndWait(clock, { frozen_time: target });
  const expected = [...atStart, ...inOneStep];
  const told = await checkSubscriptionEvents(scene, label, customerId, expected, inOneStep.length);
  checks.equal(
    `${label}, dry run`,
    dryRun.effects
      .filter(({ event_type: type }) => !type.startsWith('payout.'))
      .map(({ at, event_type: type }) => `${at} ${type}`),
    told.slice(atStart.length).map(({ created_at: at, event_type: type }) => `${at} ${type}`),
  );
  checks.members(`${label}, manifest`, advance?.effects_manifest ?? {}, {
    ...{ payment_intents_enqueued: 2, links_expired: 0, subscriptions_rolled: 1, plans_recalculated: 0 },
  });
  checks.members(label, await payments.subscriptions.get(id), {
    ...{ state: 'active', in_effect: true, in_effect_until: '2028-08-02T00:00:00.000Z', paid_periods: 2 },
  });
  await showPeriods(scene, label, id, periods);
  await checkMoney(scene, customerId);
}

/** Five debits, of which two were collected. */
async function checkMoney({ payments, checks }: Scene, customerId: string): Promise<void> {
  const intents = await payments.customers.listPaymentIntents(customerId).toArray();
  const paid = intents.map(({ status, amount, total_returned_amount: returned }) => [status, amount, returned]);
  checks.equal(`${label}, payments`, paid, [
    ['succeeded', 4900, 0],
    ['succeeded', 4900, 0],
  ]);
  const total = intents.reduce((sum, { amount }) => sum + amount, 0);
  say(`${count(intents.length, 'payment')}, ${money(total)} in all: each is collected once.`);
}
