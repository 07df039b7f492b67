alter table payment_attempts add column challenge_ends_at timestamptz;
comment on column payment_attempts.challenge_ends_at is 'Of a live payment that waits for its payer at the bank: from then on its challenge is given up, at the processor first. Real time. Brought forward to the present when what is paid has ended. Null: 15 minutes after opened_at, if the processor says where the payer has to go';
-- Housekeeping asks for those every five seconds.
create index payment_attempts_challenged on payment_attempts (challenge_ends_at) where outcome = 'requires_action';
