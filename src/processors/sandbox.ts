import { sandboxChargeOutcome, sandboxRefundOutcome } from '../domain/sandbox-outcomes.ts';
import type { PaymentProcessor } from './processor.ts';

/** The sandbox's processor. Its outcome depends on the request alone, so the same key always gets the same outcome. */
export const sandboxProcessor: PaymentProcessor = {
  async charge(request) {
    return sandboxChargeOutcome({
      metadataOutcome: request.metadata._sandbox_outcome,
      attempt: request.attempt,
      fixtureToken: request.fixtureToken,
      amount: request.amount,
    });
  },
  async refund({ metadata, amount }) {
    return sandboxRefundOutcome({ metadataOutcome: metadata._sandbox_refund_outcome, amount });
  },
};
