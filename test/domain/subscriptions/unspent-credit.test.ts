import assert from 'node:assert/strict';
import { describe, it } from 'mocha';
import { payOut, unspentCreditOf } from '../../../src/domain/subscriptions/cover.ts';

const source = (charge: number, given: number, paidOut = 0) => ({
  id: `pi_${charge}`,
  charge,
  given,
  paid_out: paidOut,
});

describe('the unspent credit of a payment', () => {
  const unspent = (charge: number, balance: number, ...sources: ReturnType<typeof source>[]) =>
    unspentCreditOf(`pi_${charge}`, sources, balance);

  it('is what it has given while none was used', () => {
    assert.equal(unspent(1, 1890, source(1, 1890)), 1890);
    assert.equal(unspent(2, 1890, source(1, 1890)), 0);
  });

  it('is less by what its refunds have paid out', () => {
    assert.equal(unspent(1, 890, source(1, 1890, 1000)), 890);
    assert.equal(unspent(1, 500, source(1, 1890, 1890), source(2, 500)), 0);
  });

  it('is used oldest payment first: the balance is that of the newest', () => {
    const both = [source(1, 1000), source(2, 500)];
    assert.deepEqual([unspent(1, 1200, ...both), unspent(2, 1200, ...both)], [700, 500]);
    assert.deepEqual([unspent(1, 400, ...both), unspent(2, 400, ...both)], [0, 400]);
  });

  it('is never below zero', () => {
    const both = [source(1, 1000), source(2, 300, 500)];
    assert.deepEqual([unspent(1, 800, ...both), unspent(2, 800, ...both)], [800, 0]);
  });
});

describe('credit that is paid out', () => {
  const payments = [{ remaining: 52 }, { remaining: 0 }, { remaining: 3000 }];
  const paid = (amount: number) => payOut(payments, amount).map((part) => part.amount);

  it('comes from the newest payment first, and from as many as hold it', () => {
    assert.deepEqual([paid(1), paid(52), paid(1548)], [[1], [52], [52, 1496]]);
  });

  it('is at most what remains of the payments', () => assert.deepEqual(paid(9999), [52, 3000]));
});
