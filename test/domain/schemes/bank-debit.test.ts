import assert from 'node:assert/strict';
import { describe, it } from 'mocha';
import { customerInstant } from '../../../src/domain/instants.ts';
import { auBecs } from '../../../src/domain/schemes/au-becs.ts';
import {
  debitDates,
  hasMissedCutOff,
  lodgementReferenceOf,
  returnableAfter,
} from '../../../src/domain/schemes/bank-debit.ts';

describe('the dates that a bank debit is promised', () => {
  for (const [what, accepted, charged, handOver, resultOn, result] of [
    [
      'before the cut-off',
      '2027-03-01T04:59:59.999Z',
      '2027-03-01',
      '2027-03-01T05:00',
      '2027-03-03',
      '2027-03-02T22:00',
    ],
    ['at the cut-off', '2027-03-01T05:00:00.000Z', '2027-03-02', '2027-03-02T05:00', '2027-03-04', '2027-03-03T22:00'],
    [
      'on the Thursday before Easter',
      '2027-03-25T00:00:00Z',
      '2027-03-25',
      '2027-03-25T05:00',
      '2027-03-31',
      '2027-03-30T22:00',
    ],
    ['on Good Friday', '2027-03-26T00:00:00Z', '2027-03-30', '2027-03-30T05:00', '2027-04-01', '2027-03-31T22:00'],
    [
      'after summer time has ended',
      '2027-04-05T00:00:00Z',
      '2027-04-05',
      '2027-04-05T06:00',
      '2027-04-07',
      '2027-04-06T23:00',
    ],
  ] as const) {
    it(`are those of business days for a debit that is accepted ${what}`, () => {
      assert.deepEqual(debitDates(auBecs, customerInstant(accepted)), {
        chargeDate: charged,
        handOverAt: new Date(`${handOver}:00Z`),
        resultDate: resultOn,
        resultAt: new Date(`${result}:00Z`),
      });
    });
  }

  it('do not exist where the calendar of the scheme ends, or ends before the debit can no longer come back', () => {
    assert.equal(debitDates(auBecs, customerInstant('1999-12-31T00:00:00Z')), null);
    assert.equal(debitDates(auBecs, customerInstant('2150-01-01T00:00:00Z')), null);
    assert.equal(debitDates(auBecs, customerInstant('2099-12-15T00:00:00Z')), null);
    assert.notEqual(debitDates(auBecs, customerInstant('2099-11-15T00:00:00Z')), null);
  });

  it('say until when it can come back, 20 business days after the date in Sydney on which it was collected', () => {
    assert.equal(returnableAfter(auBecs, customerInstant('2027-03-02T22:00:00Z')), '2027-04-02');
  });

  it('hold for a hand-over that is half an hour late, and no later', () => {
    const handOver = customerInstant('2027-03-01T05:00:00Z');
    assert.equal(hasMissedCutOff(handOver, customerInstant('2027-03-01T05:30:00.000Z')), false);
    assert.equal(hasMissedCutOff(handOver, customerInstant('2027-03-01T05:30:00.001Z')), true);
  });
});

describe('a lodgement reference', () => {
  it('has 18 characters, is the same for the same attempt, and another for another', () => {
    const reference = lodgementReferenceOf('att_1');
    assert.match(reference, /^PAY-[23456789A-HJ-NP-Z]{14}$/);
    assert.equal(lodgementReferenceOf('att_1'), reference);
    assert.notEqual(lodgementReferenceOf('att_2'), reference);
  });
});
