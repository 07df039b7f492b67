#!/bin/sh
# Makes the tables in Temporal's two databases, or brings them up to this version of its schema tool. Each step leaves alone
# what is there, so all of it may be repeated. make-roles.sh makes the databases themselves: their owner need not be able to.
# The connection is in SQL_HOST, SQL_PORT, SQL_USER, SQL_PASSWORD and SQL_PLUGIN; the names are those of on-postgres.env.
set -eu
make_tables() { # database, schema
  temporal-sql-tool --database "$1" setup-schema --version 0.0
  temporal-sql-tool --database "$1" update-schema --schema-name "$2"
}
make_tables "$DBNAME" postgresql/v12/temporal
make_tables "$VISIBILITY_DBNAME" postgresql/v12/visibility
