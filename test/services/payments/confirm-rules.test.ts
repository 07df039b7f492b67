import assert from 'node:assert/strict';
import type { PaymentIntentStatus } from '../../../src/db/payment-intents.ts';
import { newId } from '../../../src/domain/ids.ts';
import { customerInstant } from '../../../src/domain/instants.ts';
import { realNow } from '../../../src/platform/real-time.ts';
import type { Processors } from '../../../src/processors/processor.ts';
import { sandboxProcessor } from '../../../src/processors/sandbox.ts';
import { ServiceError } from '../../../src/services/errors.ts';
import {
  type Confirmation,
  type ConfirmedRows,
  confirmRefusal,
  decideConfirm,
  OtherTotal,
} from '../../../src/services/payments/confirm-rules.ts';
import { newIntent } from '../../../src/services/payments/payment-intents.ts';
import { refusalError } from '../../../src/services/payments/rail.ts';
import type { RequestContext } from '../../../src/services/request-context.ts';

const id = 'pi_1';
const card = { type: 'card' as const, instrument_data: {} };
const here = { deleted_at: null };
const deleted = { deleted_at: customerInstant('2027-01-01T00:00:00Z') };

describe('the rules of a confirm', () => {
  const statuses: [status: PaymentIntentStatus, isAllowed: boolean][] = [
    ['requires_payment_method', true],
    ['failed', true],
    ['processing', false],
    ['requires_action', false],
    ['succeeded', false],
    ['returned', false],
    ['canceled', false],
  ];
  for (const [status, isAllowed] of statuses) {
    it(`${isAllowed ? 'allow' : 'refuse'} a payment that is ${status}, with a customer or without one`, () => {
      for (const payer of [here, null]) {
        const refusal = confirmRefusal({ id, status }, payer);
        assert.equal(refusal === null, isAllowed);
        if (refusal)
          assert.match(refusal.message, new RegExp(`^Payment intent pi_1 is ${status}; it can be confirmed`));
      }
    });
  }

  it('name the payment method and the code of what its mandate does not allow', () => {
    for (const code of ['mandate_unavailable', 'mandate_limit_exceeded'] as const) {
      const refusal = refusalError(code, 'pm_1', 'payment_method');
      assert.deepEqual([refusal.code, refusal.status], [code, 422]);
      assert.match(refusal.message, /^The mandate of payment method pm_1 .*nothing was charged(?: or changed)?\.$/);
    }
  });

  it('refuse a payment whose customer was deleted, whatever its status', () => {
    for (const [status] of statuses) {
      assert.match(confirmRefusal({ id, status }, deleted)?.message ?? '', /customer of this payment has been deleted/);
    }
  });

  it('name the first that is broken: customer, deletion, status, failures, method, URL, processor, total', () => {
    const biller = newId('biller');
    const context: RequestContext = {
      ...{ billerId: biller, livemode: true, requestId: 'req_1', keyId: 'key_1', keyKind: 'publishable' },
      ...{
        connection: null,
        now: realNow(),
        timeZone: 'UTC',
        fees: { standard: { basisPoints: 0, fixed: 0 }, byMethod: {} },
      },
      ...{ country: null, costs: {}, tax: null, statementDescriptor: null },
    };
    const at = customerInstant('2027-01-01T00:00:00Z');
    const made = newIntent(context, { amount: 1000, currency: 'AUD' }, { at, payer: null, method: null });
    const method = {
      ...{ id: newId('payment_method'), customer_id: null, brand: 'visa', instrument: card },
      ...{ detached_at: at, bound_payment_intent_id: null, used_by_biller: false },
    };
    const input: Confirmation = { customer_id: 'cus_1', return_url: 'ftp://example.com', shownTotal: 1 };
    const rows: ConfirmedRows<typeof method> = {
      intent: { ...made, status: 'processing', payer_failures: 10 },
      ...{ payer: deleted, named: null, method: null, at },
    };
    const processors: Processors = { sandbox: sandboxProcessor, live: null };
    const told = () => {
      try {
        return decideConfirm(context, processors, input, rows).decided.total_amount;
      } catch (error) {
        if (error instanceof OtherTotal) return 'other total';
        assert.ok(error instanceof ServiceError);
        return error.fieldErrors[0]?.path ?? (error.code === 'invalid_state' ? error.message : error.code);
      }
    };
    const steps: [mend: () => unknown, next: string | RegExp | number][] = [
      [() => {}, '/customer_id'],
      [() => delete input.customer_id, /customer of this payment has been deleted/],
      [() => Object.assign(rows, { payer: here }), /is processing/],
      [() => Object.assign(rows.intent, { status: 'failed' }), 'too_many_attempts'],
      [() => Object.assign(rows.intent, { payer_failures: 9 }), '/payment_method'],
      [() => Object.assign(input, { payment_method: method.id }), 'payment_method_not_allowed'],
      [() => Object.assign(rows, { method }), '/payment_method'],
      [() => Object.assign(method, { detached_at: null }), '/return_url'],
      [() => delete input.return_url, 'processor_not_configured'],
      [() => Object.assign(processors, { live: sandboxProcessor }), 'other total'],
      [() => Object.assign(input, { shownTotal: 1000 }), 1000],
    ];
    for (const [mend, next] of steps) {
      mend();
      if (next instanceof RegExp) assert.match(String(told()), next);
      else assert.equal(told(), next);
    }
  });
});
