-- Challenges that were opened before, and had no end, end 15 minutes from now.

-- contract: changes only the few rows whose payer has a challenge open, and is done at once.
update payment_plan_slots s
set challenge_ends_at = coalesce(k.frozen_time, now()) + interval '15 minutes'
from payment_plans p
left join test_clocks k on k.id = p.test_clock_id
where p.id = s.payment_plan_id and s.status = 'processing' and exists (
  select 1 from payment_attempts a where a.payment_intent_id = s.payment_intent_id and a.outcome = 'requires_action'
);
-- contract: changes only the few rows whose payer has a challenge open, and is done at once.
update payment_plans p
set next_debit_at = least(p.next_debit_at, s.ends_at)
from (
  select payment_plan_id, min(challenge_ends_at) as ends_at from payment_plan_slots
  where challenge_ends_at is not null group by payment_plan_id
) s
where s.payment_plan_id = p.id;
-- contract: changes only the few rows whose payer has a challenge open, and is done at once.
update subscription_periods o
set challenge_ends_at = coalesce(k.frozen_time, now()) + interval '15 minutes'
from subscriptions s
left join test_clocks k on k.id = s.test_clock_id
where s.id = o.subscription_id and o.status = 'processing' and exists (
  select 1 from payment_attempts a where a.payment_intent_id = o.payment_intent_id and a.outcome = 'requires_action'
);
-- contract: changes only the few rows whose payer has a challenge open, and is done at once.
update subscriptions s
set next_debit_at = least(s.next_debit_at, o.ends_at)
from (
  select subscription_id, min(challenge_ends_at) as ends_at from subscription_periods
  where challenge_ends_at is not null group by subscription_id
) o
where o.subscription_id = s.id;
