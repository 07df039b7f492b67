-- What a payer is to be told about a mandate. A list on the mandate: it is short, and shown with it in every event.
alter table mandates
  add column notices jsonb not null default '[]',
  add constraint mandates_notices_are_a_list check (jsonb_typeof(notices) = 'array') not valid;
comment on column mandates.notices is 'What the payer is to be told, and what was sent, oldest first: kind, due_by (a date on the scheme''s clock; null if the biller recorded it unasked), sent_at and channel (null until it is sent)';
