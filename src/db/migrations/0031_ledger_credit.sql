-- contract: no worker of a former version runs. History is posted again, which adds only what is missing: the credit.
update ledger_positions set last_sequence = 0;
alter table ledger_transactions
  drop constraint ledger_transactions_kind_check,
  add constraint ledger_transactions_kind_check check (kind in (
    'payment', 'refund', 'return', 'adjustment', 'payout', 'payout_failure', 'dispute', 'dispute_reversal',
    'debit_accepted', 'debit_ended', 'dispute_lost', 'credit')) not valid;
alter table ledger_entries
  drop constraint ledger_entries_account_check,
  add constraint ledger_entries_account_check check (account in (
    'payers', 'in_flight', 'processor', 'held', 'fees', 'bank', 'credit')) not valid;
comment on column ledger_transactions.kind is 'All but the last four are rows that finance reads; these tell what is in flight, that what was held is lost, and the credit of subscriptions';
comment on column ledger_transactions.source_id is 'The payment intent, the refund, the dispute, the payout or the subscription. Without a foreign key: the books keep what they have posted';
comment on column ledger_entries.account is 'payers: the other side of all money. in_flight: debits without a result. processor: taken and not paid out. held: under dispute. fees: what it cost. bank: paid out. credit: what subscriptions owe back, never above 0';
