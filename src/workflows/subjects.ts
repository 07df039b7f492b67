import { collectWhenDue } from './collection.ts';

// The workflow of each kind of subject. All run the same loop; `messages/subject-kinds.ts` says how the kinds differ.

/**
 * A payment plan from its activation to its end. It collects each slot on its date and retries failed payments, in real
 * time or on its customer's test clock. While the plan is suspended, the workflow waits.
 */
export function paymentPlan(planId: string, atOnce = false): Promise<void> {
  return collectWhenDue('paymentPlan', planId, { atOnce });
}

/**
 * A subscription from its start to its end. It begins each period on its date and has it charged, retries failed
 * payments, and ends trials, pauses and the subscription, in real time or on its customer's test clock.
 */
export function subscription(subscriptionId: string, atOnce = false): Promise<void> {
  return collectWhenDue('subscription', subscriptionId, { atOnce });
}

/** A payment with a scheduled date. The workflow makes it on that date, unless a confirm or a cancel comes first. */
export function scheduledPayment(intentId: string, atOnce = false): Promise<void> {
  return collectWhenDue('scheduledPayment', intentId, { atOnce });
}

/**
 * The debit of a single payment, from its acceptance until nothing more is expected from the bank: the hand-over at the
 * cut-off, the result, and what comes back. Plans drive their debits themselves.
 */
export function bankDebit(attemptId: string, atOnce = false): Promise<void> {
  return collectWhenDue('bankDebit', attemptId, { atOnce });
}

/** A payment link with an expiry, until it has ended. */
export function paymentLink(linkId: string, atOnce = false): Promise<void> {
  return collectWhenDue('paymentLink', linkId, { atOnce });
}

/** A checkout session, until it is completed or has expired. */
export function checkoutSession(sessionId: string, atOnce = false): Promise<void> {
  return collectWhenDue('checkoutSession', sessionId, { atOnce });
}
