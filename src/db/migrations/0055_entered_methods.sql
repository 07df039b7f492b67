-- A way to pay whose payment failed is not kept, also if the payer or the biller wants it kept.

alter table checkout_sessions add column entered_method text;

comment on column checkout_sessions.entered_method is 'The method that the payer has entered in the form that was accepted last, without a mandate: it is detached if its payment fails';
