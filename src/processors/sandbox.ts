import type { ChargeOutcome } from '../domain/charge-outcome.ts';
import type { CustomerInstant } from '../domain/instants.ts';
import { sandboxChargeOutcome, sandboxRefundOutcome } from '../domain/sandbox-outcomes.ts';
import { type DebitCourse, sandboxDebitCourse } from '../domain/schemes/sandbox-debits.ts';
import type { ChargeRequest, Inquiry, PaymentProcessor } from './processor.ts';

/**
 * The sandbox's processor. It stores nothing. Its outcome depends on the request and the instant alone, so the same key
 * always gets the same outcome. It does not know whether it was ever asked to charge: `inquire` returns the state of a
 * payment that was charged.
 */
export const sandboxProcessor: PaymentProcessor = {
  prepare: null,
  async charge(request) {
    const course = courseOf(request);
    if (course === null) return cardOutcome(request);
    return course.kind === 'refused' ? course.failure : { kind: 'submitted', expectedAt: course.resultAt };
  },
  async inquire(request, _reference, at) {
    const course = courseOf(request);
    return course === null ? { ...cardOutcome(request), nextAt: null } : stateAt(course, at);
  },
  async cancel() {},
  async refund({ metadata, amount }) {
    return sandboxRefundOutcome({ metadataOutcome: metadata._sandbox_refund_outcome, amount });
  },
  inquireRefund: (request) => sandboxProcessor.refund(request),
  movements: null,
  notices: null,
};

/** The outcome of a payment without a mandate, which is known at once. */
function cardOutcome({ metadata, attempt, fixtureToken, amount }: ChargeRequest): ChargeOutcome {
  return sandboxChargeOutcome({ metadataOutcome: metadata._sandbox_outcome, attempt, fixtureToken, amount });
}

function courseOf({ debit, attempt, amount, metadata }: ChargeRequest): DebitCourse | null {
  if (debit === null) return null;
  const { scheme, chargeDate } = debit;
  const { _sandbox_bank_outcome: bankOutcomes, _sandbox_outcome: outcomes } = metadata;
  return sandboxDebitCourse({ scheme, chargeDate, attempt, amount, bankOutcomes, outcomes });
}

function stateAt(course: DebitCourse, at: CustomerInstant): Inquiry {
  if (course.kind === 'refused') return { ...course.failure, nextAt: null };
  const { resultAt, dishonour, returned } = course;
  if (at < resultAt) return { kind: 'submitted', expectedAt: resultAt, nextAt: resultAt };
  if (dishonour !== null) return { ...dishonour, nextAt: null };
  if (returned === null || at < returned.at) return { kind: 'succeeded', nextAt: returned?.at ?? null };
  return { kind: 'returned', ...returned, nextAt: null };
}
