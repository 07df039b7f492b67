create or replace view balance_transactions as
  select t.id, t.biller_id, t.livemode, t.test_clock_id, t.kind, t.currency, t.source_id, t.payment_intent_id,
    t.customer_id, t.available_on, t.occurred_at,
    coalesce(p.amount, 0) + coalesce(f.amount, 0) as gross, coalesce(f.amount, 0) as fee, coalesce(p.amount, 0) as net
  from ledger_transactions t
  left join ledger_entries p on p.transaction_id = t.id and p.account = 'processor'
  left join ledger_entries f on f.transaction_id = t.id and f.account = 'fees'
  where t.kind in (
    'payment', 'refund', 'return', 'adjustment', 'payout', 'payout_failure', 'dispute', 'dispute_reversal');
comment on view balance_transactions is 'The transactions of the ledger that finance reads as rows: what moved (gross), what it cost (fee), and what is left (net), minor units. A transaction has at most one entry for an account';

create schema reporting;
comment on schema reporting is 'What BI reads: views whose names have a version, and which PostgreSQL role reads whose rows';

create table reporting.readers (
  role_name text primary key check (role_name ~ '^reporting_[0-9a-f]{16}$'),
  biller_id object_id not null references billers,
  livemode boolean not null,
  created_at timestamptz not null
);
comment on table reporting.readers is 'The PostgreSQL roles that read the views of this schema, each the rows of one biller and mode. Real time. Roles belong to the server: one that is not here reads nothing';
create index readers_of_biller on reporting.readers (biller_id, livemode);

create view reporting.reader with (security_barrier) as
  select biller_id, livemode from reporting.readers where role_name = current_user::text;
comment on view reporting.reader is 'Whose rows the present role reads: one row, or none. No role may read it but through the views';

-- Each view has the rows of the reader alone: read by the index of the biller, since whose they are is looked up once.
-- The barrier keeps conditions and functions of a reader from others' rows.
create view reporting.balance_transactions_v1 with (security_barrier) as
  select t.id::text as id, t.occurred_at as created_at, t.available_on, t.kind as type,
    case t.kind when 'payment' then 'charge' when 'return' then 'charge_failure' when 'adjustment' then 'other_adjustment'
      when 'payout_failure' then 'payout_reversal' else t.kind end as reporting_category,
    t.currency, t.gross, t.fee, t.net, t.source_id::text as source, t.payment_intent_id::text as payment_intent_id,
    (select o.payout_id::text from payout_items o where o.transaction_id = t.id and not o.released) as payout_id,
    t.customer_id::text as customer_id, t.test_clock_id::text as test_clock
  from balance_transactions t
  where t.biller_id = (select biller_id from reporting.reader)
    and t.livemode = (select livemode from reporting.reader);
comment on view reporting.balance_transactions_v1 is 'The rows of the books, as GET /balance_transactions has them';

create view reporting.payments_v1 with (security_barrier) as
  select i.id::text as id, i.created_at, i.updated_at, i.status, i.currency, i.amount::bigint as amount,
    i.surcharge_amount::bigint as surcharge_amount, i.total_amount::bigint as total_amount,
    i.fee_amount::bigint as fee_amount, i.total_refunded_amount::bigint as total_refunded_amount,
    i.total_returned_amount, i.collected_at, i.customer_id::text as customer_id,
    i.payment_method_id::text as payment_method_id, m.type as payment_method_type,
    i.payment_plan_id::text as payment_plan_id, i.subscription_id::text as subscription_id,
    i.payment_link_id::text as payment_link_id, i.last_error_code, i.description, i.metadata,
    c.test_clock_id::text as test_clock
  from payment_intents i
  left join customers c on c.id = i.customer_id and c.biller_id = i.biller_id and c.livemode = i.livemode
  left join payment_methods m
    on m.id = i.payment_method_id and m.biller_id = i.biller_id and m.livemode = i.livemode
  where i.biller_id = (select biller_id from reporting.reader)
    and i.livemode = (select livemode from reporting.reader);

create view reporting.refunds_v1 with (security_barrier) as
  select f.id::text as id, f.created_at, f.updated_at, f.status, f.currency, f.amount::bigint as amount,
    f.surcharge_amount, f.reason, f.payment_intent_id::text as payment_intent_id, f.metadata
  from refunds f
  where f.biller_id = (select biller_id from reporting.reader)
    and f.livemode = (select livemode from reporting.reader);

create view reporting.payouts_v1 with (security_barrier) as
  select p.id::text as id, p.created_at, p.updated_at, p.paid_out_on, p.arrives_on, p.status, p.ended_at, p.failure_code,
    p.reconciliation_status, p.currency, p.amount, p.test_clock_id::text as test_clock
  from payouts p
  where p.biller_id = (select biller_id from reporting.reader)
    and p.livemode = (select livemode from reporting.reader);

create view reporting.customers_v1 with (security_barrier) as
  select c.id::text as id, c.created_at, c.updated_at, c.deleted_at, c.name, c.business_name, c.email, c.reference,
    c.status, c.metadata, c.test_clock_id::text as test_clock
  from customers c
  where c.biller_id = (select biller_id from reporting.reader)
    and c.livemode = (select livemode from reporting.reader);

create view reporting.plans_v1 with (security_barrier) as
  select p.id::text as id, p.created_at, p.updated_at, p.customer_id::text as customer_id, p.name, p.state, p.state_reason,
    p.currency, p.frequency_type, p.frequency_period, p.recurring_amount_cents::bigint as recurring_amount_cents,
    p.first_amount_cents::bigint as first_amount_cents, p.total_amount_cents::bigint as total_amount_cents,
    p.collected_amount_cents::bigint as collected_amount_cents, p.start_date, p.first_date, p.activated_at,
    p.next_attempt_at, p.metadata, p.test_clock_id::text as test_clock
  from payment_plans p
  where p.biller_id = (select biller_id from reporting.reader)
    and p.livemode = (select livemode from reporting.reader);

create view reporting.subscriptions_v1 with (security_barrier) as
  select s.id::text as id, s.created_at, s.updated_at, s.customer_id::text as customer_id, s.name, s.state, s.state_reason,
    s.in_effect, s.in_effect_until, s.currency, s.frequency_type, s.frequency_period, s.items, s.start_date, s.started_at,
    s.ends_at, s.paid_periods, s.owed_amount_cents, s.credit_balance_cents::bigint as credit_balance_cents,
    s.next_attempt_at, s.metadata, s.test_clock_id::text as test_clock
  from subscriptions s
  where s.biller_id = (select biller_id from reporting.reader)
    and s.livemode = (select livemode from reporting.reader);

-- Only roles that may use the schema reach them, and each sees only what it is entered for.
grant select on reporting.balance_transactions_v1, reporting.payments_v1, reporting.refunds_v1, reporting.payouts_v1,
  reporting.customers_v1, reporting.plans_v1, reporting.subscriptions_v1 to public;
