import assert from 'node:assert/strict';
import { describe, it } from 'mocha';
import type { Body } from '../place.ts';
import type { Happening } from '../telling.ts';
import { takenAfterTheEnd } from './after-the-end.ts';
import { givenBackTooMuch } from './given-back.ts';
import { leftOwed } from './left-owed.ts';
import { paidTwice } from './paid-twice.ts';
import { type Attempt, type Deed, emptyStory, type Payment, type Period, type Story } from './story.ts';

/** Instants of the stories here: the number is the day of January 2027, at 12:00. */
const at = (day: number) => Date.parse(`2027-01-${String(day).padStart(2, '0')}T12:00:00Z`);
const atText = (day: number) => new Date(at(day)).toISOString();

/** An event on a day. Its place among the others is its day. */
const event = (day: number, type: string, subject: string, data: Body = {}): Happening => ({
  ...{ at: atText(day), type, subject, customer: 'customer1', data, sequence: day },
});
const deed = (day: number, what: string, of: string, body: Body = {}): Deed => ({
  ...{ do: what, of, at: at(day), sequence: day, body },
});

const card: Attempt = {
  ...{ number: 1, at: at(10), source: 'confirm', outcome: 'succeeded', method: 'customer1/card' },
  ...{ mandate: null, submittedAt: null },
};
const debit = (submitted: number): Attempt => ({
  ...{ number: 1, at: at(submitted), source: 'plan', outcome: 'succeeded', method: 'customer1/account' },
  ...{ mandate: 'customer1/mandate', submittedAt: at(submitted) },
});

/** A payment of 1000, taken once by a card on 10 January. */
const payment = (subject: string | null, changed: Partial<Payment> = {}): Payment => ({
  ...{ name: 'pay1', customer: 'customer1', subject, slot: null, amount: 1000, total: 1000, status: 'succeeded' },
  ...{ attempts: [card], refunds: [], ...changed },
});
const taken = event(10, 'payment_intent.succeeded', 'pay1');

/** A story at noon on 20 January. */
const story = (changed: Partial<Story>): Story => ({ ...emptyStory('by the day', 'UTC'), now: at(20), ...changed });

const paidPeriod = (number: number, of: string, changed: Partial<Period> = {}) => ({
  ...{ number, start: `2027-01-0${number}`, end: '2027-01-09', status: 'paid', carried: 0, beganAt: at(1) },
  ...{ payment: of, ...changed },
});

const plan = 'customer1/plan1';
const subscription = 'customer1/subscription1';
const link = 'customer1/link1';

const ends: { end: string; of: string; happenings?: Happening[]; deeds?: Deed[]; attempt?: Attempt }[] = [
  {
    end: 'a subscription is canceled',
    of: subscription,
    happenings: [event(9, 'subscription.canceled', subscription)],
  },
  { end: 'a plan is closed', of: plan, happenings: [event(9, 'payment_plan.closed', plan)] },
  { end: 'a plan is deactivated', of: plan, happenings: [event(9, 'payment_plan.deactivated', plan)] },
  {
    end: 'a plan is suspended by its biller',
    of: plan,
    happenings: [event(9, 'payment_plan.suspended', plan, { state_reason: 'requested' })],
  },
  {
    end: 'a plan is suspended by a failure, for its own retries',
    of: plan,
    happenings: [event(9, 'payment_plan.suspended', plan, { state_reason: 'payment_failed' })],
    attempt: { ...card, source: 'plan' },
  },
  {
    end: 'a subscription is paused by a failure, for its own debits',
    of: subscription,
    happenings: [event(9, 'subscription.paused', subscription, { state_reason: 'payment_failed' })],
    attempt: { ...debit(10), source: 'subscription' },
  },
  {
    end: 'a subscription is canceled at the end of its period, for its retries',
    of: subscription,
    happenings: [event(9, 'subscription.cancel_scheduled', subscription)],
    attempt: { ...card, source: 'subscription', number: 2 },
  },
  { end: 'a link is deactivated', of: link, happenings: [event(9, 'payment_link.deactivated', link)] },
  { end: 'a link has expired', of: link, happenings: [event(9, 'payment_link.expired', link)] },
  { end: 'a session has expired', of: 'session1', happenings: [event(9, 'checkout_session.expired', 'session1')] },
  { end: 'the payment is canceled', of: plan, happenings: [event(9, 'payment_intent.canceled', 'pay1')] },
  { end: 'the customer is deleted', of: plan, deeds: [deed(9, 'delete', 'customer1')] },
  {
    end: 'the card is detached',
    of: plan,
    deeds: [deed(9, 'detach card', 'customer1', { payment_method: { id: 'customer1/card' } })],
  },
  {
    end: 'the mandate is canceled',
    of: plan,
    happenings: [event(9, 'mandate.canceled', 'customer1/mandate')],
    attempt: debit(10),
  },
];

describe('the model of what may be taken', () => {
  for (const { end, of, happenings = [], deeds = [], attempt = card } of ends) {
    it(`finds money that was taken after ${end}`, () => {
      const payments = [payment(of, { attempts: [attempt] })];
      const damaged = story({ payments, deeds, happenings: [...happenings, taken] });
      assert.equal(takenAfterTheEnd(damaged).length, 1);
      const before = story({ payments, deeds: [], happenings: [taken] });
      assert.deepEqual(takenAfterTheEnd(before), []);
    });
  }

  it('lets the bank settle after an end what it had before, and finds what it got later', () => {
    const happenings = [
      event(7, 'payment_intent.processing', 'pay1'),
      event(9, 'payment_plan.closed', plan),
      event(10, 'payment_intent.succeeded', 'pay1'),
    ];
    const handedOver = (day: number) => story({ happenings, payments: [payment(plan, { attempts: [debit(day)] })] });
    assert.deepEqual(takenAfterTheEnd(handedOver(8)), []);
    assert.deepEqual(takenAfterTheEnd(handedOver(10)), [
      'pay1: 1000 taken at 2027-01-10T12:00:00.000Z, begun at 2027-01-10T12:00:00.000Z by plan, ' +
        'after 2027-01-09T12:00:00.000Z payment_plan.closed of customer1/plan1',
    ]);
  });

  it('finds a payment that was taken twice, and lets it be taken again once it came back', () => {
    const again = event(12, 'payment_intent.succeeded', 'pay1');
    const twice = story({ payments: [payment(plan)], happenings: [taken, again] });
    assert.deepEqual(paidTwice(twice), ['pay1: taken again at 2027-01-12T12:00:00.000Z']);
    const cameBack = event(11, 'payment_intent.returned', 'pay1');
    assert.deepEqual(paidTwice({ ...twice, happenings: [taken, cameBack, again] }), []);
  });

  it('finds two payments for one slot of a plan', () => {
    const payments = [payment(plan, { slot: 3 }), payment(plan, { slot: 3, name: 'pay2' })];
    assert.deepEqual(paidTwice(story({ payments })), ['slot 3 of customer1/plan1: paid by pay1 and by pay2']);
    const [one, other] = payments as [Payment, Payment];
    assert.deepEqual(paidTwice(story({ payments: [one, { ...other, slot: 4 }] })), []);
    assert.deepEqual(paidTwice(story({ payments: [one, { ...other, status: 'returned' }] })), []);
  });

  it('finds two payments for one day of a subscription', () => {
    const payments = [payment(subscription), payment(subscription, { name: 'pay2' })];
    const periods = { [subscription]: [paidPeriod(1, 'pay1'), paidPeriod(8, 'pay2', { end: '2027-01-16' })] };
    const found = ['customer1/subscription1: 2027-01-08 is paid by pay1 and by pay2'];
    assert.deepEqual(paidTwice(story({ payments, periods })), found);
    const adjoining = { [subscription]: [paidPeriod(1, 'pay1', { end: '2027-01-08' }), paidPeriod(8, 'pay2')] };
    assert.deepEqual(paidTwice(story({ payments, periods: adjoining })), []);
  });

  it('finds a refund of more than a payment holds, also because the bank has taken it back', () => {
    const refunds = [{ name: 'refund1', credit: 0 }];
    const payments = [payment(plan, { refunds })];
    const refunded = (amount: number, day = 12) => event(day, 'refund.succeeded', 'refund1', { amount });
    assert.deepEqual(givenBackTooMuch(story({ payments, happenings: [taken, refunded(1000)] })), []);
    assert.deepEqual(givenBackTooMuch(story({ payments, happenings: [taken, refunded(1001)] })), [
      'refund1: 1001 given back of 1000 at 2027-01-12T12:00:00.000Z',
    ]);
    const cameBack = event(11, 'payment_intent.returned', 'pay1');
    assert.equal(givenBackTooMuch(story({ payments, happenings: [taken, cameBack, refunded(1)] })).length, 1);
    assert.deepEqual(givenBackTooMuch(story({ payments, happenings: [taken, refunded(1, 10), cameBack] })), []);
    assert.equal(givenBackTooMuch(story({ payments, happenings: [cameBack] })).length, 1);
  });

  it('finds credit that stays although the payment that it came from was refunded', () => {
    const downgrade = { period: 1, status: 'made', lines: -400, changedAt: at(10), payment: null };
    const judged = (amount: number, credit: number) =>
      givenBackTooMuch(
        story({
          payments: [payment(subscription, { refunds: [{ name: 'refund1', credit }] })],
          periods: { [subscription]: [paidPeriod(1, 'pay1')] },
          changes: { [subscription]: [downgrade] },
          happenings: [taken, event(14, 'refund.succeeded', 'refund1', { amount })],
          resources: { [subscription]: { credit_balance_cents: 400 - credit, next_period_lines: [] } },
        }),
      );
    assert.deepEqual([judged(300, 300), judged(1000, 400)], [[], []]);
    assert.deepEqual(judged(300, 0), ['refund1: takes 0 of credit, and 300 came from its payment']);
    assert.deepEqual(judged(900, 300), ['refund1: takes 300 of credit, and 400 came from its payment']);
  });

  const active = { state: 'active', state_reason: null, next_payment_date: null, next_attempt_at: null };
  const running = {
    ...{ state: 'active', state_reason: null, next_attempt_at: null, next_period_start: null },
    ...{ ends_at: null, pauses_at: null, current_period: { number: 2 } },
  };
  const stuck: { what: string; of: string; shown: Body; well: Body }[] = [
    { what: 'a plan that is active for good', of: plan, shown: active, well: { next_payment_date: '2027-01-21' } },
    {
      what: 'a plan whose retry was not made',
      of: plan,
      shown: { ...active, next_attempt_at: atText(19) },
      well: { next_attempt_at: atText(21) },
    },
    {
      what: 'a plan that is suspended for no reason',
      of: plan,
      shown: { ...active, state: 'suspended' },
      well: { state_reason: 'payment_failed' },
    },
    {
      what: 'a subscription that is past due without a retry',
      of: subscription,
      shown: { ...running, state: 'past_due', next_period_start: '2027-02-01' },
      well: { next_attempt_at: atText(21) },
    },
    {
      what: 'a subscription that is paused by a failure and resumes on its own',
      of: subscription,
      shown: { ...running, state: 'paused', state_reason: 'payment_failed', resumes_at: '2027-02-01' },
      well: { resumes_at: null },
    },
    {
      what: 'a subscription whose next period has not begun',
      of: subscription,
      shown: { ...running, next_period_start: '2027-01-20' },
      well: { next_period_start: '2027-01-21' },
    },
    {
      what: 'a subscription without an end or a next period',
      of: subscription,
      shown: running,
      well: { ends_at: '2027-01-21' },
    },
    {
      what: 'a link that has not expired',
      of: link,
      shown: { status: 'open', expires_at: atText(20) },
      well: { expires_at: atText(21) },
    },
  ];
  for (const { what, of, shown, well } of stuck) {
    it(`finds what is owed without a date: ${what}`, () => {
      assert.equal(leftOwed(story({ resources: { [of]: shown } })).length, 1);
      assert.deepEqual(leftOwed(story({ resources: { [of]: { ...shown, ...well } } })), []);
    });
  }

  it('finds a challenge that a payer has left open, and a debit whose result has not come', () => {
    const open = (subject: string | null, day: number) =>
      leftOwed(
        story({
          payments: [payment(subject, { status: 'requires_action' })],
          happenings: [event(day, 'payment_intent.requires_action', 'pay1')],
        }),
      );
    assert.deepEqual(open(plan, 18), ['pay1: a challenge of customer1/plan1 is open since 2027-01-18T12:00:00.000Z']);
    assert.deepEqual(open(plan, 19), []);
    assert.equal(open(link, 19).length, 1);
    assert.deepEqual(open(null, 2), []);
    const waiting = (date: string) =>
      leftOwed(
        story({
          payments: [payment(plan, { status: 'processing' })],
          resources: { payments: [{ id: 'pay1', expected_result_date: date }] },
        }),
      );
    assert.equal(waiting('2027-01-20').length, 1);
    assert.deepEqual(waiting('2027-01-21'), []);
  });
});
