// What a PaymentIntent says about the money.
import type Stripe from 'stripe';
import { type Code, codeOf } from './decline-codes.ts';

/**
 * What is known of a payment.
 * - `challenge`: the payer has to approve it, at `url`. Null: the payer cannot come back to us from there.
 * - `under_way`: Stripe has not decided yet, or the bank of a debit has not.
 * - `returned`: a debit that was collected, and that the payer has back. `at`: when, if Stripe tells.
 */
export type Judgement =
  | { kind: 'succeeded'; charge: Stripe.Charge | null }
  | { kind: 'failed'; code: Code; processorCode: string | null }
  | { kind: 'under_way'; charge: Stripe.Charge | null }
  | { kind: 'returned'; code: Code; processorCode: string | null; at: Date | null }
  | { kind: 'challenge'; url: string | null }
  | { kind: 'not_charged' | 'canceled' };

/** With its latest charge: `expand: ['latest_charge']`. */
export const withCharge = { expand: ['latest_charge'] };

/**
 * Judges by the latest charge, and only then by the status: an intent whose charge has failed goes back to
 * `requires_payment_method`, as if it had never been charged (docs.stripe.com/payments/paymentintents/lifecycle).
 */
export function judge(intent: Stripe.PaymentIntent): Judgement {
  const { object, status, latest_charge: charge, last_payment_error: error, next_action: next } = intent;
  if (object !== 'payment_intent') throw new TypeError('the answer of Stripe is not a payment intent');
  if (typeof charge === 'string') throw new TypeError('the latest charge is not expanded');
  if (charge?.status === 'succeeded' || status === 'succeeded') return { kind: 'succeeded', charge };
  if (charge?.status === 'pending' || status === 'processing') return { kind: 'under_way', charge };
  if (status === 'requires_action') return { kind: 'challenge', url: next?.redirect_to_url?.url ?? null };
  if (charge?.status === 'failed') {
    const decline = { decline_code: error?.decline_code ?? charge.outcome?.reason, code: charge.failure_code };
    return declined(decline);
  }
  if (error != null) return declined(error);
  return { kind: status === 'canceled' ? 'canceled' : 'not_charged' };
}

function declined(decline: { decline_code?: string | null; code?: string | null }): Judgement {
  return { kind: 'failed', code: codeOf(decline), processorCode: decline.decline_code ?? decline.code ?? null };
}

/**
 * Makes a decline final. A declined intent could be confirmed again, by a program or by a person in Stripe's dashboard:
 * it is canceled before anybody is told. A payment that waits for a payer who cannot come back to us has failed; it is
 * canceled too. One whose payer can is left alone.
 * @returns the judgement of what is at Stripe afterwards: somebody may have been quicker.
 */
export async function settle(stripe: Stripe, intent: Stripe.PaymentIntent): Promise<Judgement> {
  const judged = judge(intent);
  const isOpen = intent.status !== 'canceled' && (judged.kind === 'failed' || isLost(judged));
  if (!isOpen) return judged;
  const after = judge(await cancelIntent(stripe, intent.id));
  if (after.kind === 'canceled' && judged.kind === 'failed') return judged;
  if (after.kind === 'canceled') {
    return { kind: 'failed', code: 'authentication_required', processorCode: 'authentication_required' };
  }
  return after;
}

function isLost(judged: Judgement): boolean {
  return judged.kind === 'challenge' && judged.url === null;
}

/**
 * Cancels an intent, if it can be. Returns what it is afterwards. Without a key: under one, Stripe would repeat a
 * refusal after its reason is gone.
 */
export async function cancelIntent(stripe: Stripe, id: string): Promise<Stripe.PaymentIntent> {
  await stripe.paymentIntents.cancel(id).catch(unlessInvalid);
  return stripe.paymentIntents.retrieve(id, withCharge);
}

/** An intent that was paid or canceled before is refused with 400: what it is, its next reading tells. */
function unlessInvalid(error: unknown): void {
  const status = (error as { statusCode?: number }).statusCode;
  if (status !== 400) throw error;
}
