alter table live_charging add column listed_since timestamptz, add column listed_cursor text;
comment on column live_charging.listed_since is 'Each charge that was reserved after this, and each refund that was opened after it, must be in the list of the live processor. Real time, by PostgreSQL''s clock';
comment on column live_charging.listed_cursor is 'The cursor as this version has set it. If it is not that of the column cursor, a process of a former version has compared, and has not noted what it saw: listed_since begins anew';
alter table payment_reservations add column taken_amount bigint;
comment on column payment_reservations.taken_amount is 'What the list of the live processor says that was taken, in minor units. Null: not seen';
alter table refunds add column listed_at timestamptz;
comment on column refunds.listed_at is 'When the list of the live processor was seen to have it as given back. Real time, by PostgreSQL''s clock. Null: not seen';
create table lost_deliveries (
  id object_id primary key,
  noted_at timestamptz not null default clock_timestamp()
);
comment on table lost_deliveries is 'Webhook deliveries that had a workflow when their row was gone. The service itself deletes no such row';
comment on column lost_deliveries.noted_at is 'Real time, by PostgreSQL''s clock';
