alter table payment_links add column apply_to_waives_unpaid boolean not null default false;
comment on column payment_links.apply_to_waives_unpaid is 'Whether what a paused subscription has served unpaid is let go when it is resumed';
alter table checkout_sessions add column apply_to_waives_unpaid boolean not null default false;
comment on column checkout_sessions.apply_to_waives_unpaid is 'Whether what a paused subscription has served unpaid is let go when it is resumed';
