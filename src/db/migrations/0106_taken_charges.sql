alter table payment_reservations add column taken_at timestamptz;
comment on column payment_reservations.taken_at is 'When the list of the live processor was seen to have this charge as taken. Real time, by PostgreSQL''s clock. Null: not seen';
