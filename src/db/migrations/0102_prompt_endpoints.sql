-- Deliveries that are due together to one endpoint travel together, if it responds promptly.
alter table webhook_endpoints add column responds_promptly boolean not null default false;
comment on column webhook_endpoints.responds_promptly is 'Whether the last request to this url was answered within a second; false until then';
