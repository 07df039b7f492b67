create table sealed_formats (
  oldest smallint not null check (oldest in (1, 2))
);
comment on table sealed_formats is 'One row, written when this table was made. The service''s role may only read it';
comment on column sealed_formats.oldest is 'The oldest format of sealed values that may be here: 2 in a database that had no biller yet, otherwise 1';

insert into sealed_formats (oldest) select case when exists (select 1 from billers) then 1 else 2 end;
