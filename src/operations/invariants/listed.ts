import type { Db } from '../../platform/postgres/connection.ts';
import type { Invariant, Offender } from './invariant.ts';

const askProcessor =
  'Ask the processor about it (the reference is named). Then restore the rows that were changed from a back-up, or record ' +
  'what happened with its biller. Until then, charge ID no more.';

/**
 * CTE `listed`: since when the list is complete here, and up to when. The last page of the list takes at most ten
 * seconds.
 */
const listed = (db: Db) => db`
  with listed as (
    select listed_since as since, compared_at - interval '12 seconds' as until from live_charging
  )`;

/** Condition: the reservation `r` is the last one of its attempt, which counts. */
const counts = (db: Db) => db`
  not exists (select from payment_reservations l where l.attempt_id = r.attempt_id and l.number > r.number)`;

/** A part of promise 1: what the rows say of live charges and refunds is what the live processor's list says. */
export const listedInvariants: Invariant[] = [
  {
    // A debit that the bank has taken may still be refused. `taken_at` is from the processor's own list.
    name: 'an attempt that the live processor has charged has not failed',
    promise: 1,
    remedy: `The live processor’s list has this charge of ID as taken. ${askProcessor}`,
    offenders: (db) => db<Offender[]>`
      select a.payment_intent_id as id, format('attempt %s is %s here; the processor has charged it (%s, seen at %s)',
        a.number, a.outcome, r.reference, r.taken_at) as detail
      from payment_reservations r join payment_attempts a on a.id = r.attempt_id
      where r.taken_at is not null and a.outcome = 'failed'
        and not exists (select 1 from bank_debits d where d.attempt_id = a.id) limit 100`,
  },
  {
    // What an operator has settled has no reservation that counts.
    name: 'an attempt that has succeeded in live mode is in the list of the live processor',
    promise: 1,
    remedy: `The live processor’s list does not have this charge of ID: it may never have been paid. ${askProcessor}`,
    offenders: (db) => db<Offender[]>`
      ${listed(db)}
      select a.payment_intent_id as id, format('attempt %s is %s here; the processor has not charged it (%s)',
        a.number, a.outcome, r.reference) as detail
      from listed
      join payment_reservations r on r.livemode and r.taken_at is null and r.reference is not null
        and r.reserved_at > listed.since and r.reserved_at < listed.until
      join payment_attempts a on a.id = r.attempt_id
      where a.outcome in ('succeeded', 'returned') and a.settled_at < listed.until and ${counts(db)}
        and not exists (select from unknown_movements u where u.kind = 'charge' and u.reference = r.reference)
      limit 100`,
  },
  {
    name: 'a live charge that has succeeded is of the amount that the list of the live processor has',
    promise: 1,
    remedy: `The live processor’s list has another amount for this charge of ID. ${askProcessor}`,
    offenders: (db) => db<Offender[]>`
      select i.id, format('attempt %s is of %s here; the processor has charged %s (%s)',
        a.number, i.total_amount, r.taken_amount, r.reference) as detail
      from payment_reservations r
      join payment_attempts a on a.id = r.attempt_id
      join payment_intents i on i.id = a.payment_intent_id
      where r.taken_amount is not null and a.outcome in ('succeeded', 'returned') and a.number = i.attempt_count
        and r.taken_amount <> i.total_amount
      limit 100`,
  },
  {
    name: 'a live refund is in the list of the live processor exactly when it has succeeded',
    promise: 1,
    remedy: 'Ask the processor about the refund ID. Then restore its row from a back-up, or record it with its biller.',
    offenders: (db) => db<Offender[]>`
      ${listed(db)}
      select f.id, format('it is %s here; the processor has %s it (refund of %s, %s %s)', f.status,
        case when f.listed_at is null then 'not made' else 'made' end, f.payment_intent_id, f.amount, f.currency) as detail
      from refunds f left join listed on true
      where f.livemode and (
        f.status = 'failed' and f.listed_at is not null
        or f.status = 'succeeded' and f.listed_at is null
          and f.opened_at > listed.since and f.updated_at < listed.until
      )
      limit 100`,
  },
];
