-- A payment that came back can be collected again with another surcharge, also after a refund of nearly all of it.
alter table payment_intents
  drop constraint payment_intents_check1,
  add constraint payment_intents_refunded check (
    total_refunded_amount <= amount + surcharge_amount + total_returned_amount + refunded_before_dispute
  ) not valid;
