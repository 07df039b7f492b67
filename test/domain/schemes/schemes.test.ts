import assert from 'node:assert/strict';
import { isTimeZone } from '../../../src/domain/calendar.ts';
import { currencies } from '../../../src/domain/currencies.ts';
import type { SchemeProfile } from '../../../src/domain/schemes/scheme-profile.ts';
import { fitsCurrency, schemes } from '../../../src/domain/schemes/schemes.ts';

describe('the profile of a debit scheme', () => {
  const profiles: [name: string, profile: SchemeProfile][] = Object.entries(schemes);

  it('has a currency and a time zone that exist', () => {
    for (const [name, profile] of profiles) {
      assert.ok(currencies.includes(profile.currency), name);
      assert.ok(isTimeZone(profile.timeZone), name);
    }
  });

  it('has results before the cut-off, so that a retry that is due with a result is charged on that day', () => {
    for (const [name, { result, cutOff }] of profiles) assert.ok(result.time < cutOff, name);
  });

  it('has results after the charge date, and returns of the sandbox within the return window', () => {
    for (const [name, { result, returnWindow, sandboxReturn }] of profiles) {
      assert.ok(result.businessDays >= 1, name);
      for (const days of Object.values(sandboxReturn)) assert.ok(days >= 1 && days <= returnWindow, name);
    }
  });
});

describe('a payment method', () => {
  it('pays in any currency, but for a bank account, which pays in that of its scheme', () => {
    const paidIn = (type: 'card' | 'au_becs_debit' | 'paypal') =>
      currencies.filter((currency) => fitsCurrency({ instrument: { type } }, currency));
    assert.deepEqual(paidIn('card'), currencies);
    assert.deepEqual(paidIn('paypal'), currencies);
    assert.deepEqual(paidIn('au_becs_debit'), [schemes.au_becs.currency]);
  });
});
