-- Methods that a payer has entered in a form of our pages. What nothing has used for a day is detached and forgotten.

alter table payment_methods add column entered_in_form boolean not null default false;

comment on column payment_methods.entered_in_form is 'A payer has entered it in the form of a link or session. If nothing has used it after a day, it is detached, and its account number is deleted';

alter table checkout_sessions
  add column taken_form bytea,
  add column taken_method text;

comment on column checkout_sessions.taken_form is 'A keyed hash of the form that was taken last, with the way to pay that was entered in it: the same form sent again saves nothing';
comment on column checkout_sessions.taken_method is 'The method that was saved from that form';
