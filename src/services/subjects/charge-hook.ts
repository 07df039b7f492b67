import { selectPaymentMethod } from '../../db/payment-methods.ts';
import { lockPlan, updatePlan } from '../../db/payment-plans.ts';
import { tenantOf } from '../../db/tenant.ts';
import { earliestInstant } from '../../domain/calendar.ts';
import { challengeEnd } from '../../domain/challenges.ts';
import { hasEnded } from '../../domain/plan-state.ts';
import { fitsCurrency } from '../../domain/schemes/schemes.ts';
import { pipelined } from '../../platform/postgres/transaction.ts';
import { stopAcceptedDebits } from '../debits/debit-reports.ts';
import { InvalidState, ValidationFailed } from '../errors.ts';
import type { ApplyTo } from '../links/changes.ts';
import { linkHookWith } from '../links/link-hook.ts';
import type { AssertPays } from '../links/submission.ts';
import type { StopDebits } from '../mandates/mandate-ends.ts';
import type { ChargeHook, ChargeRecorder } from '../payments/charge.ts';
import { planHook } from '../plans/plan-dunning.ts';
import { applyMethodToPlan, assertPaysPlan } from '../plans/plan-transitions.ts';
import { applyMethodToSubscription, assertPaysSubscription } from '../subscriptions/method-for-subscription.ts';
import { subscriptionHook } from '../subscriptions/subscription-hook.ts';
import { defaultChanged } from './default-method.ts';

/**
 * Applies a completed link to what it names. The method becomes the instrument of the plan. If a payment of the plan
 * has failed or come back, it is tried again at once, and a plan that this has suspended is resumed. A subscription is
 * started or resumed likewise. What has ended meanwhile stays as it is.
 */
const applyTo: ApplyTo = async (tx, { at, now, paymentPlanId, subscriptionId, unpaid, paymentMethodId }) => {
  if (subscriptionId !== null) {
    return applyMethodToSubscription(tx, { subscriptionId, paymentMethodId, unpaid, at, now });
  }
  if (paymentPlanId === null) return;
  const plan = await lockPlan(tx, paymentPlanId);
  if (plan === null || hasEnded(plan.state)) return;
  const tenant = tenantOf(plan);
  const method = await selectPaymentMethod(tx, tenant, paymentMethodId);
  if (method === null || !fitsCurrency(method, plan.currency)) return;
  await updatePlan(tx, plan.id, { payment_instrument_id: paymentMethodId, updated_at: at });
  await applyMethodToPlan(tx, { ...plan, payment_instrument_id: paymentMethodId }, { at, now });
};

/** Judges what a completed link would let a method pay: see `AssertPays`. */
const assertPays: AssertPays = async (tx, { paymentPlanId, subscriptionId, paymentMethodId, unpaid, at }) => {
  try {
    if (subscriptionId !== null) await assertPaysSubscription(tx, { subscriptionId, paymentMethodId, unpaid, at });
    if (paymentPlanId !== null) await assertPaysPlan(tx, paymentPlanId, paymentMethodId, at);
  } catch (error) {
    if (!(error instanceof InvalidState) || error.code !== 'mandate_limit_exceeded') throw error;
    throw ValidationFailed.of('/method', error.code, 'This account allows less for one debit. Use another way to pay.');
  }
};

const linkHook = linkHookWith(applyTo);

/** What links do to plans and subscriptions. */
export const linkedSubjects = { applyTo, assertPays, defaultChanged };

/**
 * Records charges on what they are for: a plan, a subscription, or a checkout session and its link. What it locks, it
 * locks by statements that it sends at once: the caller's next one locks the payment.
 */
export const chargeHook: ChargeHook = async (tx, charge) => {
  const subjectHook = charge.paymentPlanId === null ? subscriptionHook : planHook;
  const [ofSubject, ofSession] = await pipelined(tx, [subjectHook(tx, charge), linkHook(tx, charge)]);
  return ofSubject === null || ofSession === null ? (ofSubject ?? ofSession) : both(ofSubject, ofSession);
};

/** A payment of a plan or a subscription that a payer can pay in a checkout session is recorded on both. */
function both(ofSubject: ChargeRecorder, ofSession: ChargeRecorder): ChargeRecorder {
  const ends = [ofSubject.challengeEndsAt ?? null, ofSession.challengeEndsAt ?? null];
  return {
    assertOpens: ofSubject.assertOpens,
    async opened(at) {
      await ofSession.opened(at);
      await ofSubject.opened(at);
    },
    async completed(outcome) {
      // A failure may end the subject, and with it the session that is open again.
      await ofSession.completed(outcome);
      return ofSubject.completed(outcome);
    },
    returned: (came) => ofSubject.returned(came),
    challengeEndsAt: earliestInstant(ends),
    challengeEnd(attempt, at) {
      const given = [ofSubject, ofSession].map((recorder) => recorder.challengeEnd?.(attempt, at) ?? null);
      return earliestInstant(given) ?? challengeEnd(at);
    },
  };
}

/** Stops debits that the bank does not have, those of plans included. */
export const stopDebits: StopDebits = (tx, of, code, record) => stopAcceptedDebits(tx, of, code, record, chargeHook);
