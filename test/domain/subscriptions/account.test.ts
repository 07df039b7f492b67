import assert from 'node:assert/strict';
import fc from 'fast-check';
import { describe, it } from 'mocha';
import {
  accountLine,
  amountEntry,
  type CreditAccount,
  entry,
  post,
  postAll,
  statementOf,
} from '../../../src/domain/subscriptions/account.ts';
import { type PeriodLine, sumOf } from '../../../src/domain/subscriptions/lines.ts';

const empty: CreditAccount = { next_period_lines: [], credit_balance_cents: 0 };
const item = (amount: number): PeriodLine => ({ kind: 'item', description: 'A', quantity: 1, amount_cents: amount });
const amounts = fc.array(fc.integer({ min: -5_000, max: 5_000 }), { maxLength: 8 });
const owedBy = ({ next_period_lines: lines, credit_balance_cents: credit }: CreditAccount) => sumOf(lines) - credit;
const posted = (all: number[]) => all.reduce((account, amount) => post(account, accountLine('x', amount)), empty);

describe('the account of a subscription', () => {
  it('owes or has the sum of what was posted, never both', () => {
    fc.assert(
      fc.property(amounts, (all) => {
        const account = posted(all);
        assert.equal(owedBy(account), sumOf(all.map(item)));
        assert.ok(account.credit_balance_cents >= 0 && sumOf(account.next_period_lines) >= 0);
        assert.ok(account.credit_balance_cents === 0 || account.next_period_lines.length === 0);
      }),
    );
  });

  it('is used by periods one after the other, before money is taken, until it is empty', () => {
    fc.assert(
      fc.property(amounts, fc.integer({ min: 0, max: 5_000 }), (all, price) => {
        const before = posted(all);
        const { lines, amount_cents: amount, carried_cents: carried, ...rest } = statementOf(before, [item(price)]);
        const account = postAll(before, amountEntry('taken', 1, 'Period 1', 0 - carried));
        assert.equal(rest.credit_used_cents, before.credit_balance_cents - account.credit_balance_cents);
        assert.equal(amount, sumOf(lines));
        assert.equal(amount, price + carried);
        assert.ok(amount >= 0);
        assert.equal(owedBy(before), owedBy(account) + carried);
        assert.ok(amount === 0 || owedBy(account) === 0);
      }),
    );
  });

  it('shows in the next period what is owed for changes, with the credit that was set off', () => {
    const credit = post(empty, accountLine('Downgrade', -300));
    assert.deepEqual(credit, { next_period_lines: [], credit_balance_cents: 300 });
    const owed = post(credit, accountLine('Upgrade', 500));
    assert.deepEqual(
      owed.next_period_lines.map(({ kind, description, amount_cents }) => [kind, description, amount_cents]),
      [
        ['proration', 'Upgrade', 500],
        ['credit', 'Credit balance', -300],
      ],
    );
    assert.equal(statementOf(owed, [item(1_000)]).amount_cents, 1_200);
  });

  it('is what its entries leave, one after the other', () => {
    fc.assert(
      fc.property(amounts, (all) => {
        const entries = all.flatMap((amount) => amountEntry('change', 1, 'x', amount));
        assert.deepEqual(postAll(empty, entries), posted(all));
      }),
    );
  });

  it('shows what is owed for a former period beside the credit that pays it', () => {
    const owed = { kind: 'owed' as const, description: 'Period 2', quantity: 1, amount_cents: 714 };
    const account = postAll({ next_period_lines: [], credit_balance_cents: 1_000 }, [entry('owed', 2, [owed])]);
    assert.equal(account.credit_balance_cents, 286);
    assert.deepEqual(
      account.next_period_lines.map(({ kind, amount_cents }) => [kind, amount_cents]),
      [
        ['owed', 714],
        ['credit', -714],
      ],
    );
    const { amount_cents: amount, carried_cents: carried } = statementOf(account, [item(1_000)]);
    assert.equal(amount, 714);
    assert.deepEqual(postAll(account, amountEntry('taken', 3, 'Period 3', 0 - carried)), empty);
  });

  it('has no line for nothing', () => {
    assert.deepEqual(accountLine('x', 0), []);
    assert.deepEqual(post(empty, []), empty);
  });
});
