-- Validates the constraints of 0019, each by itself. If a row is wrong already, its constraint stays as it is, for new
-- and changed rows: a wrong row must not keep a new version from starting. docs/upgrades.md says how to validate it then.
do $$
declare
  of_plans text;
begin
  foreach of_plans in array array['payment_plans_has_next_date', 'payment_plans_next_date_of_calendar'] loop
    begin
      execute format('alter table payment_plans validate constraint %I', of_plans);
    exception when check_violation then
      raise notice '% is not validated: a row is wrong', of_plans;
    end;
  end loop;
  begin
    alter table payment_intents validate constraint payment_intents_slot_fkey;
  exception when foreign_key_violation then
    raise notice 'payment_intents_slot_fkey is not validated: a row is wrong';
  end;
end
$$;
