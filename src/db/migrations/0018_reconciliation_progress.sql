-- A comparison may take longer than a process that is dead could be told from one at work.
alter table reconciliations add column progress_at timestamptz;
comment on column reconciliations.progress_at is 'When the last slice of it was done. Real time; null before the first';
