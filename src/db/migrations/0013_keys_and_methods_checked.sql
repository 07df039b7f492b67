alter table payment_methods validate constraint payment_methods_bound_payment_intent_fkey;
alter table customers validate constraint customers_default_method_fkey;
-- contract: customers_default_method_fkey does the same, and more, for every version that writes a default method
alter table customers drop constraint customers_default_payment_method_id_fkey;
