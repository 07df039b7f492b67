-- What a payer reads. No check of the length: the API has checked it, and sessions copy it from here.
alter table payment_intents add column description text;
comment on column payment_intents.description is 'What is paid for, in the biller''s words. Payers read it';
