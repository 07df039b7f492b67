create table bank_debits (
  attempt_id object_id primary key references payment_attempts,
  biller_id object_id not null references billers,
  livemode boolean not null,
  payment_intent_id object_id not null,
  payment_plan_id object_id,
  test_clock_id object_id,
  mandate_id object_id not null,
  scheme text not null check (scheme in ('au_becs')),
  lodgement_reference text not null check (lodgement_reference ~ '^PAY-[0-9A-Z]{14}$'),
  charge_date date not null,
  hand_over_at timestamptz not null,
  submitted_at timestamptz,
  lodged_at timestamptz,
  expected_result_at timestamptz not null,
  result_at timestamptz,
  returnable_until date,
  returned_at timestamptz,
  bank_code text,
  next_at timestamptz,
  subscription_id object_id,
  unique (biller_id, livemode, lodgement_reference),
  check (lodged_at >= submitted_at),
  check (returned_at >= result_at),
  check (returned_at is null or next_at is null),
  constraint bank_debits_owner_check check (payment_plan_id is null or subscription_id is null),
  foreign key (biller_id, livemode, mandate_id) references mandates (biller_id, livemode, id),
  foreign key (biller_id, livemode, payment_intent_id) references payment_intents (biller_id, livemode, id),
  foreign key (biller_id, livemode, payment_plan_id) references payment_plans (biller_id, livemode, id),
  foreign key (biller_id, livemode, test_clock_id) references test_clocks (biller_id, livemode, id)
);
comment on table bank_debits is 'The course of each attempt that is a debit under a mandate. Instants are the customer''s time, dates those of the scheme''s clock. The outcome is the attempt''s';
comment on column bank_debits.lodgement_reference is 'Shown on the payer''s statement';
comment on column bank_debits.submitted_at is 'Committed before the processor is asked to charge: from then on nothing of ours stops the debit';
comment on column bank_debits.lodged_at is 'When the processor said that the bank has it; null while that is not known';
comment on column bank_debits.result_at is 'When the bank reported whether it collected it, or when it was stopped before the hand-over';
comment on column bank_debits.bank_code is 'The bank''s own code for a refusal or a return';
comment on column bank_debits.next_at is 'When its next step is due: the hand-over, the result, a return. Null when nothing more is expected';
comment on column bank_debits.subscription_id is 'The subscription whose workflow takes the steps; null if that is a plan''s or the debit''s own';
create index bank_debits_of_intent on bank_debits (payment_intent_id);
create index bank_debits_of_plan on bank_debits (payment_plan_id, next_at)
  where payment_plan_id is not null and next_at is not null;
create index bank_debits_of_mandate on bank_debits (mandate_id, attempt_id);
create index bank_debits_due on bank_debits (next_at) where next_at is not null;
create index bank_debits_of_clock on bank_debits (test_clock_id, next_at) where test_clock_id is not null;
create index bank_debits_of_subscription on bank_debits (subscription_id, next_at) where subscription_id is not null;
create index bank_debits_without_owner on bank_debits (attempt_id)
  where payment_plan_id is null and subscription_id is null and next_at is not null;

-- Attempts, reservations, debits and refunds say what the processor has of a payment. Deleting something else does not
-- delete them, but for a test clock.
create function delete_charges_of_clock() returns trigger language plpgsql as $$
declare
  -- As in every other transaction, a payment is locked before its attempts.
  intents text[] := array(
    select i.id from customers c join payment_intents i on i.customer_id = c.id
    where c.test_clock_id = old.id
    order by i.id
    for update of i
  );
  attempts text[] := array(select id from payment_attempts where payment_intent_id = any(intents));
begin
  delete from payment_reservations where attempt_id = any(attempts);
  delete from bank_debits where attempt_id = any(attempts);
  delete from payment_attempts where id = any(attempts);
  delete from refunds where payment_intent_id = any(intents);
  -- A payment without a customer stays, with its attempts. Its method may have come to a customer of the clock later.
  update payment_attempts set payment_method_id = null where payment_method_id in (
    select m.id from customers c join payment_methods m on m.customer_id = c.id where c.test_clock_id = old.id
  );
  return old;
end $$;
comment on function delete_charges_of_clock is 'A test clock is in the sandbox: no processor has what was paid on it. It is deleted with all of it';
create trigger test_clocks_delete_charges before delete on test_clocks
  for each row execute function delete_charges_of_clock();
