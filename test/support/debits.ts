import type { PaymentIntent, PaymentIntentCreate, PlanPayment } from '@payments-service/client';
import type { PlanTerms } from '../../lab/payer.ts';
import { useDebtor } from './debtor.ts';
import type { Stage } from './stage.ts';

/** Monday, 1 March 2027, 11:00 in Sydney: a business day, before the cut-off. */
export const monday = '2027-03-01T00:00:00.000Z';

/** A payer on a test clock, with a bank account under an active mandate. */
export interface Debtor {
  clock: string;
  customer: string;
  account: string;
  mandate: string;
}

/** What tests of bank debits do, beside what those of mandates do. Without `collectAll`, workflows run. */
export function useDebits(stage: Pick<Stage, 'request' | 'merchant'> & Partial<Pick<Stage, 'collectAll'>>) {
  const debtor = useDebtor(stage);
  const here = {
    ...debtor,
    /** A new payer on a new clock at this time. */
    async payer(frozenTime = monday): Promise<Debtor> {
      const { clock, payer } = await stage.merchant.customerOnClock(frozenTime);
      const account = await debtor.account(payer.id);
      const { id: mandate } = await debtor.active({ payment_method_id: account });
      return { clock: clock.id, customer: payer.id, account, mandate };
    },
    /** A confirmed payment of a payer: its debit is accepted. `outcomes` are words of `_sandbox_bank_outcome`. */
    async debit(
      { customer, account }: Pick<Debtor, 'customer' | 'account'>,
      outcomes?: string,
      terms: Partial<PaymentIntentCreate> = {},
    ): Promise<PaymentIntent> {
      const metadata = wordsOf(outcomes);
      const { id } = await stage.merchant.intent({ customer_id: customer, metadata, ...terms });
      return stage.merchant.client.paymentIntents.confirm(id, { payment_method: account });
    },
    /** An active weekly plan of a payer, from 1 March 2027 on unless its terms say otherwise. */
    async plan({ customer }: Pick<Debtor, 'customer'>, outcomes?: string, terms: Partial<PlanTerms> = {}) {
      const metadata = wordsOf(outcomes);
      const plan = await stage.merchant.activePlan({
        customer_id: customer,
        start_date: '2027-03-01',
        metadata,
        ...terms,
      });
      // The first payment is made at once: by the plan's workflow, if there is one.
      await stage.collectAll?.(plan.id, plan.updated_at);
      return stage.merchant.getPlan(plan.id);
    },
    /**
     * What happened on a clock, oldest first, such as `2027-03-02T22:00 payment_intent.succeeded`; not about mandates.
     */
    async story(clock: string): Promise<string[]> {
      const events = await stage.merchant.events({ test_clock: clock });
      return events
        .filter(({ event_type: type }) => /^payment_/.test(type))
        .map(({ created_at: at, event_type: type }) => `${at.slice(0, 16)} ${type}`);
    },
    /** The status of each slot, oldest first, with the outcomes of its attempts, such as `0 paid failed,succeeded`. */
    async slots(planId: string): Promise<string[]> {
      return (await stage.merchant.payments(planId)).map(slotLine);
    },
  };
  return here;
}

function wordsOf(outcomes: string | undefined): Record<string, string> {
  return outcomes === undefined ? {} : { _sandbox_bank_outcome: outcomes };
}

function slotLine({ slot, status, attempts }: PlanPayment): string {
  return [slot, status, attempts.map(({ outcome }) => outcome).join(',')].join(' ').trim();
}
