import assert from 'node:assert/strict';
import { describe, it } from 'mocha';
import { type Cell, endsOf, type PaymentState, paymentStates, paymentsAtEnds } from './payments-at-ends.ts';

/** Each end of each kind of subject, with what it does to a payment in each state. */
const rows = Object.entries(paymentsAtEnds).flatMap(([kind, ends]) =>
  Object.entries(ends).map(([end, row]): [string, Record<PaymentState, Cell>] => [`${kind} ${end}`, row]),
);
/** After these nothing goes on. */
const final = ['plan deactivate', 'plan close', 'subscription cancelNow', 'scheduled cancel'];
const isFinal = (name: string) => final.includes(name) || name.endsWith(' deletion');

describe('the table of payments at ends', () => {
  it('has a cell for each end and each state', () => {
    const ends = Object.entries(endsOf).flatMap(([kind, names]) => Object.keys(names).map((end) => `${kind} ${end}`));
    assert.deepEqual(rows.map(([name]) => name).toSorted(), ends.toSorted());
    for (const [name, row] of rows) {
      assert.deepEqual(Object.keys(row).toSorted(), Object.keys(paymentStates).toSorted(), name);
    }
  });

  it('leaves nothing to be paid after a final end, but what the bank or the processor has', () => {
    const over = ['not made', 'canceled', 'never paid', 'stays'];
    for (const [name, row] of rows.filter(([name]) => isFinal(name))) {
      for (const [state, cell] of Object.entries(row)) {
        const isBegun = state === 'handedOver' || state === 'charged';
        const allowed = isBegun ? ['goes on'] : over;
        assert.ok(typeof cell !== 'string' || allowed.includes(cell), `${name}, ${state}: ${cell}`);
      }
    }
  });

  it('never calls back what the bank has, and takes nothing again that the payer has back by a refund', () => {
    for (const [name, { handedOver, refunded }] of rows) {
      assert.ok(typeof handedOver !== 'string' || handedOver === 'goes on', name);
      assert.ok(typeof refunded !== 'string' || refunded === 'stays', name);
    }
  });
});
