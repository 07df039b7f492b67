-- Ids are a prefix and 32 base62 characters whose head is their time of creation: in byte order ("C"), ordering by id
-- is ordering by insertion, whatever the collation of the database.
-- The length is no part of the pattern: with `{20,60}` in it, the check takes ten times as long. A payment checks a
-- dozen ids.
create domain object_id as text collate "C"
  check (value ~ '^[a-z]+_[0-9A-Za-z_]+$' and length(value) - strpos(value, '_') between 20 and 60);
comment on domain object_id is 'A prefixed id; sorts by creation';

-- Minor units of a currency. The ceiling keeps every value exact in a JavaScript number.
create domain minor_units as bigint check (value between 0 and 9007199254740991);
comment on domain minor_units is 'An amount of money in the smallest unit of its currency';

create table billers (
  id object_id primary key,
  name text not null check (length(name) between 1 and 200),
  time_zone text not null default 'UTC',
  statement_descriptor text check (length(statement_descriptor) between 1 and 22),
  fee_basis_points integer not null default 175 check (fee_basis_points between 0 and 10000),
  fee_fixed minor_units not null default 30,
  created_at timestamptz not null,
  require_mandates boolean not null default false,
  country text check (country ~ '^[A-Z]{2}$'),
  country_since timestamptz,
  cost_of_acceptance jsonb not null default '{}' check (jsonb_typeof(cost_of_acceptance) = 'object')
);
comment on table billers is 'Merchants: the tenants. Everything else belongs to one biller and one mode';
comment on column billers.time_zone is 'IANA name; payments fall due at 00:00 of their date in it';
comment on column billers.require_mandates is 'In the sandbox too, a bank account is debited under a mandate only, as in live mode';
comment on column billers.country is 'ISO 3166-1 alpha-2. Decides with the table of rules which surcharges are allowed. Null: in the sandbox no rule holds, in live mode none is allowed';
comment on column billers.country_since is 'Since when (real time) the country is the present one. Null if it was never set';
comment on column billers.cost_of_acceptance is 'What it costs the biller to accept a way to pay, basis points by key, such as {"amex": 190}';

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
  checkout_origins text[] not null default '{}',
  check ((logo is null) = (logo_type is null) and (logo is null) = (logo_name is null))
);
comment on table biller_profiles is 'How a biller presents itself to payers. A biller without a row has its name alone';
comment on column biller_profiles.display_name is 'The name that payers read. Null: the name of the biller';
comment on column biller_profiles.brand_color is 'The colour of buttons on the pages for payers, as #rrggbb in lower case';
comment on column biller_profiles.logo_name is 'The SHA-256 of the logo in hex. It names the logo in the URL, so a browser may keep it';
comment on column biller_profiles.checkout_origins is 'The origins of pages that may hold the widget, such as https://shop.example.com. Those with http count in the sandbox only';
create index biller_profiles_logo_name on biller_profiles (logo_name) where logo_name is not null;
