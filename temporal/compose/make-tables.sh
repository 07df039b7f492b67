#!/bin/sh
# Creates the tables in Temporal's two databases, or upgrades them to the version of its schema tool. Safe to repeat: each
# step keeps what exists. make-roles.sh creates the databases themselves, so that their owner needs no right to do so.
# The connection is in SQL_HOST, SQL_PORT, SQL_USER, SQL_PASSWORD and SQL_PLUGIN; the names are those of on-postgres.env.
set -eu
make_tables() { # database, schema
  temporal-sql-tool --database "$1" setup-schema --version 0.0
  temporal-sql-tool --database "$1" update-schema --schema-name "$2"
}
make_tables "$DBNAME" postgresql/v12/temporal
make_tables "$VISIBILITY_DBNAME" postgresql/v12/visibility
