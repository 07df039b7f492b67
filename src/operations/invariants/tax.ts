import type { Invariant, Offender } from './invariant.ts';

/** A part of promise 3: of what a payer pays, how much is tax. */
export const taxInvariants: Invariant[] = [
  {
    name: 'the tax of a payment intent is that of the part of its total that includes it, rounded half up',
    promise: 3,
    remedy: 'Find out which version has written ID, and tell its biller the difference for its tax return.',
    offenders: (db) => db<Offender[]>`
      select id, format('tax %s of %s, taxed %s of %s', tax_amount, total_amount, taxable, amount) as detail
      from (
        select id, tax_amount, amount, total_amount, (tax_basis ->> 'taxable')::bigint as taxable,
          total_amount::numeric * (tax_basis ->> 'taxable')::bigint * (tax_basis ->> 'basisPoints')::bigint as dividend,
          amount::numeric * (10000 + (tax_basis ->> 'basisPoints')::bigint) as divisor
        from payment_intents where tax_basis is not null
      ) i
      where taxable not between 1 and amount or tax_amount <> div(2 * dividend + divisor, 2 * divisor) limit 100`,
  },
  {
    name: 'the refunds of a payment intent give back at most its tax, and all of it if they give back its total',
    promise: 3,
    remedy: 'Find out which version has written the refunds of ID, and tell its biller the difference.',
    offenders: (db) => db<Offender[]>`
      select i.id, format('its tax is %s, its refunds give %s back', i.tax_amount, sum(r.tax_amount)) as detail
      from payment_intents i join refunds r on r.payment_intent_id = i.id
      where (i.tax_basis is not null or r.tax_amount > 0) and not exists (
        select from events e
        where e.subject_id = i.id and e.event_type = 'payment_intent.returned' and e.created_at > r.created_at
      )
      group by i.id
      having coalesce(sum(r.tax_amount) filter (where r.status <> 'failed'), 0) > i.tax_amount
        or (
          bool_and(r.status = 'succeeded') and sum(r.amount) = i.total_amount and sum(r.tax_amount) <> i.tax_amount
        )
      limit 100`,
  },
];
