-- What is charged is compared with a copy that only the service writes: an amount that was changed by hand differs from
-- it. Null in rows of a former version: nothing is known then, and nothing is compared.
alter table payment_plans
  add column agreed_recurring_cents minor_units,
  add column agreed_first_cents minor_units,
  add column agreed_total_cents minor_units,
  add column ended_as text check (ended_as in ('deactivated', 'closed'));
comment on column payment_plans.agreed_recurring_cents is 'recurring_amount_cents as the service has written it, with first and total beside it. Null: nothing is known of the three';
comment on column payment_plans.agreed_first_cents is 'The same of first_amount_cents';
comment on column payment_plans.agreed_total_cents is 'The same of total_amount_cents';
comment on column payment_plans.ended_as is 'The state in which the plan has ended. It is never left: with another state, the row was changed by hand';

alter table payment_intents add column agreed_amount minor_units;
comment on column payment_intents.agreed_amount is 'The amount that it was made with, which never changes. Null in rows of a former version';

create table lost_subjects (
  id object_id primary key,
  workflow_type text not null,
  livemode boolean,
  noted_at timestamptz not null default clock_timestamp()
);
comment on table lost_subjects is 'Plans, subscriptions and scheduled payments that had a workflow when their row was gone. The service deletes such a row with its test clock only';
comment on column lost_subjects.livemode is 'Null if one Temporal runs both modes';
comment on column lost_subjects.noted_at is 'Real time, by PostgreSQL''s clock';
