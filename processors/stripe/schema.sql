-- The tables of the Stripe processor. It owns this schema alone, and reads no other.
create schema if not exists processor_stripe;

-- A Stripe account of a biller, for one mode. Keys are sealed (sealed-keys.ts).
create table if not exists processor_stripe.accounts (
  account text not null,
  livemode boolean not null,
  sealed_key bytea not null,
  -- What Stripe signs the account's notices with, sealed. Null: none was given.
  sealed_notice_secret bytea,
  -- For the fields of Stripe on pages. It is no secret. Null: pages take no card.
  publishable_key text,
  key_hint text not null,
  api_version text not null,
  status text not null check (status in ('unverified', 'active', 'degraded', 'disabled')),
  -- Why it is degraded, for people.
  reason text,
  -- Changes with the key.
  version integer not null default 1,
  -- The operator who gave the key, or disabled the account.
  changed_by text not null,
  created_at timestamptz not null default now(),
  updated_at timestamptz not null default now(),
  primary key (account, livemode)
);

-- What the service has reserved: a PaymentIntent each. An outcome is written before it is sent, and never changes.
create table if not exists processor_stripe.reservations (
  account text not null,
  livemode boolean not null,
  idempotency_key text not null,
  reference text primary key,
  payment_intent_id text not null,
  amount bigint not null,
  currency text not null,
  -- Our mandate of a debit, and Stripe's if Stripe had it when this was reserved. Null: a card.
  mandate_reference text,
  mandate text,
  -- Where the payer of a card comes back to after a challenge: a confirm says the same whoever asks for it. Empty: the
  -- payer is not there. Null: not known here, because it was lost.
  return_url text,
  -- When a debit was seen to be collected. It may be taken back, so that is no outcome yet.
  collected_at timestamptz,
  -- Lost here once, and read again from Stripe by its reference. Its key may have reserved another one since.
  found_again boolean not null default false,
  outcome text check (outcome in ('succeeded', 'failed', 'returned')),
  code text,
  processor_code text,
  reserved_at timestamptz not null default now(),
  decided_at timestamptz,
  check ((outcome is null) = (decided_at is null))
);
create unique index if not exists reservations_by_key
  on processor_stripe.reservations (account, livemode, idempotency_key) where not found_again;
create index if not exists reservations_found_again
  on processor_stripe.reservations (account, livemode, idempotency_key) where found_again;

-- Refunds that have an outcome. Stripe forgets a key after a day, this table does not.
create table if not exists processor_stripe.refunds (
  account text not null,
  livemode boolean not null,
  idempotency_key text not null,
  refund text not null unique,
  reference text not null,
  amount bigint not null,
  currency text not null,
  outcome text not null check (outcome in ('succeeded', 'failed')),
  decided_at timestamptz not null default now(),
  primary key (account, livemode, idempotency_key)
);

-- The Stripe customer that a payment method belongs to. It never changes while the method is attached.
create table if not exists processor_stripe.methods (
  account text not null,
  livemode boolean not null,
  token text not null,
  customer text not null,
  primary key (account, livemode, token)
);

-- What was taken and given back, in the order in which it became known here.
create table if not exists processor_stripe.movements (
  serial bigint primary key,
  account text not null,
  livemode boolean not null,
  -- booked: what Stripe's books have, in `booked` as the list has it.
  kind text not null,
  -- Stripe's id of the charge or the refund; of what is booked, with its payout or its state.
  stripe_id text not null,
  idempotency_key text not null,
  reference text,
  payment_intent_id text not null,
  amount bigint not null,
  currency text not null,
  -- When Stripe made it, in seconds since 1970.
  created bigint not null,
  recorded_at timestamptz not null default clock_timestamp(),
  unique (account, livemode, stripe_id)
);
create index if not exists movements_by_mode on processor_stripe.movements (livemode, serial);

-- Up to when the lists of an account were read: Stripe's time of its newest charge or refund, in seconds since 1970.
create table if not exists processor_stripe.cursors (
  account text not null,
  livemode boolean not null,
  list text not null,
  read_to bigint not null,
  primary key (account, livemode, list)
);

-- What Stripe has told of on its own, in the order in which it became known here. Rows are kept for 90 days.
create table if not exists processor_stripe.notices (
  serial bigint primary key generated always as identity,
  account text not null,
  livemode boolean not null,
  -- Stripe's id of the event, and what it is about at Stripe.
  event text not null,
  type text not null,
  -- What the service is told: that something has happened to the charge or the refunds of a payment, or to a mandate.
  kind text not null check (kind in ('charge', 'refund', 'mandate')),
  reference text not null,
  body text not null,
  received_at timestamptz not null default clock_timestamp(),
  unique (account, livemode, event)
);
create index if not exists notices_by_mode on processor_stripe.notices (livemode, serial);
create index if not exists notices_by_time on processor_stripe.notices (received_at);

-- The Stripe payment method of a bank account that has no token. It is made once; the number is not here.
create table if not exists processor_stripe.bank_methods (
  account text not null,
  livemode boolean not null,
  -- The service's id of the payment method.
  payment_method text not null,
  token text not null,
  primary key (account, livemode, payment_method)
);

-- Stripe's mandate for one of ours: made by the first debit under it, and named by the later ones.
create table if not exists processor_stripe.debit_mandates (
  account text not null,
  livemode boolean not null,
  reference text not null,
  mandate text not null,
  primary key (account, livemode, reference)
);
create index if not exists debit_mandates_by_mandate on processor_stripe.debit_mandates (mandate);

-- Since fees and payouts are read. Tables that are there already get what they lack.
alter table processor_stripe.movements
  add column if not exists booked jsonb,
  drop constraint if exists movements_kind_check;
alter table processor_stripe.movements
  add constraint movements_kind_check check (kind in ('charge', 'refund', 'booked') and (kind = 'booked') = (booked is not null));
alter table processor_stripe.cursors drop constraint if exists cursors_list_check;
alter table processor_stripe.cursors
  add constraint cursors_list_check check (list in ('charges', 'refunds', 'balance_transactions'));

-- The payouts of Stripe that may still change, or whose items were not read.
create table if not exists processor_stripe.payouts (
  account text not null,
  livemode boolean not null,
  payout text not null,
  -- Whether what it pays was recorded.
  itemized boolean not null default false,
  -- When Stripe is asked about it. infinity: no more.
  look_at timestamptz not null default clock_timestamp(),
  made_at timestamptz not null default clock_timestamp(),
  primary key (account, livemode, payout)
);
create index if not exists payouts_to_look_at on processor_stripe.payouts (account, livemode, look_at);
