import { selectPeriodFunds } from '../../db/period-funds.ts';
import { type SubscriptionChangeRow, updateSubscriptionChange } from '../../db/subscription-changes.ts';
import { changeFailed, changePaid, changeReturned } from '../../domain/subscriptions/changes.ts';
import type { Tx } from '../../platform/postgres/connection.ts';
import { InvalidState } from '../errors.ts';
import type { ChargeRecorder } from '../payments/charge.ts';
import { withAllCreditCovered } from './covered-credit.ts';
import { type LockedSubscription, landed, store } from './locked-subscription.ts';

/**
 * Records the charge of a change on the change and its subscription, which the caller has locked. The change is made
 * once it is paid. It is never retried: a payer who still wants it asks for it again.
 */
export function changeRecorder(tx: Tx, locked: LockedSubscription, open: SubscriptionChangeRow): ChargeRecorder {
  return {
    async opened() {
      const { row } = locked;
      throw new InvalidState(`Subscription ${row.id} no longer waits for this payment. Change it again instead.`);
    },
    async completed({ outcome, at }) {
      if (open.status !== 'processing' || outcome.kind === 'requires_action') return null;
      if (outcome.kind === 'failed') {
        await updateSubscriptionChange(tx, open, 'failed');
        const reason = { last_error_code: outcome.code, last_error_message: outcome.message };
        const error = { ...reason, ...landed(locked, open.amount_cents) };
        await store(tx, locked, changeFailed(), at, null, error);
        return null;
      }
      const funds = await selectPeriodFunds(tx, locked.row.id, open.period);
      const { change, isMade } = changePaid(locked.subscription, open, funds);
      await updateSubscriptionChange(tx, open, isMade ? 'made' : 'credited');
      const noError = isMade ? { last_error_code: null, last_error_message: null } : {};
      const more = { ...noError, ...landed(locked, open.amount_cents) };
      await store(tx, locked, change, at, null, more);
      return null;
    },
    async returned({ at }) {
      if (open.status !== 'made' && open.status !== 'credited') return null;
      const covered = await withAllCreditCovered(tx, locked, at);
      await store(tx, covered, changeReturned(covered.subscription, open), at);
      return null;
    },
  };
}
