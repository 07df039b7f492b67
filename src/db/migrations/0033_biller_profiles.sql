create table biller_profiles (
  biller_id object_id primary key references billers,
  display_name text check (length(display_name) between 1 and 100),
  support_email text check (length(support_email) between 3 and 254),
  support_phone text check (length(support_phone) between 3 and 40),
  address text check (length(address) between 1 and 300),
  tax_id text check (length(tax_id) between 1 and 40),
  brand_color text check (brand_color ~ '^#[0-9a-f]{6}$'),
  logo bytea check (length(logo) between 1 and 32768),
  logo_type text check (logo_type in ('image/png', 'image/jpeg', 'image/webp')),
  logo_name text check (logo_name ~ '^[0-9a-f]{64}$'),
  updated_at timestamptz not null,
  check ((logo is null) = (logo_type is null) and (logo is null) = (logo_name is null))
);
create index biller_profiles_logo_name on biller_profiles (logo_name) where logo_name is not null;
comment on table biller_profiles is 'How a biller presents itself to payers. A biller without a row has its name alone';
comment on column biller_profiles.display_name is 'The name that payers read. Null: the name of the biller';
comment on column biller_profiles.brand_color is 'The colour of buttons on the pages for payers, as #rrggbb in lower case';
comment on column biller_profiles.logo_name is 'The SHA-256 of the logo in hex. It names the logo in the URL, so a browser may keep it';
