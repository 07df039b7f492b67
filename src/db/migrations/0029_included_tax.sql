alter table billers add column tax jsonb;
comment on column billers.tax is 'The tax that the prices of the biller include, such as {"label": "GST", "basisPoints": 1000}. Null: none was stated';

alter table payment_plans add column tax_included boolean not null default true;
comment on column payment_plans.tax_included is 'Whether its amounts include the tax of the biller, if that has stated one';
alter table payment_links add column tax_included boolean not null default true;
comment on column payment_links.tax_included is 'As that of a plan';
alter table checkout_sessions add column tax_included boolean not null default true;
comment on column checkout_sessions.tax_included is 'As that of a plan';

alter table payment_intents
  add column tax_basis jsonb,
  add column tax_amount bigint not null default 0,
  add constraint payment_intents_tax
    check (tax_amount between 0 and amount + surcharge_amount and (tax_basis is not null or tax_amount = 0)) not valid;
comment on column payment_intents.tax_basis is 'The tax of the biller when the payment was made, and the part of amount that includes it: {"label", "basisPoints", "taxable"}. Null: the payment includes none';
comment on column payment_intents.tax_amount is 'How much of amount and surcharge is tax, minor units';

alter table refunds
  add column tax_amount bigint not null default 0,
  add constraint refunds_tax check (tax_amount between 0 and amount) not valid;
comment on column refunds.tax_amount is 'How much of the amount is tax of its payment, minor units';
