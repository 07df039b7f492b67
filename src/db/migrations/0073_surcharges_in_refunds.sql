alter table refunds add column surcharge_amount bigint;
comment on column refunds.surcharge_amount is 'How much of the amount is surcharge, minor units. Null in refunds of a version that did not say';
