alter table reconciliations add column examples text[];
comment on column reconciliations.examples is 'The first objects that differed, each with what was wrong';
