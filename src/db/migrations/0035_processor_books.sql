create table processor_entries (
  id bigint generated always as identity primary key,
  biller_id object_id not null references billers,
  livemode boolean not null,
  processor_id text not null check (length(processor_id) between 1 and 200),
  kind text not null check (kind in ('settlement', 'fee', 'dispute', 'adjustment', 'payout_failure')),
  idempotency_key text,
  reference text,
  amount bigint not null,
  fee bigint not null,
  currency text not null check (currency ~ '^[A-Z]{3}$'),
  available_on date,
  occurred_at timestamptz not null,
  description text check (length(description) <= 500),
  recorded_at timestamptz not null default clock_timestamp(),
  unique (biller_id, livemode, id),
  unique (biller_id, livemode, processor_id)
);
comment on table processor_entries is 'What the live processor has said of its own books: what a payment came to and cost, its fees, its payouts that came back, and what only it knows. Rows are only ever added';
comment on column processor_entries.processor_id is 'The processor''s own id of the entry; of a payout_failure too';
comment on column processor_entries.kind is 'settlement: of a charge, a refund or a debit that was taken back. fee: of the processor, for no payment. dispute: of a card. adjustment: anything else';
comment on column processor_entries.idempotency_key is 'Of a settlement: the attempt or the refund that it is of';
comment on column processor_entries.reference is 'That of the charge; of a payout_failure the processor''s id of the payout';
comment on column processor_entries.amount is 'Minor units, without the fee: what comes in is positive. What the entry changes at the processor is amount - fee';
comment on column processor_entries.available_on is 'From which date on it can be paid out. Null: the processor does not say';
comment on column processor_entries.occurred_at is 'By the processor''s clock';

create table processor_entry_payouts (
  entry bigint primary key references processor_entries,
  payout text not null check (length(payout) between 1 and 200)
);
comment on table processor_entry_payouts is 'Which payout an entry is in, by the processor''s id of the payout. Rows are only ever added';
create index processor_entry_payouts_of_payout on processor_entry_payouts (payout);

create table posted_entries (
  entry bigint primary key references processor_entries,
  transaction_id object_id not null unique,
  own boolean not null,
  sequence bigint not null check (sequence >= 1),
  fee bigint not null default 0,
  available_on date
);
comment on table posted_entries is 'The transaction of the ledger that an entry of the processor is in. Rows are only ever added; with them and the events the ledger is made again';
comment on column posted_entries.transaction_id is 'Without a foreign key: the ledger can be made again under the same ids';
comment on column posted_entries.own is 'The transaction was posted from the entry. False: from an event, and the entry says when it can be paid out and what it cost';
comment on column posted_entries.sequence is 'Up to which event the ledger was posted then';
comment on column posted_entries.fee is 'Minor units: what the transaction of an event cost, posted as a processing_fee. 0 if own: the transaction has it';
comment on column posted_entries.available_on is 'Of the transaction of an event. Null if own: the transaction has it';

create table entries_to_post (
  entry bigint primary key,
  biller_id object_id not null references billers,
  livemode boolean not null,
  since timestamptz not null default clock_timestamp(),
  foreign key (biller_id, livemode, entry) references processor_entries (biller_id, livemode, id)
);
comment on table entries_to_post is 'The entries of the processor that are not in the ledger yet: a settlement waits for its payment';
create index entries_to_post_of_biller on entries_to_post (biller_id, livemode, entry);

create trigger processor_entries_only_grow before update or delete or truncate on processor_entries
  for each statement execute function refuse_change();
create trigger processor_entry_payouts_only_grow before update or delete or truncate on processor_entry_payouts
  for each statement execute function refuse_change();
create trigger posted_entries_only_grow before update or delete or truncate on posted_entries
  for each statement execute function refuse_change();
alter table processor_entries enable always trigger processor_entries_only_grow;
alter table processor_entry_payouts enable always trigger processor_entry_payouts_only_grow;
alter table posted_entries enable always trigger posted_entries_only_grow;

create table processor_payouts (
  payout_id object_id primary key,
  biller_id object_id not null references billers,
  livemode boolean not null,
  reference text not null check (length(reference) between 1 and 200),
  reconciled boolean not null default false,
  unique (biller_id, livemode, reference),
  foreign key (biller_id, livemode, payout_id) references payouts (biller_id, livemode, id) on delete cascade
);
comment on table processor_payouts is 'The processor''s own ids of the payouts that it has made: all of live mode';
comment on column processor_payouts.reconciled is 'As the payout says';
create index processor_payouts_open on processor_payouts (payout_id) where not reconciled;

create table processor_payouts_told (
  id bigint generated always as identity primary key,
  biller_id object_id not null references billers,
  livemode boolean not null,
  told jsonb not null check (jsonb_typeof(told) = 'object'),
  told_at timestamptz not null default clock_timestamp(),
  unique (biller_id, livemode, id)
);
comment on table processor_payouts_told is 'What the live processor has said of its payouts, until it is recorded with its events';
comment on column processor_payouts_told.told is 'The payout as it was read from the list';

alter table payouts
  drop constraint payouts_check,
  add constraint payouts_arrives_on_check
    check (arrives_on > paid_out_on or (livemode and arrives_on = paid_out_on)) not valid;
comment on table payouts is 'What was paid to the bank account of a biller, in one currency. In the sandbox made by the service on each business day, in real time and on test clocks; in live mode by the processor';

alter table ledger_transactions
  drop constraint ledger_transactions_kind_check,
  add constraint ledger_transactions_kind_check check (kind in (
    'payment', 'refund', 'return', 'adjustment', 'payout', 'payout_failure', 'dispute', 'dispute_reversal',
    'debit_accepted', 'debit_ended', 'dispute_lost', 'credit', 'processing_fee')) not valid;
alter table ledger_entries
  drop constraint ledger_entries_account_check,
  add constraint ledger_entries_account_check check (account in (
    'payers', 'in_flight', 'processor', 'held', 'fees', 'bank', 'credit', 'unexplained')) not valid;
comment on column ledger_transactions.kind is 'All but the last five are rows that finance reads; these tell what is in flight, that what was held is lost, the credit of subscriptions, and what a row cost as the live processor has said later';
comment on column ledger_transactions.source_key is 'The event that it was posted from, and the kind; or the number of the processor''s entry, and the kind. The id is derived from it';
comment on column ledger_entries.account is 'payers: the other side of all money. in_flight: debits without a result. processor: taken and not paid out. held: under dispute. fees: what it cost. bank: paid out. credit: what subscriptions owe back, never above 0. unexplained: the other side of what only the processor knows';

create or replace view balance_transactions as
  select t.id, t.biller_id, t.livemode, t.test_clock_id, t.kind, t.currency, t.source_id, t.payment_intent_id,
    t.customer_id, coalesce(o.available_on, t.available_on) as available_on, t.occurred_at,
    coalesce(p.amount, 0) + coalesce(f.amount, 0) as gross, coalesce(f.amount, 0) + coalesce(o.fee, 0) as fee,
    coalesce(p.amount, 0) - coalesce(o.fee, 0) as net, n.description as told_description,
    t.sequence * 2 + (t.kind = 'adjustment')::integer as position
  from ledger_transactions t
  left join ledger_entries p on p.transaction_id = t.id and p.account = 'processor'
  left join ledger_entries f on f.transaction_id = t.id and f.account = 'fees'
  left join posted_entries o on o.transaction_id = t.id
  left join processor_entries n on n.id = o.entry and o.own
  where t.kind in (
    'payment', 'refund', 'return', 'adjustment', 'payout', 'payout_failure', 'dispute', 'dispute_reversal');
comment on view balance_transactions is 'The transactions of the ledger that finance reads as rows: what moved (gross), what it cost (fee), and what is left (net), minor units. A transaction has at most one entry for an account. What the live processor says later that a row has cost is posted as a processing_fee, and is in its fee. told_description: its words for what only it knows. position: the order of rows at one instant, that of their events; the fee that a return gives back is after it';

create table refused_accounts (
  biller_id object_id primary key references billers,
  reason text not null check (length(reason) between 1 and 200),
  since timestamptz not null default clock_timestamp()
);
comment on table refused_accounts is 'The billers whose account the acquirer behind the live processor refuses at present, as its processor service has said last. Real time, by PostgreSQL''s clock';
comment on column refused_accounts.reason is 'In the words of the processor service';
