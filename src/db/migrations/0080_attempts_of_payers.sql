-- Attempts of payers that failed. After ten of them, only a secret key confirms the payment.

alter table payment_attempts add column by_payer boolean not null default false;
alter table payment_intents add column payer_failures integer not null default 0;

comment on column payment_attempts.by_payer is 'A payer has confirmed the payment: with a publishable key or on a page';
comment on column payment_intents.payer_failures is 'How many attempts of payers have failed. From 10 on, only a secret key may confirm it; the tenth has its event';
