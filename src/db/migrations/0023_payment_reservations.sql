-- What a processor has reserved for an attempt. The reference is committed before the processor is asked for money.
create table payment_reservations (
  attempt_id object_id not null references payment_attempts on delete cascade,
  number integer not null check (number >= 1),
  livemode boolean not null,
  reference text check (length(reference) between 1 and 200),
  reserved_at timestamptz not null default clock_timestamp(),
  primary key (attempt_id, number),
  unique (livemode, reference)
);
comment on table payment_reservations is 'What a processor has reserved for an attempt; the last one of an attempt counts, those before it were canceled';
comment on column payment_reservations.reference is 'The processor''s own id of the payment, by which it is charged and asked about. Null: the attempt was given up, and nothing is charged for it any more';
comment on column payment_reservations.reserved_at is 'Real time, by PostgreSQL''s clock';

-- A database that was restored from a back-up does not know what the processor has done since.
create table live_charging (
  one boolean primary key default true check (one),
  cursor text,
  compared_at timestamptz,
  held_at timestamptz
);
comment on table live_charging is 'Whether live charges may be made. One row, or none before the first comparison';
comment on column live_charging.cursor is 'Up to where the movements of the live processor were compared with this database: the processor''s own mark. Null before the first comparison';
comment on column live_charging.compared_at is 'When they were last compared. Real time, by PostgreSQL''s clock';
comment on column live_charging.held_at is 'Since when charging is held: movements were found that this database does not know, or an operator has said so';

create table unknown_movements (
  kind text not null check (kind in ('charge', 'refund')),
  idempotency_key text not null,
  reference text,
  payment_intent_id text not null,
  amount bigint not null,
  currency text not null,
  found_at timestamptz not null default clock_timestamp(),
  subject_id text not null generated always as (split_part(idempotency_key, '.', 1)) stored,
  primary key (kind, idempotency_key)
);
create index unknown_movements_by_subject on unknown_movements (subject_id);
comment on table unknown_movements is 'What the live processor has done and this database does not know: it was restored from a back-up. An attempt that is opened again takes over the reference of its charge';
comment on column unknown_movements.idempotency_key is 'The key that the processor was asked under';
comment on column unknown_movements.subject_id is 'The attempt or the refund: a further reservation of an attempt has a key such as att_….2';
