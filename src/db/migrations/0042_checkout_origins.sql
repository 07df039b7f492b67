alter table biller_profiles add column checkout_origins text[] not null default '{}';
comment on column biller_profiles.checkout_origins is 'The origins of pages that may hold the widget, such as https://shop.example.com. Those with http count in the sandbox only';
