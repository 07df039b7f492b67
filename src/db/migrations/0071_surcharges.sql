-- Surcharges that are allowed: what a biller states, and what was decided for each payment.

alter table billers
  add column country text,
  add column country_since timestamptz,
  add column cost_of_acceptance jsonb not null default '{}',
  add constraint billers_country_check check (country ~ '^[A-Z]{2}$') not valid,
  add constraint billers_cost_of_acceptance_check check (jsonb_typeof(cost_of_acceptance) = 'object') not valid;
comment on column billers.country is 'ISO 3166-1 alpha-2. Decides with the table of rules which surcharges are allowed. Null: in the sandbox no rule holds, in live mode none is allowed';
comment on column billers.country_since is 'Since when (real time) the country is the present one. Null if it was never set';
comment on column billers.cost_of_acceptance is 'What it costs the biller to accept a way to pay, basis points by key, such as {"amex": 190}';

alter table payment_intents
  add column surcharge_asked boolean,
  add column surcharge_reason text,
  add column surcharge_basis jsonb,
  add constraint payment_intents_surcharge_reason_check check (surcharge_reason in ('not_allowed', 'capped')) not valid,
  drop constraint payment_intents_check1,
  add constraint payment_intents_surcharge_check check (
    surcharge_applied = (surcharge_amount > 0) and surcharge_amount <= fee_amount
      and (surcharge_reason is not null or surcharge_amount = 0 or surcharge_amount = fee_amount)
  ) not valid;
comment on column payment_intents.surcharge_asked is 'Whether its biller, or the preference of its customer, asks for the surcharge. Null in rows of a version that decided at the creation: surcharge_applied';
comment on column payment_intents.surcharge_reason is 'Why a surcharge that was asked for is not taken, or not in full';
comment on column payment_intents.surcharge_basis is 'What the last attempt was decided on: country, type, networks, funding and stated costs. Null before the first attempt, without a surcharge to decide, and where no rule holds';
