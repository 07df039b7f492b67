alter table billers add column fees_by_method jsonb not null default '{}';
comment on column billers.fees_by_method is 'What the biller pays for a payment by a kind of method, such as {"au_becs_debit": {"basisPoints": 100, "fixed": 30}}; a kind that is missing costs fee_basis_points and fee_fixed';
