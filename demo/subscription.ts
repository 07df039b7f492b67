// A subscription from its start to its end: trial, decline and recovery, upgrade, pause, end. The days and amounts are
// worked out by hand; nothing is shared with the service.
import { saveCard } from '../lab/payer.ts';
import type { Scene } from './scene.ts';
import { checkSubscriptionEvents, showPeriods } from './subscription-events.ts';
import { chapter, money, say } from './timeline.ts';

const frozenTime = '2028-01-10T00:00:00.000Z';
const basic = [{ name: 'Basic', unit_amount_cents: 4900 }];
const team = [{ name: 'Team', unit_amount_cents: 9800 }];
/** From 24 February to 24 March are 29 days; on 5 March 19 are left. 4900 × 19 ÷ 29 and 9800 × 19 ÷ 29, rounded. */
const upgrade = { credit: -3210, charge: 6421, amount: 3211 };

/** Each period: its days, its status, and what it cost. */
const periods = [
  '1 2028-01-10 2028-01-24 paid 0.00',
  '2 2028-01-24 2028-02-24 paid 49.00',
  '3 2028-02-24 2028-03-24 paid 49.00',
  '4 2028-05-01 2028-06-01 paid 98.00',
];

/** Takes a subscription from its trial to its end. Each step is shown, and compared with the dates. */
export async function runSubscription(scene: Scene): Promise<void> {
  const { payments, checks } = scene;
  chapter('A subscription: 14 days of trial, then AUD 49.00 a month');
  const { id: clock } = await payments.testClocks.create({
    frozen_time: frozenTime,
    name: 'npm run demo, subscription',
  });
  scene.subscriptionClockId = clock;
  const { id: customer_id } = await payments.customers.create({ name: 'Sam Subscriber', test_clock: clock });
  await saveCard(payments, customer_id);
  const { id } = await payments.subscriptions.create({
    ...{ customer_id, name: 'Basic', currency: 'AUD', frequency_type: 'monthly', items: basic, trial_days: 14 },
    metadata: { _sandbox_outcome_by_period: 'succeed;decline,succeed;succeed' },
  });
  const expected: string[] = [];
  const went = async (title: string, happenings: string[]) => {
    if (title !== '') chapter(title);
    expected.push(...happenings);
    await checkSubscriptionEvents(scene, 'subscription', customer_id, expected, happenings.length);
  };
  const advance = (to: string) => payments.testClocks.advanceAndWait(clock, { frozen_time: `${to}T00:00:00Z` });

  await payments.subscriptions.start(id);
  await advance('2028-02-01');
  await went('', [
    '2028-01-10 00:00 subscription.started',
    '2028-01-10 00:00 subscription.in_effect_changed',
    '2028-01-21 00:00 subscription.trial_ending',
    '2028-01-24 00:00 subscription.renewed',
    '2028-01-24 00:00 payment_intent.succeeded',
    '2028-01-24 00:00 subscription.period_paid',
  ]);
  await advance('2028-03-05');
  await went('The next period is declined, retried a day later, and paid: the service went on', [
    '2028-02-24 00:00 subscription.renewed',
    '2028-02-24 00:00 payment_intent.failed',
    '2028-02-24 00:00 subscription.past_due',
    '2028-02-25 00:00 payment_intent.succeeded',
    '2028-02-25 00:00 subscription.recovered',
    '2028-02-25 00:00 subscription.period_paid',
  ]);

  const change = { items: team, when: 'now', collect: 'now' } as const;
  const quote = await payments.subscriptions.change(id, { ...change, dry_run: true });
  const amounts = {
    credit: quote.lines[0]?.amount_cents,
    charge: quote.lines[1]?.amount_cents,
    amount: quote.amount_cents,
  };
  checks.equal('subscription, quote of the upgrade', amounts, upgrade);
  const made = await payments.subscriptions.change(id, { ...change, expected_amount_cents: quote.amount_cents });
  checks.equal('subscription, sold after the upgrade', made.subscription.items[0]?.name, 'Team');
  await went('An upgrade to AUD 98.00 for the 19 days that are left, charged as quoted', [
    '2028-03-05 00:00 payment_intent.succeeded',
    '2028-03-05 00:00 subscription.changed',
  ]);
  for (const line of quote.lines) say(`  ${money(line.amount_cents).padStart(8)}  ${line.description}`);
  say(`  ${money(quote.amount_cents).padStart(8)}  charged`);

  await payments.subscriptions.pause(id, {});
  await advance('2028-05-01');
  await went('A pause: what is paid is used, then there is no service and nothing is charged', [
    '2028-03-05 00:00 subscription.pause_scheduled',
    '2028-03-24 00:00 subscription.paused',
    '2028-03-24 00:00 subscription.in_effect_changed',
  ]);
  const resumed = await payments.subscriptions.resume(id);
  checks.equal('subscription, paid periods after the resume', resumed.paid_periods, 3);
  await payments.subscriptions.cancel(id, {});
  await advance('2028-06-02');
  await went('It is resumed with a new period from that day, and canceled at the end of it', [
    '2028-05-01 00:00 subscription.resumed',
    '2028-05-01 00:00 subscription.renewed',
    '2028-05-01 00:00 payment_intent.succeeded',
    '2028-05-01 00:00 subscription.period_paid',
    '2028-05-01 00:00 subscription.in_effect_changed',
    '2028-05-01 00:00 subscription.cancel_scheduled',
    '2028-06-01 00:00 subscription.canceled',
    '2028-06-01 00:00 subscription.in_effect_changed',
  ]);
  await showPeriods(scene, 'subscription', id, periods);
}
