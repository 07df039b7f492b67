-- What a payer has agreed to when a way to pay is kept for later payments.

alter table checkout_sessions add column consent jsonb;

comment on column checkout_sessions.consent is 'What the payer agreed to in the form that was accepted last: the words, when (the customer''s time), and from which address and browser. Null if nothing is kept';
