create or replace view balance_transactions as
  select t.id, t.biller_id, t.livemode, t.test_clock_id, t.kind, t.currency, t.source_id, t.payment_intent_id,
    t.customer_id, t.available_on, t.occurred_at,
    coalesce(p.amount, 0) + coalesce(f.amount, 0) as gross, coalesce(f.amount, 0) as fee, coalesce(p.amount, 0) as net
  from ledger_transactions t
  left join ledger_entries p on p.transaction_id = t.id and p.account = 'processor'
  left join ledger_entries f on f.transaction_id = t.id and f.account = 'fees'
  where t.kind in (
    'payment', 'refund', 'return', 'adjustment', 'payout', 'payout_failure', 'dispute', 'dispute_reversal');
comment on view balance_transactions is 'The transactions of the ledger that finance reads as rows: what moved (gross), what it cost (fee), and what is left (net), minor units. A transaction has at most one entry for an account';
