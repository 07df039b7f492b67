-- The triggers that call it are enabled `always`: they hold also where a session replicates, or restores. The owner of
-- a table can still take its trigger away, so in production the service's own role is not the owner (docs/security.md).
create function refuse_change() returns trigger language plpgsql as $$
begin
  raise exception 'rows of % are only ever added: % is refused', tg_table_name, lower(tg_op) using errcode = 'restrict_violation';
end $$;

create table mandate_texts (
  biller_id object_id not null references billers,
  livemode boolean not null,
  sha256 text not null check (sha256 ~ '^[0-9a-f]{64}$'),
  scheme text not null check (scheme in ('au_becs')),
  version text not null check (length(version) between 1 and 20),
  html text not null,
  created_at timestamptz not null,
  primary key (biller_id, livemode, sha256),
  check (sha256 = encode(sha256(convert_to(html, 'UTF8')), 'hex'))
);
comment on table mandate_texts is 'Each text that at least one payer of a biller has agreed to, word for word. It has the name of the biller. Rows are only ever added: the text of a mandate stays readable after the template or the name of the biller has changed';
comment on column mandate_texts.sha256 is 'Of html in UTF-8';
comment on column mandate_texts.created_at is 'Real time of the first acceptance';
create trigger mandate_texts_only_grow before update or delete or truncate on mandate_texts
  for each statement execute function refuse_change();
alter table mandate_texts enable always trigger mandate_texts_only_grow;

create table mandates (
  id object_id primary key,
  biller_id object_id not null references billers,
  livemode boolean not null,
  customer_id object_id not null,
  test_clock_id object_id,
  payment_method_id object_id not null,
  scheme text not null check (scheme in ('au_becs')),
  reference text not null check (reference ~ '^DDR-[0-9A-Z]{14}$'),
  status text not null check (status in ('pending', 'active', 'canceled', 'failed', 'expired')),
  status_reason text,
  cancellation_reason text check (length(cancellation_reason) between 1 and 255),
  max_amount_cents minor_units check (max_amount_cents >= 1),
  amount_type text not null check (amount_type in ('variable', 'fixed')),
  frequency_text text check (length(frequency_text) between 1 and 100),
  acceptance_type text check (acceptance_type in ('online', 'paper', 'telephone', 'imported')),
  accepted_at timestamptz,
  ip_address text check (length(ip_address) <= 45),
  user_agent text check (length(user_agent) <= 500),
  signatory_name text check (length(signatory_name) between 1 and 200),
  biller_name text,
  text_version text,
  text_sha256 text,
  activated_at timestamptz,
  last_debited_at timestamptz,
  lapses_at timestamptz,
  ended_at timestamptz,
  created_at timestamptz not null,
  updated_at timestamptz not null,
  -- A list on the mandate: it is short, and shown with it in every event.
  notices jsonb not null default '[]',
  connection_ip_address text,
  connection_user_agent text,
  unique (biller_id, livemode, id),
  unique (biller_id, livemode, reference),
  foreign key (biller_id, livemode, customer_id) references customers (biller_id, livemode, id) on delete cascade,
  foreign key (biller_id, livemode, test_clock_id) references test_clocks (biller_id, livemode, id) on delete cascade,
  foreign key (biller_id, livemode, payment_method_id) references payment_methods (biller_id, livemode, id)
    on delete cascade,
  foreign key (biller_id, livemode, text_sha256) references mandate_texts (biller_id, livemode, sha256),
  check ((status in ('canceled', 'failed', 'expired')) = (ended_at is not null)),
  check ((status_reason is null) = (ended_at is null)),
  check (cancellation_reason is null or status_reason = 'requested'),
  check (status <> 'pending' or accepted_at is null),
  check (status not in ('active', 'failed', 'expired') or accepted_at is not null),
  check ((accepted_at is null) = (acceptance_type is null)),
  check ((accepted_at is null) = (signatory_name is null)),
  check ((accepted_at is null) = (biller_name is null)),
  check ((accepted_at is null) = (activated_at is null)),
  check ((accepted_at is null) = (lapses_at is null)),
  check (acceptance_type <> 'online' or (ip_address is not null and user_agent is not null)),
  check (acceptance_type = 'imported' or accepted_at is null or text_sha256 is not null),
  check ((text_version is null) = (text_sha256 is null)),
  check (accepted_at is not null or text_sha256 is null),
  check (accepted_at is not null or last_debited_at is null),
  constraint mandates_notices_are_a_list check (jsonb_typeof(notices) = 'array')
);
comment on table mandates is 'The authority of a payer to debit a bank account, with the evidence that it was given. Account numbers are in payment_methods alone';
comment on column mandates.status is 'canceled, failed and expired are final';
comment on column mandates.status_reason is 'Why it has ended: a word of the service';
comment on column mandates.cancellation_reason is 'Why the biller has canceled it, in the words of the biller';
comment on column mandates.accepted_at is 'When the payer agreed; before activated_at if the biller recorded it later';
comment on column mandates.ip_address is 'Of the payer, as the biller has seen it';
comment on column mandates.biller_name is 'As it was when the mandate was activated';
comment on column mandates.text_sha256 is 'Null for a mandate that was agreed to elsewhere, with words that are not kept here';
comment on column mandates.lapses_at is 'When it expires unless it is debited before; kept when it has ended';
comment on column mandates.notices is 'What the payer is to be told, and what was sent, oldest first: kind, due_by (a date on the scheme''s clock; null if the biller recorded it unasked), sent_at and channel (null until it is sent)';
comment on column mandates.connection_ip_address is 'From where a payer has accepted it with a publishable key or on a page, as the service has seen it. Null if the biller has recorded it';
comment on column mandates.connection_user_agent is 'The browser of that connection. Null if it named none';
create unique index mandates_one_open on mandates (payment_method_id) where ended_at is null;
create index mandates_of_method on mandates (payment_method_id, id);
create index mandates_of_customer on mandates (customer_id, id);
create index mandates_of_clock on mandates (test_clock_id, lapses_at) where test_clock_id is not null;
create index mandates_lapsing on mandates (lapses_at) where status = 'active' and test_clock_id is null;
create index mandates_by_creation on mandates (biller_id, livemode, created_at, id);
create index mandates_by_change on mandates (biller_id, livemode, updated_at, id);
