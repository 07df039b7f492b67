import assert from 'node:assert/strict';
import fc from 'fast-check';
import { describe, it } from 'mocha';
import { postAll } from '../../../src/domain/subscriptions/account.ts';
import type { PeriodLine } from '../../../src/domain/subscriptions/lines.ts';
import type { Period } from '../../../src/domain/subscriptions/subscription.ts';
import { creditAfterEnd } from '../../../src/domain/subscriptions/taking.ts';

const period = (amount_cents: number, carried_cents = 0, changed_cents = 0) =>
  ({ number: 3, amount_cents, carried_cents, changed_cents, lines: [] as PeriodLine[] }) as Period;
const canceled = { state: 'canceled' as const, state_reason: 'requested' as const };
const cents = fc.integer({ min: 0, max: 5_000 });

describe('the credit of a period that is paid after the end', () => {
  it('is what was paid and the credit that the period had used, added to what the customer has', () => {
    fc.assert(
      fc.property(cents, cents, cents, (paid, used, had) => {
        const credit = creditAfterEnd(canceled, period(paid, 0 - used));
        if (paid + used === 0) return assert.equal(credit, null);
        assert.equal(credit?.amount, 0 - paid - used);
        const account = { next_period_lines: [], credit_balance_cents: had };
        assert.equal(postAll(account, credit?.entries ?? []).credit_balance_cents, had + paid + used);
      }),
    );
  });

  it('does not give again what a change of the period has given', () => {
    const credit = creditAfterEnd(canceled, period(3000, 0, -1000));
    assert.equal(credit?.amount, -2000);
  });

  it('is none for what was owed alone: it was served', () => {
    const lines: PeriodLine[] = [{ kind: 'owed', description: 'Period 2', quantity: 1, amount_cents: 714 }];
    assert.equal(creditAfterEnd(canceled, { ...period(714), lines }), null);
  });

  it('is none while the subscription goes on, and none for a last period that was served', () => {
    for (const terms of [
      { state: 'active', state_reason: null },
      { state: 'canceled', state_reason: 'ended' },
    ] as const) {
      assert.equal(creditAfterEnd(terms, period(3000)), null);
    }
  });
});
