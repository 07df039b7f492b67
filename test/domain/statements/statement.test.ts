import assert from 'node:assert/strict';
import { describe, it } from 'mocha';
import { customerInstant } from '../../../src/domain/instants.ts';
import type { Movement } from '../../../src/domain/statements/account.ts';
import { addToStatement, closeStatement, emptyStatement } from '../../../src/domain/statements/statement.ts';

const nothing = { charged: 0, waived: 0, collected: 0, refunded: 0, returned: 0, credited: 0, tax: 0 };
const { credited: _, ...noTotals } = nothing;

function movement(at: string, moved: Partial<Movement>, plan: string | null = 'pp_1'): Movement {
  return {
    debt: {
      customer_id: 'cus_1',
      currency: 'AUD',
      payment_plan_id: plan,
      subscription_id: null,
      payment_intent_id: plan === null ? 'pi_1' : null,
    },
    at: customerInstant(at),
    payment_intent_id: 'pi_1',
    source: 'pi_1',
    ...nothing,
    ...moved,
  };
}

function written(movements: Movement[], timeZone = 'UTC') {
  const statement = emptyStatement();
  for (const one of movements)
    addToStatement(statement, one, { from: customerInstant('2027-01-01T00:00:00Z'), timeZone });
  const { totals, lines } = closeStatement(statement, { from: '2027-01-01', to: '2027-02-01' });
  return { totals, lines: lines.map(({ date, type, amount, owed }) => `${date} ${type} ${amount} ${owed}`) };
}

describe('a statement of movements', () => {
  it('begins with what was owed before, and ends with what is owed', () => {
    const { totals, lines } = written([
      movement('2026-12-31T23:59:59.999Z', { charged: 1_000 }),
      movement('2027-01-01T00:00:00.000Z', { collected: 1_000 }),
    ]);
    assert.deepEqual(totals, [
      { currency: 'AUD', owed_before: 1_000, ...noTotals, collected: 1_000, owed: 0, credit: 0 },
    ]);
    assert.deepEqual(lines, ['2027-01-01 owed_before 1000 1000', '2027-01-01 collected 1000 0', '2027-02-01 owed 0 0']);
  });

  it('has the credit that is there at its end, also what was given before it, and no line of it', () => {
    const { totals, lines } = written([
      movement('2026-12-31T00:00:00Z', { credited: 1_000 }),
      movement('2027-01-04T00:00:00Z', { credited: -400 }),
    ]);
    assert.deepEqual(totals, [{ currency: 'AUD', owed_before: 0, ...noTotals, owed: 0, credit: 600 }]);
    assert.deepEqual(lines, ['2027-01-01 owed_before 0 0', '2027-02-01 owed 0 0']);
  });

  it('has one charge for each date and plan, and none that its date has corrected', () => {
    const { lines } = written([
      movement('2027-01-04T01:00:00Z', { charged: 1_000 }),
      movement('2027-01-04T02:00:00Z', { charged: 500 }),
      movement('2027-01-04T02:00:00Z', { charged: 300 }, null),
      movement('2027-01-05T01:00:00Z', { charged: 700 }),
      movement('2027-01-05T02:00:00Z', { charged: -700 }),
    ]);
    assert.deepEqual(lines, [
      '2027-01-01 owed_before 0 0',
      '2027-01-04 charged 1500 1500',
      '2027-01-04 charged 300 1800',
      '2027-02-01 owed 1800 1800',
    ]);
  });

  it('has the dates of its time zone', () => {
    const { lines } = written(
      [movement('2027-01-04T13:00:00Z', { charged: 1_000, collected: 1_000 })],
      'Australia/Sydney',
    );
    assert.deepEqual(lines.slice(1, 3), ['2027-01-05 charged 1000 1000', '2027-01-05 collected 1000 0']);
  });

  it('does not change what is owed by a refund', () => {
    const { totals, lines } = written([movement('2027-01-04T13:00:00Z', { refunded: 400 })]);
    assert.deepEqual(lines[1], '2027-01-04 refunded 400 0');
    assert.deepEqual([totals[0]?.refunded, totals[0]?.owed], [400, 0]);
  });
});
