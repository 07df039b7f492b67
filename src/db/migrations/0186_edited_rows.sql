-- outside of a transaction
-- What is stuck is counted every thirty seconds. Both indexes are nearly always empty.
drop index concurrently if exists payment_plans_edited;
create index concurrently payment_plans_edited on payment_plans (id) where
  (ended_as is not null and state not in ('closed', 'deactivated'))
  or (state = 'active' and state_reason is not null)
  or (agreed_recurring_cents is not null and state not in ('closed', 'deactivated') and (
    agreed_recurring_cents <> recurring_amount_cents
    or agreed_first_cents is distinct from first_amount_cents
    or agreed_total_cents is distinct from total_amount_cents));
drop index concurrently if exists payment_intents_edited;
create index concurrently payment_intents_edited on payment_intents (id) where agreed_amount <> amount;
