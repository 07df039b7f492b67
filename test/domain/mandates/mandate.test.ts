import assert from 'node:assert/strict';
import { addMs, customerInstant } from '../../../src/domain/instants.ts';
import {
  debitRefusal,
  endAfterReturn,
  endStatus,
  type MandateEndReason,
  newMandateReference,
  nextChargeDate,
} from '../../../src/domain/mandates/mandate.ts';
import type { ReturnReason } from '../../../src/domain/schemes/scheme-profile.ts';
import { schemes } from '../../../src/domain/schemes/schemes.ts';

const scheme = schemes.au_becs;
const at = customerInstant('2027-01-10T00:00:00Z');
const later = addMs(at, 1);

describe('the end of a mandate', () => {
  const statuses: [reason: MandateEndReason, status: string][] = [
    ['requested', 'canceled'],
    ['payer_canceled', 'canceled'],
    ['payment_method_detached', 'canceled'],
    ['customer_deleted', 'canceled'],
    ['payment_stopped', 'canceled'],
    ['debit_disputed', 'canceled'],
    ['account_invalid', 'failed'],
    ['account_closed', 'failed'],
    ['account_holder_deceased', 'failed'],
    ['unused', 'expired'],
  ];
  for (const [reason, status] of statuses) {
    it(`makes its status ${status} when the reason is ${reason}`, () => assert.equal(endStatus(reason), status));
  }

  const returns: [code: string, reason: ReturnReason, end: string | null][] = [
    ['1', 'account_invalid', 'failed'],
    ['2', 'payment_stopped', 'canceled'],
    ['3', 'account_closed', 'failed'],
    ['4', 'account_holder_deceased', 'failed'],
    ['5', 'account_invalid', 'failed'],
    ['6', 'insufficient_funds', null],
    ['9', 'account_invalid', 'failed'],
  ];
  for (const [code, reason, end] of returns) {
    it(`is ${end ?? 'not come: the mandate stays active'} after the return code ${code} of au_becs`, () => {
      assert.equal(scheme.returnCodes[code], reason);
      const ended = endAfterReturn(reason);
      assert.equal(ended && endStatus(ended), end);
    });
  }

  it('follows a debit that the payer claims back', () => {
    assert.equal(endAfterReturn('debit_disputed'), 'debit_disputed');
  });

  it('is decided for every code of the scheme', () => {
    assert.deepEqual(
      Object.keys(scheme.returnCodes),
      returns.map(([code]) => code),
    );
  });
});

describe('a debit under a mandate', () => {
  const active = { status: 'active', lapses_at: later, max_amount_cents: null } as const;
  const debit = { amount: 1000, handOverAt: at, livemode: false };

  it('is allowed while the mandate is active', () => {
    assert.equal(debitRefusal(active, scheme, debit), null);
  });

  for (const status of ['pending', 'canceled', 'failed', 'expired'] as const) {
    it(`is refused as mandate_unavailable while the mandate is ${status}`, () => {
      assert.equal(debitRefusal({ ...active, status }, scheme, debit), 'mandate_unavailable');
    });
  }

  it('is refused if the mandate lapses before the bank would have it, or if that is on no day of the scheme', () => {
    assert.equal(debitRefusal(active, scheme, { ...debit, handOverAt: later }), 'mandate_unavailable');
    assert.equal(debitRefusal(active, scheme, { ...debit, handOverAt: null }), 'mandate_unavailable');
    assert.equal(debitRefusal({ ...active, lapses_at: null }, scheme, debit), 'mandate_unavailable');
  });

  it('may take the limit of the mandate and not a cent more', () => {
    const limited = { ...active, max_amount_cents: 1000 };
    assert.equal(debitRefusal(limited, scheme, debit), null);
    assert.equal(debitRefusal(limited, scheme, { ...debit, amount: 1001 }), 'mandate_limit_exceeded');
  });

  it('may take the limit of the scheme in live mode, whatever the mandate allows; the sandbox has none', () => {
    const generous = { ...active, max_amount_cents: 5_000_000 };
    const most = { ...debit, amount: 1_000_000, livemode: true };
    assert.equal(debitRefusal(generous, scheme, most), null);
    assert.equal(debitRefusal(generous, scheme, { ...most, amount: 1_000_001 }), 'mandate_limit_exceeded');
    assert.equal(debitRefusal(generous, scheme, { ...most, amount: 1_000_001, livemode: false }), null);
  });
});

describe('the next possible charge date', () => {
  const dates: [now: string, date: string | null, why: string][] = [
    ['2027-01-29T04:59:59.999Z', '2027-01-29', 'the same day just before the cut-off of a Friday'],
    ['2027-01-29T05:00:00.000Z', '2027-02-01', 'the next business day at the cut-off'],
    ['2027-03-26T00:00:00.000Z', '2027-03-30', 'the Tuesday after Easter on Good Friday'],
    ['1999-12-31T00:00:00.000Z', null, 'unknown before the calendar begins'],
    ['2099-12-31T23:00:00.000Z', null, 'unknown when the calendar has ended'],
    ['2150-01-01T00:00:00.000Z', null, 'unknown on a test clock far ahead'],
  ];
  for (const [now, date, why] of dates) {
    it(`is, for a mandate, ${why}`, () => assert.equal(nextChargeDate(scheme, customerInstant(now), null), date));
  }

  it('is none after the last cut-off before the mandate lapses', () => {
    const lapse = customerInstant('2027-01-29T13:00:00.000Z');
    const dateAt = (now: string) => nextChargeDate(scheme, customerInstant(now), lapse);
    assert.equal(dateAt('2027-01-29T04:59:59.999Z'), '2027-01-29');
    assert.equal(dateAt('2027-01-29T05:00:00.000Z'), null);
  });
});

describe('the reference of a mandate', () => {
  it('is DDR- and 14 letters and digits that are not taken for each other, and never the same', () => {
    const references = Array.from({ length: 1000 }, newMandateReference);
    for (const reference of references) assert.match(reference, /^DDR-[2-9A-HJ-NP-Z]{14}$/);
    assert.equal(new Set(references).size, references.length);
  });
});
