create table processor_notices_position (
  one boolean primary key default true check (one),
  cursor text,
  held_by text,
  held_until timestamptz,
  check ((held_by is null) = (held_until is null))
);
comment on table processor_notices_position is 'Up to where the notices of the live processor were read. One row, or none before the first reading';
comment on column processor_notices_position.cursor is 'The processor''s own mark. Null before the first reading';
comment on column processor_notices_position.held_by is 'The worker that reads at present. Null: none';
comment on column processor_notices_position.held_until is 'When another worker may read, if this one does not say that it goes on. Real time, by PostgreSQL''s clock';

create table processor_notices (
  kind text not null check (kind in ('charge', 'refund')),
  reference text not null check (length(reference) between 1 and 200),
  biller_id object_id not null references billers,
  livemode boolean not null,
  heard bigint not null default 1 check (heard >= 1),
  tries integer not null default 0 check (tries >= 0),
  next_try_at timestamptz not null default clock_timestamp(),
  heard_at timestamptz not null default clock_timestamp(),
  primary key (kind, reference)
);
comment on table processor_notices is 'Hints of the live processor that something has happened to a payment, until the processor was asked about it. Real time, by PostgreSQL''s clock';
comment on column processor_notices.reference is 'The processor''s reference of the payment';
comment on column processor_notices.heard is 'How often. If it has grown since the processor was asked, it is asked again';
comment on column processor_notices.tries is 'How often the processor was asked, since the hint was first heard';
comment on column processor_notices.next_try_at is 'When it is asked. While one process asks, no other does';
create index processor_notices_due on processor_notices (next_try_at);

alter table refunds add column pending_at timestamptz;
comment on column refunds.pending_at is 'When the processor last said that it has the refund and has not decided. Real time, by PostgreSQL''s clock. Null: it has not said so';
