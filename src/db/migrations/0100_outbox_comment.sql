-- The outbox is called so everywhere but in its table. The former version writes the table by this name while both
-- versions run, so it keeps it.

comment on table workflow_intents is 'The outbox: entries for Temporal. Each is written in the transaction of the change that needs it, and deleted once Temporal has accepted it, so no commit is ever without its workflow. The name is the first one; versions that run beside each other during an upgrade share it';
