import type { Pool } from '../../../src/platform/postgres/connection.ts';
import type { Names } from '../names.ts';
import type { Payment, Story, SubscriptionChange } from './story.ts';

/** The part of a story that neither the events nor the API tell, from the database. */
export type Books = Pick<Story, 'payments' | 'periods' | 'changes'>;

/** Reads the payments of a world's clock, their attempts and refunds, and what subscriptions were paid for. */
export async function readBooks(sql: Pool, { clock }: { clock: string }, names: Names): Promise<Books> {
  const rows = await sql<(Omit<Payment, 'name'> & { id: string })[]>`
    select i.id, i.customer_id as customer, i.payment_plan_slot as slot, i.amount, i.total_amount as total, i.status,
      coalesce(i.payment_plan_id, i.subscription_id, i.payment_link_id, i.checkout_session_id) as subject,
      (
        select coalesce(jsonb_agg(jsonb_build_object('number', a.number, 'at', ${inMs(sql, 'a.at')}, 'source', a.source,
          'outcome', a.outcome, 'method', a.payment_method_id, 'mandate', d.mandate_id,
          'submittedAt', ${inMs(sql, 'd.submitted_at')}) order by a.number), '[]')
        from payment_attempts a left join bank_debits d on d.attempt_id = a.id where a.payment_intent_id = i.id
      ) as attempts,
      (
        select coalesce(jsonb_agg(jsonb_build_object('name', r.id, 'credit', r.credit_cents) order by r.id), '[]')
        from refunds r where r.payment_intent_id = i.id
      ) as refunds
    from payment_intents i join customers c on c.id = i.customer_id
    where c.test_clock_id = ${clock}
    order by i.id`;
  const subscriptions = await sql<{ id: string; periods: Books['periods'][string]; changes: SubscriptionChange[] }[]>`
    select s.id,
      (
        select coalesce(jsonb_agg(jsonb_build_object('number', p.number, 'start', p.start_date, 'end', p.end_date,
          'status', p.status, 'carried', p.carried_cents, 'beganAt', ${inMs(sql, 'p.began_at')},
          'payment', p.payment_intent_id) order by p.number), '[]')
        from subscription_periods p where p.subscription_id = s.id and p.kind = 'paid'
      ) as periods,
      (
        select coalesce(jsonb_agg(jsonb_build_object('period', c.period, 'status', c.status,
          'changedAt', ${inMs(sql, 'c.changed_at')}, 'payment', c.payment_intent_id,
          'lines', (select coalesce(sum((line ->> 'amount_cents')::bigint), 0) from jsonb_array_elements(c.lines) line)
        ) order by c.number), '[]')
        from subscription_changes c where c.subscription_id = s.id
      ) as changes
    from subscriptions s where s.test_clock_id = ${clock}`;
  const named = names.in(subscriptions) as typeof subscriptions;
  return {
    payments: rows.map(({ id, ...row }) => ({ name: names.of(id), ...(names.in(row) as Omit<Payment, 'name'>) })),
    periods: Object.fromEntries(named.map(({ id, periods }) => [id, periods])),
    changes: Object.fromEntries(named.map(({ id, changes }) => [id, changes])),
  };
}

/** A column as milliseconds; null if it is. */
function inMs(sql: Pool, column: string) {
  return sql`round(extract(epoch from ${sql(column)}) * 1000)`;
}
