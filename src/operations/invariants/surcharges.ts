import { surchargeRules } from '../../domain/surcharges/rules.ts';
import type { Db } from '../../platform/postgres/connection.ts';
import { jsonb } from '../../platform/postgres/types.ts';
import type { Invariant, Offender } from './invariant.ts';

const refundIt = 'Refund the surcharge of ID to its payer, and find out which version has charged it.';

/**
 * CTEs: the table of rules, the payments that were charged with a surcharge, and one row for each network of theirs
 * with the rules about it. The country, the method and the costs are those of the charge, because the biller may have
 * changed its own since; the date is that of the attempt.
 */
function judged(db: Db) {
  return db`
    with rules as (
      select * from jsonb_to_recordset(${jsonb(db, surchargeRules)}::jsonb) as r(country text, type text, network text,
        funding text, "from" date, until date, verdict text, "needsStatedCost" boolean)
    ), charged as (
      select i.id, i.amount, i.surcharge_amount, i.surcharge_asked, i.livemode, i.surcharge_basis as basis, a.opened_at,
        (a.at at time zone b.time_zone)::date as date, b.country, b.country_since
      from payment_intents i
      join billers b on b.id = i.biller_id
      join payment_attempts a on a.payment_intent_id = i.id and a.number = i.attempt_count
      where i.surcharge_amount > 0 and i.status in ('processing', 'requires_action', 'succeeded', 'returned')
    ), ways as (
      select c.*, n.network, (c.basis -> 'costs' ->> coalesce(n.network, c.basis ->> 'type'))::integer as cost
      from charged c left join lateral jsonb_array_elements_text(c.basis -> 'networks') n(network) on true
      where c.basis is not null
    ), judged as (
      select w.id, w.network, w.date, w.basis, w.amount, w.surcharge_amount, w.cost, count(r.verdict) as known,
        count(*) filter (where r.verdict = 'forbidden' or r."needsStatedCost" and w.cost is null) as forbidding,
        count(*) filter (where r.verdict = 'at_most_cost') as capping
      from ways w left join rules r on r.country = w.basis ->> 'country'
        and (r.type is null or r.type = w.basis ->> 'type') and (r.network is null or r.network = w.network)
        and (r.funding is null or coalesce(w.basis ->> 'funding', r.funding) = r.funding)
        and (r."from" is null or r."from" <= w.date) and (r.until is null or w.date < r.until)
      group by w.id, w.network, w.date, w.basis, w.amount, w.surcharge_amount, w.cost
    )`;
}

/** A part of promise 3: of what a payer pays on top of the amount. */
export const surchargeInvariants: Invariant[] = [
  {
    name: 'no charge has a surcharge that the rules of its date forbid',
    promise: 3,
    remedy: refundIt,
    offenders: (db) => db<Offender[]>`
      ${judged(db)}
      select id, format('surcharge %s on %s by %s', surcharge_amount, date, basis) as detail
      from judged where known = 0 or forbidding > 0 limit 100`,
  },
  {
    name: 'a surcharge that is capped is at most the cost that its biller had stated',
    promise: 3,
    remedy: refundIt,
    offenders: (db) => db<Offender[]>`
      ${judged(db)}
      select id, format('surcharge %s on %s at %s basis points', surcharge_amount, amount, cost) as detail
      from judged where capping > 0 and surcharge_amount > floor(amount * cost / 10000.0) limit 100`,
  },
  {
    name: 'every charge with a surcharge was decided by the rules, if its biller had a country or it is live',
    promise: 3,
    remedy: refundIt,
    // A request may be decided for five seconds by the country that the biller had before.
    offenders: (db) => db<Offender[]>`
      ${judged(db)}
      select id, format('surcharge %s, opened %s', surcharge_amount, opened_at) as detail
      from charged
      where basis is null
        and (livemode or (country is not null and opened_at > country_since + interval '1 minute')) limit 100`,
  },
];
