import type { Invariant, Offender } from './invariant.ts';

/**
 * The row of an Idempotency-Key makes a repeated request the same request. Without it the request is a new one, which
 * is charged again. The attempts keep the key, so a second payment under it is found. It is a hint: the biller may have
 * wanted both. The attempts of two days are read, by the index on their time. Keys are compared by their hashes first,
 * and only attempts whose hash is shared are read in full: 180,000 attempts take about a second.
 */
export const repeatedInvariants: Invariant[] = [
  {
    name: 'no live payment is charged under the Idempotency-Key of an equal one before that key has expired',
    promise: 1,
    isDoubt: true,
    remedy:
      'Perhaps one request was paid twice: the row of its key was lost in between. Find out who deleted rows of ' +
      'idempotency_keys. Compare both payments with the processor’s account, and ask the biller whether it wanted both. If ' +
      'not, it refunds ID: POST /payment_intents/ID/refunds. If it did, do nothing: two days after the first, it is no longer named.',
    offenders: (db) => db<Offender[]>`
      with recent as materialized (
        select id, payment_intent_id, hashtextextended(request_key, 0) as key_hash from payment_attempts
        where opened_at > now() - interval '2 days' and request_key is not null
          and outcome in ('processing', 'accepted', 'submitted', 'succeeded')
      ), shared as materialized (
        select key_hash from recent group by key_hash having count(*) > 1
      ), charge as (
        select i.id, i.total_amount, i.currency, a.request_key, a.opened_at, lag(i.id) over equal as earlier_id,
          lag(a.opened_at) over equal as earlier_opened_at,
          lag(coalesce(a.request_key_expires_at, 'infinity')) over equal as key_expires_at
        from shared join recent r using (key_hash)
        cross join lateral (
          select request_key, request_key_expires_at, opened_at from payment_attempts where id = r.id limit 1
        ) a
        cross join lateral (
          select id, biller_id, livemode, customer_id, amount, total_amount, currency, total_refunded_amount
          from payment_intents where id = r.payment_intent_id limit 1
        ) i
        where i.livemode and i.total_refunded_amount < i.total_amount
        window equal as (
          partition by i.biller_id, a.request_key, i.customer_id, i.amount, i.currency order by a.opened_at, i.id
        )
      )
      select id,
        format('was charged %s %s at %s, and %s the same at %s, for the same customer and under the same Idempotency-Key (%s)',
          total_amount, currency, opened_at, earlier_id, earlier_opened_at, request_key) as detail
      from charge where opened_at < key_expires_at limit 100`,
  },
];
