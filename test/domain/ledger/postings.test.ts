import assert from 'node:assert/strict';
import { describe, it } from 'mocha';
import { availableOn } from '../../../src/domain/ledger/available-on.ts';
import { payoutDayAfter, payoutDayUntil } from '../../../src/domain/ledger/payout-days.ts';
import { isFailingPayout, parsePayoutWords } from '../../../src/domain/ledger/payouts.ts';
import { moneyEventTypes, type PostedEventType, postingsOf } from '../../../src/domain/ledger/postings.ts';
import { eventTypes } from '../../../src/resources/event-catalogue.ts';

/** What a payment, a refund, a dispute or a payout can be told without money having moved. */
const withoutMoney = [
  'payment_intent.requires_action',
  'payment_intent.restricted',
  'refund.failed',
  'payout.paid',
  'payout.reconciled',
];

/** `before`: what the ledger has of the payment in flight, or of the subscription as credit. */
const table: { when: string; type: PostedEventType; amount: number; fee: number; before: number; posts: object }[] = [
  {
    when: 'a card is charged',
    ...{ type: 'payment_intent.succeeded', amount: 10_000, fee: 205, before: 0 },
    posts: { payment: { payers: -10_000, processor: 9_795, fees: 205 } },
  },
  {
    when: 'a debit is accepted',
    ...{ type: 'payment_intent.processing', amount: 10_000, fee: 205, before: 0 },
    posts: { debit_accepted: { payers: -10_000, in_flight: 10_000 } },
  },
  {
    when: 'a debit settles',
    ...{ type: 'payment_intent.succeeded', amount: 10_000, fee: 205, before: 10_000 },
    posts: { payment: { in_flight: -10_000, processor: 9_795, fees: 205 } },
  },
  {
    when: 'a debit is dishonoured',
    ...{ type: 'payment_intent.failed', amount: 10_000, fee: 205, before: 10_000 },
    posts: { debit_ended: { in_flight: -10_000, payers: 10_000 } },
  },
  {
    when: 'a debit is canceled before the bank has it',
    ...{ type: 'payment_intent.canceled', amount: 10_000, fee: 205, before: 10_000 },
    posts: { debit_ended: { in_flight: -10_000, payers: 10_000 } },
  },
  {
    when: 'a card is declined',
    ...{ type: 'payment_intent.failed', amount: 10_000, fee: 205, before: 0 },
    posts: {},
  },
  {
    when: 'a payment that was never charged is canceled',
    ...{ type: 'payment_intent.canceled', amount: 10_000, fee: 205, before: 0 },
    posts: {},
  },
  {
    when: 'a debit comes back',
    ...{ type: 'payment_intent.returned', amount: 10_000, fee: 205, before: 0 },
    posts: { return: { processor: -10_000, payers: 10_000 }, adjustment: { fees: -205, processor: 205 } },
  },
  {
    when: 'a payment is refunded in part',
    ...{ type: 'refund.succeeded', amount: 4_000, fee: 0, before: 0 },
    posts: { refund: { processor: -4_000, payers: 4_000 } },
  },
  {
    when: 'a payment is disputed',
    ...{ type: 'dispute.opened', amount: 10_000, fee: 0, before: 0 },
    posts: { dispute: { processor: -10_000, held: 10_000 } },
  },
  {
    when: 'a dispute is won',
    ...{ type: 'dispute.won', amount: 10_000, fee: 0, before: 0 },
    posts: { dispute_reversal: { held: -10_000, processor: 10_000 } },
  },
  {
    when: 'a dispute is lost',
    ...{ type: 'dispute.lost', amount: 10_000, fee: 0, before: 0 },
    posts: { dispute_lost: { held: -10_000, payers: 10_000 } },
  },
  {
    when: 'a payout is made',
    ...{ type: 'payout.created', amount: 9_795, fee: 0, before: 0 },
    posts: { payout: { processor: -9_795, bank: 9_795 } },
  },
  {
    when: 'a payout fails',
    ...{ type: 'payout.failed', amount: 9_795, fee: 0, before: 0 },
    posts: { payout_failure: { processor: 9_795, bank: -9_795 } },
  },
  {
    when: 'the fee is the whole amount',
    ...{ type: 'payment_intent.succeeded', amount: 30, fee: 30, before: 0 },
    posts: { payment: { payers: -30, fees: 30 } },
  },
  {
    when: 'the fee is above the amount',
    ...{ type: 'payment_intent.succeeded', amount: 20, fee: 30, before: 0 },
    posts: { payment: { payers: -20, processor: -10, fees: 30 } },
  },
  {
    when: 'a debit of another amount is in flight, which no event has ended',
    ...{ type: 'payment_intent.succeeded', amount: 10_000, fee: 0, before: 7_000 },
    posts: { payment: { payers: -3_000, in_flight: -7_000, processor: 10_000 } },
  },
  {
    when: 'credit is given: of what payers have paid, more is owed back',
    ...{ type: 'subscription', amount: 3_000, fee: 0, before: 1_000 },
    posts: { credit: { credit: -2_000, payers: 2_000 } },
  },
  {
    when: 'credit is used, paid out or withheld',
    ...{ type: 'subscription', amount: 0, fee: 0, before: 3_000 },
    posts: { credit: { credit: 3_000, payers: -3_000 } },
  },
  {
    when: 'a subscription tells the credit that it had',
    ...{ type: 'subscription', amount: 3_000, fee: 0, before: 3_000 },
    posts: {},
  },
];

describe('what an event posts to the ledger', () => {
  for (const { when, posts, before, ...event } of table) {
    it(`moves between the accounts what the table says when ${when}`, () => {
      const posted = postingsOf(event, before).map(({ kind, entries }) => [
        kind,
        Object.fromEntries(entries.map(({ account, amount }) => [account, amount])),
      ]);
      assert.deepEqual(Object.fromEntries(posted), posts);
    });
  }

  it('adds up to 0, has no empty entry and at most one entry for an account, whatever the amounts are', () => {
    const amounts = [0, 1, 30, 205, 10_000, Number.MAX_SAFE_INTEGER];
    for (const type of [...moneyEventTypes, 'subscription'] as const) {
      for (const amount of amounts) {
        for (const [fee, before] of amounts.flatMap((a) => amounts.map((b) => [a, b] as const))) {
          for (const { entries } of postingsOf({ type, amount, fee }, before)) {
            assert.equal(
              entries.reduce((sum, entry) => sum + BigInt(entry.amount), 0n),
              0n,
            );
            assert.ok(entries.length >= 2 && entries.every((entry) => entry.amount !== 0));
            assert.equal(new Set(entries.map(({ account }) => account)).size, entries.length);
          }
        }
      }
    }
  });

  it('leaves nothing in flight once a debit has a result', () => {
    for (const type of ['payment_intent.succeeded', 'payment_intent.failed', 'payment_intent.canceled'] as const) {
      const [posting] = postingsOf({ type, amount: 500, fee: 39 }, 500);
      assert.equal(posting?.entries.find(({ account }) => account === 'in_flight')?.amount, -500);
    }
  });

  it('refuses an amount that is no whole number from 0 up', () => {
    for (const amount of [-1, 0.5, Number.NaN, 2 ** 53]) {
      assert.throws(() => postingsOf({ type: 'refund.succeeded', amount, fee: 0 }, 0), RangeError);
    }
  });

  it('knows every event of a payment, a refund, a dispute or a payout: it moves money, or is named as one that does not', () => {
    const ofMoney = eventTypes.filter((type) => /^(payment_intent|refund|dispute|payout)\./.test(type));
    assert.deepEqual([...moneyEventTypes, ...withoutMoney].sort(), [...ofMoney].sort());
  });
});

describe('when a payment is available', () => {
  it('is the second business day after its success', () => {
    // Monday 1 March 2027 to Sunday 7 March.
    const cases = { '01': '03', '02': '04', '03': '05', '04': '08', '05': '09', '06': '09', '07': '09' };
    for (const [day, available] of Object.entries(cases)) {
      for (const currency of ['AUD', 'USD'])
        assert.equal(availableOn(`2027-03-${day}`, currency), `2027-03-${available}`);
    }
  });

  it('leaves out the days on which Australian banks are closed, for AUD only', () => {
    // Good Friday is 26 March 2027, Easter Monday the 29th.
    assert.equal(availableOn('2027-03-25', 'AUD'), '2027-03-31');
    assert.equal(availableOn('2027-03-25', 'JPY'), '2027-03-29');
  });

  it('goes by Monday to Friday in years that the calendar of the banks does not have', () => {
    assert.equal(availableOn('1999-12-30', 'AUD'), '2000-01-04');
    assert.equal(availableOn('2099-12-31', 'AUD'), '2100-01-04');
    assert.equal(availableOn('2150-01-02', 'AUD'), '2150-01-06');
  });
});

describe('the words of _sandbox_payout', () => {
  it('are one for each payout that the payment is in; the last one repeats', () => {
    assert.deepEqual(parsePayoutWords('fail,paid'), ['fail', 'paid']);
    for (const text of ['', 'late', 'fail, paid', 'fail,']) assert.equal(parsePayoutWords(text), null);
    const fails = (words: string, before: number) => isFailingPayout([{ words, before }]);
    assert.deepEqual([fails('fail,paid', 0), fails('fail,paid', 1), fails('fail,paid', 2)], [true, false, false]);
    assert.deepEqual([fails('paid,fail', 0), fails('paid,fail', 5)], [false, true]);
  });

  it('fail a payout if one payment says so', () => {
    assert.equal(isFailingPayout([]), false);
    const paid = { words: 'paid', before: 0 };
    assert.equal(isFailingPayout([paid, { words: 'fail', before: 0 }, paid]), true);
  });
});

describe('the days of payouts', () => {
  it('are the business days of Australian banks for AUD, and Monday to Friday otherwise', () => {
    assert.equal(payoutDayAfter('2027-03-25', 'AUD'), '2027-03-30');
    assert.equal(payoutDayAfter('2027-03-25', 'JPY'), '2027-03-26');
    assert.equal(payoutDayUntil('2027-03-29', 'AUD'), '2027-03-25');
    assert.equal(payoutDayUntil('2027-03-29', 'USD'), '2027-03-29');
  });
});
