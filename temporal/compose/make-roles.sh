#!/bin/sh
# Creates the roles and the databases, each role with the rights that its work needs. Safe to repeat: it also sets changed
# passwords. Run it as a superuser. The connection is in PGHOST, PGPORT, PGUSER and PGPASSWORD, as psql reads them; the
# passwords of the roles are in OWNER_PASSWORD, SERVICE_PASSWORD and TEMPORAL_PASSWORD. Needs psql 15 or newer.
#
#   payments_owner   owns the tables of the service and migrates them (npm run migrate -- --grant-to payments)
#   payments         what the API, the worker and the command line run as; it gets its rights from that command
#   temporal         owns the two databases of Temporal
#
# Only its own roles may connect to a database. By default PostgreSQL lets every role connect.
set -eu
: "${OWNER_PASSWORD:?}" "${SERVICE_PASSWORD:?}" "${TEMPORAL_PASSWORD:?}"
psql --no-psqlrc --quiet --set ON_ERROR_STOP=1 --dbname postgres <<'SQL'
\getenv owner_password OWNER_PASSWORD
\getenv service_password SERVICE_PASSWORD
\getenv temporal_password TEMPORAL_PASSWORD

select format('create role %I', name)
from unnest(array['payments_owner', 'payments', 'temporal']) as name
where not exists (select from pg_roles where rolname = name)
\gexec
alter role payments_owner login nosuperuser nocreatedb nocreaterole noreplication nobypassrls password :'owner_password';
alter role payments login nosuperuser nocreatedb nocreaterole noreplication nobypassrls password :'service_password';
alter role temporal login nosuperuser nocreatedb nocreaterole noreplication nobypassrls password :'temporal_password';

select format('create database %I', name)
from unnest(array['payments', 'temporal', 'temporal_visibility']) as name
where not exists (select from pg_database where datname = name)
\gexec
alter database payments owner to payments_owner;
alter database temporal owner to temporal;
alter database temporal_visibility owner to temporal;

revoke all on database postgres, template1, payments, temporal, temporal_visibility from public;
grant connect on database payments to payments;
SQL
