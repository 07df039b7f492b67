import type postgres from 'postgres';
import type { TestDatabase } from './database.ts';
import { copyDatabase, onServer } from './postgres.ts';

/** A copy of a database as it was at one instant. */
export interface BackUp {
  /** Puts the copy in the place of the database; what was done since is lost. Connections are cut. */
  restore(): Promise<void>;
  discard(): Promise<void>;
}

/**
 * Takes a back-up of a database by PostgreSQL itself (`create database … template`), which is what a base back-up is:
 * the files at one instant. The programs that come embedded do not include `pg_dump`, and one of an older major version
 * refuses this server. Connections are cut for the moment that it takes; pools open new ones.
 */
export async function backUp(db: TestDatabase): Promise<BackUp> {
  const name = new URL(db.url).pathname.slice(1);
  const copy = `${name}_back_up`;
  await onServer(async (server) => {
    await withoutConnections(server, name, () => copyDatabase(name, copy));
  });
  return {
    restore: () =>
      onServer(async (server) => {
        await server`drop database ${server(name)} with (force)`;
        await copyDatabase(copy, name);
      }),
    discard: () =>
      onServer(async (server) => {
        await server`drop database if exists ${server(copy)} with (force)`;
      }),
  };
}

async function withoutConnections(server: postgres.Sql, name: string, work: () => PromiseLike<unknown>): Promise<void> {
  await server`alter database ${server(name)} allow_connections false`;
  try {
    await server`select pg_terminate_backend(pid, 5000) from pg_stat_activity where datname = ${name}`;
    await work();
  } finally {
    await server`alter database ${server(name)} allow_connections true`;
  }
}
