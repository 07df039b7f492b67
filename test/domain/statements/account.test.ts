import assert from 'node:assert/strict';
import fc from 'fast-check';
import { describe, it } from 'mocha';
import { customerInstant } from '../../../src/domain/instants.ts';
import {
  type AccountEvent,
  accountEventTypes,
  balanceOf,
  emptyAccounts,
  owedOf,
  postToAccounts,
} from '../../../src/domain/statements/account.ts';

type Told = Partial<AccountEvent> & Pick<AccountEvent, 'type'>;

/** An event of a payment of 1000, with a surcharge of 20, on this day of January. */
function event(day: number, told: Told): AccountEvent {
  return {
    at: customerInstant(Date.UTC(2027, 0, day)),
    customer_id: 'cus_1',
    currency: 'AUD',
    payment_intent_id: 'pi_1',
    payment_plan_id: null,
    subscription_id: null,
    payment_link_id: null,
    source: 'pi_1',
    base: 1_000,
    total: 1_020,
    tax: 93,
    owed: 0,
    waived: 0,
    credit: 0,
    ...told,
  };
}

/** What each event charges and waives, and what is owed or under way after it: `1020 0 1020`. */
function told(events: AccountEvent[]): string[] {
  const accounts = emptyAccounts();
  return events.map((one) => {
    const { charged, waived } = postToAccounts(accounts, one, 'UTC') ?? { charged: 0, waived: 0 };
    return `${charged} ${waived} ${balanceOf(accounts, () => true)}`;
  });
}

const plan = { payment_plan_id: 'pp_1' } as const;
const subscription = { subscription_id: 'sub_1' } as const;
const ofSubscription = { ...subscription, payment_intent_id: null, source: 'sub_1', base: 0, total: 0 } as const;

describe('the account of a customer', () => {
  const cases: Record<string, [AccountEvent[], string[]]> = {
    'charges a payment by itself when it is collected': [
      [event(1, { type: 'payment_intent.processing' }), event(3, { type: 'payment_intent.succeeded' })],
      ['0 0 0', '1020 0 0'],
    ],
    'charges nothing for a payment by itself that fails': [
      [event(1, { type: 'payment_intent.failed' }), event(2, { type: 'payment_intent.canceled' })],
      ['0 0 0', '0 0 0'],
    ],
    'is owed a payment by itself that came back, without its surcharge': [
      [
        event(1, { type: 'payment_intent.succeeded' }),
        event(5, { type: 'payment_intent.returned' }),
        event(9, { type: 'payment_intent.succeeded' }),
      ],
      ['1020 0 0', '-20 0 1000', '20 0 0'],
    ],
    'charges a debit of a plan when the bank has it, and the surcharge with it': [
      [
        event(1, { type: 'payment_intent.processing', ...plan }),
        event(3, { type: 'payment_intent.failed', ...plan }),
        event(4, { type: 'payment_intent.processing', ...plan }),
        event(6, { type: 'payment_intent.succeeded', ...plan }),
      ],
      ['1020 0 1020', '-20 0 1000', '0 0 1000', '20 0 0'],
    ],
    'waives what a plan gives up': [
      [
        event(1, { type: 'payment_intent.failed', ...plan }),
        event(2, { type: 'payment_plan.closed', payment_intent_id: null, source: 'pp_1', payment_plan_id: 'pp_1' }),
        event(2, { type: 'payment_intent.canceled', ...plan }),
      ],
      ['1000 0 1000', '0 0 1000', '0 1000 0'],
    ],
    'waives a first attempt that fails when its plan has ended': [
      [
        event(1, { type: 'payment_intent.processing', ...plan }),
        event(2, {
          type: 'payment_plan.deactivated',
          payment_intent_id: null,
          source: 'pp_1',
          payment_plan_id: 'pp_1',
        }),
        event(3, { type: 'payment_intent.failed', ...plan }),
      ],
      ['1020 0 1020', '0 0 1020', '0 1020 0'],
    ],
    'owes of a subscription what it says itself': [
      [
        event(1, { type: 'payment_intent.failed', ...subscription }),
        event(1, { type: 'subscription.past_due', ...ofSubscription, owed: 1_000 }),
        event(8, { type: 'subscription.updated', ...ofSubscription, owed: 714 }),
        event(9, { type: 'subscription.resumed', ...ofSubscription, waived: 714 }),
      ],
      ['0 0 0', '1000 0 1000', '-286 0 714', '0 714 0'],
    ],
    'does not count a retry of a subscription that the bank has a second time': [
      [
        event(1, { type: 'payment_intent.processing', ...subscription }),
        event(3, { type: 'payment_intent.failed', ...subscription }),
        event(3, { type: 'subscription.past_due', ...ofSubscription, owed: 1_000 }),
        event(4, { type: 'payment_intent.processing', ...subscription }),
        event(6, { type: 'payment_intent.succeeded', ...subscription }),
        event(6, { type: 'subscription.recovered', ...ofSubscription }),
      ],
      ['1020 0 1020', '-1020 0 0', '1000 0 1000', '0 0 1000', '1020 0 1000', '-1000 0 0'],
    ],
    'has a link that came back paid by the next payment of its customer': [
      [
        event(1, { type: 'payment_intent.succeeded', payment_link_id: 'lnk_1' }),
        event(5, { type: 'payment_intent.returned', payment_link_id: 'lnk_1' }),
        event(9, {
          type: 'payment_intent.succeeded',
          payment_link_id: 'lnk_1',
          payment_intent_id: 'pi_2',
          source: 'pi_2',
        }),
      ],
      ['1020 0 0', '-20 0 1000', '20 0 0'],
    ],
  };
  for (const [title, [events, expected]] of Object.entries(cases)) {
    it(title, () => assert.deepEqual(told(events), expected));
  }

  it('is late since the first failure, or since the money came back', () => {
    const accounts = emptyAccounts();
    const since = () => owedOf(accounts).map(({ amount, since: date }) => `${date} ${amount}`);
    const post = (day: number, type: AccountEvent['type']) => {
      postToAccounts(accounts, event(day, { type, ...plan }), 'UTC');
      return since();
    };
    assert.deepEqual(post(4, 'payment_intent.failed'), ['2027-01-04 1000']);
    assert.deepEqual(post(6, 'payment_intent.failed'), ['2027-01-04 1000']);
    assert.deepEqual(post(7, 'payment_intent.succeeded'), []);
    assert.deepEqual(post(20, 'payment_intent.returned'), ['2027-01-20 1000']);
  });

  it('owes what was charged, less what was waived and collected, and what came back, after any events', () => {
    const types: AccountEvent['type'][] = [...accountEventTypes, 'subscription.updated', 'subscription.resumed'];
    const anEvent = fc.record({
      type: fc.constantFrom(...types),
      number: fc.integer({ min: 1, max: 3 }),
      of: fc.constantFrom('plan', 'subscription', 'link', 'none'),
      total: fc.integer({ min: 1_000, max: 1_050 }),
      owed: fc.constantFrom(0, 714, 1_000),
    });
    fc.assert(
      fc.property(fc.array(anEvent, { maxLength: 40 }), (events) => {
        const accounts = emptyAccounts();
        let owed = 0;
        events.forEach(({ type, number, of, total, owed: told }, index) => {
          const isOfSubscription = type.startsWith('subscription.');
          const id = `pi_${number}`;
          const one = event(1 + index / 10, {
            type,
            payment_intent_id: isOfSubscription ? null : id,
            source: isOfSubscription ? 'sub_1' : id,
            payment_plan_id: of === 'plan' ? 'pp_1' : null,
            subscription_id: of === 'subscription' || isOfSubscription ? 'sub_1' : null,
            payment_link_id: of === 'link' ? 'lnk_1' : null,
            total,
            owed: isOfSubscription ? told : 0,
          });
          const movement = postToAccounts(accounts, one, 'UTC');
          if (movement === null) return;
          owed += movement.charged - movement.waived - movement.collected + movement.returned;
          assert.equal(
            balanceOf(accounts, () => true),
            owed,
          );
        });
        assert.ok(owedOf(accounts).every(({ amount }) => amount > 0));
      }),
    );
  });
});
