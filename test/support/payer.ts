import { beforeEach } from 'mocha';
import type { PaymentPlanCreate } from '../../src/resources/payment-plan-input.ts';
import { type Merchant, paymentLines } from './merchant.ts';
import { type StageOptions, useStage } from './stage.ts';

/** The instant at which the clock of `usePayer` is frozen: a Sunday. */
export const frozen = '2027-01-10T00:00:00.000Z';

/**
 * A stage with, for each test, a clock frozen at `frozen`, a payer on it and the payer's card, which is never declined.
 */
export function usePayer(options: StageOptions = {}) {
  const stage = useStage(options);
  const here = {
    stage,
    clock: '',
    customer: '',
    card: '',
    /** A pending plan of the payer: weekly, 1000 cents, from the clock's day on, until further notice. */
    plan: (terms: Partial<PaymentPlanCreate> = {}) =>
      stage.merchant.plan({ customer_id: here.customer, start_date: '2027-01-10', ...terms }),
    /** The same, activated at the clock's time; what is due at once is collected. */
    async active(terms: Partial<PaymentPlanCreate> = {}): Promise<string> {
      const { id } = await here.plan(terms);
      await here.move(id, 'activate');
      return id;
    },
    /** A transition, and what the plan's workflow then does at once. */
    async move(id: string, transition: Parameters<Merchant['move']>[1]) {
      const plan = await stage.merchant.move(id, transition);
      const { frozen_time } = await stage.merchant.getClock(here.clock);
      await stage.collectAll(id, frozen_time);
      return plan;
    },
    advance: (target: string) => stage.advance(here.clock, target),
    /** Each slot with its status and the instants of its attempts. */
    paymentLines: async (id: string) => paymentLines(await stage.merchant.payments(id)),
  };

  beforeEach('make a payer on a clock', async () => {
    here.clock = (await stage.merchant.clock(frozen)).id;
    here.customer = (await stage.merchant.customer({ test_clock: here.clock })).id;
    here.card = await stage.merchant.card(here.customer);
  });
  return here;
}
