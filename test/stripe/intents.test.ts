import assert from 'node:assert/strict';
import type Stripe from 'stripe';
import { judge, settle } from '../../processors/stripe/intents.ts';

type Intent = Stripe.PaymentIntent;
const charged = (status: string, id = 'ch_1') => ({ id, status, failure_code: 'card_declined', outcome: null });
const intentOf = (status: string, members: object = {}) =>
  ({
    id: 'pi_1',
    object: 'payment_intent',
    status,
    latest_charge: null,
    last_payment_error: null,
    ...members,
  }) as Intent;

/** Stripe after somebody was quicker than our cancellation: what localstripe, which forbids it, cannot show. */
const stripeWith = (after: Intent) =>
  ({
    paymentIntents: {
      cancel: () => Promise.reject(Object.assign(new Error('unexpected state'), { statusCode: 400 })),
      retrieve: () => Promise.resolve(after),
    },
  }) as unknown as Stripe;

describe('what a payment intent says', () => {
  for (const [what, intent, kind] of [
    ['a charge that has succeeded', intentOf('succeeded', { latest_charge: charged('succeeded') }), 'succeeded'],
    ['a pending charge', intentOf('processing', { latest_charge: charged('pending') }), 'under_way'],
    [
      'a failed charge, although the intent may be confirmed again',
      intentOf('requires_payment_method', { latest_charge: charged('failed') }),
      'failed',
    ],
    ['a failed charge of a canceled intent', intentOf('canceled', { latest_charge: charged('failed') }), 'failed'],
    ['an error without a charge', intentOf('requires_payment_method', { last_payment_error: { code: 'x' } }), 'failed'],
    ['a wait for the payer', intentOf('requires_action'), 'challenge'],
    ['a cancellation', intentOf('canceled'), 'canceled'],
    ['nothing yet', intentOf('requires_confirmation'), 'not_charged'],
  ] as const) {
    it(`${what} is ${kind}`, () => assert.equal(judge(intent).kind, kind));
  }

  it('that was declined and then paid by somebody else is paid, by the charge that succeeded', async () => {
    const declined = intentOf('requires_payment_method', { latest_charge: charged('failed', 'ch_failed') });
    const paid = intentOf('succeeded', { latest_charge: charged('succeeded', 'ch_paid') });
    const state = await settle(stripeWith(paid), declined);
    assert.ok(state.kind === 'succeeded');
    assert.equal(state.charge?.id, 'ch_paid');
  });
});
