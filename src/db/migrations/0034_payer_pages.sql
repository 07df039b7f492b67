create table page_uses (
  subject bytea not null check (length(subject) = 32),
  begins_at timestamptz not null,
  used integer not null check (used >= 0),
  primary key (subject, begins_at)
);
comment on table page_uses is 'How often payers have used the pages in a span of time, for the limits that all processes share. Removed after an hour';
comment on column page_uses.subject is 'A keyed hash of what is limited, such as "starts" and an address. No address can be read from it';
comment on column page_uses.begins_at is 'When the span begins. Real time';

alter table payment_intents add column return_url text;
comment on column payment_intents.return_url is 'Where the payer goes on from the page of a 3D Secure challenge: of the last confirm that named one';
