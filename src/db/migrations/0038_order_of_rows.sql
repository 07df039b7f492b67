-- outside of a transaction
drop index concurrently if exists ledger_transactions_in_order;
create index concurrently ledger_transactions_in_order
  on ledger_transactions (biller_id, livemode, occurred_at, (sequence * 2 + (kind = 'adjustment')::integer), id)
  where test_clock_id is null;
drop index concurrently if exists ledger_transactions_of_kind_in_order;
create index concurrently ledger_transactions_of_kind_in_order
  on ledger_transactions (biller_id, livemode, kind, occurred_at, (sequence * 2 + (kind = 'adjustment')::integer), id)
  where test_clock_id is null;
-- contract: rows of one instant are listed in the order of their events, so these serve no list
drop index concurrently if exists ledger_transactions_by_time;
-- contract: as above
drop index concurrently if exists ledger_transactions_by_kind;
