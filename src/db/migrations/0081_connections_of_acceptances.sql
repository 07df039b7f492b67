-- What the service itself has seen of a payer who accepted a mandate.

alter table mandates
  add column connection_ip_address text,
  add column connection_user_agent text;

comment on column mandates.connection_ip_address is 'From where a payer has accepted it with a publishable key or on a page, as the service has seen it. Null if the biller has recorded it';
comment on column mandates.connection_user_agent is 'The browser of that connection. Null if it named none';
