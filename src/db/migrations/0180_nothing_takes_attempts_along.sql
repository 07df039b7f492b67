-- Attempts, reservations, debits and refunds say what the processor has of a payment. Deleting something else does not
-- delete them.
alter table payment_attempts
  drop constraint payment_attempts_payment_intent_id_fkey,
  add constraint payment_attempts_payment_intent_id_fkey
    foreign key (payment_intent_id) references payment_intents not valid,
  drop constraint payment_attempts_payment_method_id_fkey,
  add constraint payment_attempts_payment_method_id_fkey
    foreign key (payment_method_id) references payment_methods not valid;

alter table payment_reservations
  drop constraint payment_reservations_attempt_id_fkey,
  add constraint payment_reservations_attempt_id_fkey
    foreign key (attempt_id) references payment_attempts not valid;

alter table refunds
  drop constraint refunds_biller_id_livemode_payment_intent_id_fkey,
  add constraint refunds_biller_id_livemode_payment_intent_id_fkey
    foreign key (biller_id, livemode, payment_intent_id) references payment_intents (biller_id, livemode, id) not valid;

alter table bank_debits
  drop constraint bank_debits_attempt_id_fkey,
  add constraint bank_debits_attempt_id_fkey foreign key (attempt_id) references payment_attempts not valid,
  drop constraint bank_debits_biller_id_livemode_mandate_id_fkey,
  add constraint bank_debits_biller_id_livemode_mandate_id_fkey
    foreign key (biller_id, livemode, mandate_id) references mandates (biller_id, livemode, id) not valid,
  drop constraint bank_debits_biller_id_livemode_payment_intent_id_fkey,
  add constraint bank_debits_biller_id_livemode_payment_intent_id_fkey
    foreign key (biller_id, livemode, payment_intent_id) references payment_intents (biller_id, livemode, id) not valid,
  drop constraint bank_debits_biller_id_livemode_payment_plan_id_fkey,
  add constraint bank_debits_biller_id_livemode_payment_plan_id_fkey
    foreign key (biller_id, livemode, payment_plan_id) references payment_plans (biller_id, livemode, id) not valid,
  drop constraint bank_debits_biller_id_livemode_test_clock_id_fkey,
  add constraint bank_debits_biller_id_livemode_test_clock_id_fkey
    foreign key (biller_id, livemode, test_clock_id) references test_clocks (biller_id, livemode, id) not valid,
  drop constraint bank_debits_subscription_fkey,
  add constraint bank_debits_subscription_fkey
    foreign key (biller_id, livemode, subscription_id) references subscriptions (biller_id, livemode, id) not valid;

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
comment on function delete_charges_of_clock() is 'A test clock is in the sandbox: no processor has what was paid on it. It is deleted with all of it';
-- contract: the statement that deletes a clock does what it did before
create trigger test_clocks_delete_charges before delete on test_clocks
  for each row execute function delete_charges_of_clock();
