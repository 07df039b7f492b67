import type { Fragment } from 'postgres';
import { editedPlans, type PaymentPlanRow } from '../../db/payment-plans.ts';
import type { Db } from '../../platform/postgres/connection.ts';
import { wrongTerms } from '../../services/plans/plan-consistency.ts';
import { type Invariant, type Offender, recalculate, restore } from './invariant.ts';

/** Promise 3: the collected amount is the sum of what succeeded, and never exceeds the total. */
export const moneyInvariants: Invariant[] = [
  {
    name: 'a plan that can collect has the amounts and the state that the service has given it',
    promise: 3,
    remedy: recalculate,
    offenders: findEditedPlans,
  },
  {
    name: 'a payment intent has the amount that it was made with',
    promise: 3,
    remedy:
      'Nothing is charged for ID meanwhile. Find out who changed it. Then: update payment_intents set amount = agreed_amount ' +
      "where id = 'ID'.",
    atOnce: editedIntents,
    offenders: (db) => db<Offender[]>`${editedIntents(db)} limit 100`,
  },
  {
    name: 'a plan has collected the sum of its payment intents that succeeded',
    promise: 3,
    remedy: recalculate,
    offenders: (db) => db<Offender[]>`
      select p.id, format('says %s, its intents %s', p.collected_amount_cents, coalesce(sum(i.amount), 0)) as detail
      from payment_plans p left join payment_intents i on i.payment_plan_id = p.id and i.status = 'succeeded'
      group by p.id having p.collected_amount_cents <> coalesce(sum(i.amount), 0) limit 100`,
  },
  {
    name: 'what a plan has collected and can still collect for slots that have come is at most its total',
    promise: 3,
    remedy: 'Ask its biller to raise the total or to close the plan, and to refund what is more than the total.',
    offenders: (db) => db<Offender[]>`
      select p.id, format('total %s, slots %s', p.total_amount_cents, sum(s.amount)) as detail
      from payment_plans p join payment_plan_slots s on s.payment_plan_id = p.id
      where p.total_amount_cents is not null and s.status <> 'given_up'
      group by p.id having sum(s.amount) > p.total_amount_cents limit 100`,
  },
  {
    name: 'a plan whose total is collected has ended',
    promise: 3,
    remedy: 'Ask its biller to close the plan: POST /payment_plans/ID/close.',
    offenders: (db) => db<Offender[]>`
      select id, format('%s with all of %s collected', state, total_amount_cents) as detail
      from payment_plans
      where collected_amount_cents >= total_amount_cents and state not in ('closed', 'deactivated') limit 100`,
  },
  {
    name: 'an amount is charged with its surcharge and no more',
    promise: 3,
    remedy: restore,
    offenders: (db) => db<Offender[]>`
      select id, format('amount %s, surcharge %s, total %s', amount, surcharge_amount, total_amount) as detail
      from payment_intents
      where total_amount <> amount + surcharge_amount
        or surcharge_applied <> (surcharge_amount > 0) or surcharge_amount > fee_amount
        or (surcharge_amount not in (0, fee_amount) and surcharge_reason is distinct from 'capped') limit 100`,
  },
  {
    name: 'a payment intent has refunded the sum of its refunds that succeeded, at most what was charged',
    promise: 3,
    remedy: 'Compare the refunds of ID with the processor’s account. Then restore the row that differs from a back-up.',
    offenders: (db) => db<Offender[]>`
      select i.id,
        format('says %s of %s, its refunds %s', i.total_refunded_amount, i.total_amount, coalesce(sum(r.amount), 0))
          as detail
      from payment_intents i left join refunds r on r.payment_intent_id = i.id and r.status = 'succeeded'
      group by i.id
      having i.total_refunded_amount <> coalesce(sum(r.amount), 0)
        or coalesce(sum(r.amount), 0) > i.total_returned_amount + i.refunded_before_dispute
          + case i.status when 'succeeded' then i.total_amount else 0 end
      limit 100`,
  },
];

/** The plans whose terms were written by something else than the service. */
async function findEditedPlans(db: Db): Promise<Offender[]> {
  const plans = await db<PaymentPlanRow[]>`select * from payment_plans where id in (${editedPlans(db)}) limit 100`;
  return plans.map((plan) => ({ id: plan.id, detail: wrongTerms(plan).join('; ') }));
}

/** It has an index, which is nearly always empty. */
function editedIntents(db: Db): Fragment {
  return db`
    select id, format('its amount is %s, it was made with %s', amount, agreed_amount) as detail
    from payment_intents where agreed_amount <> amount`;
}
