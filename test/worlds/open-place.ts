import { randomBytes } from 'node:crypto';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { startPostgres } from '../../dev/postgres.ts';
import { startService } from '../../lab/service.ts';
import { serve } from '../../src/api/http/server.ts';
import { migrate } from '../../src/db/migrate.ts';
import { openPool, type Pool } from '../../src/platform/postgres/connection.ts';
import { createVault } from '../../src/services/accounts/vault.ts';
import { createWebApp } from '../../src/sites/app.ts';
import { carryOutAdvance } from '../support/advance.ts';
import { testDeps } from '../support/api.ts';
import type { Place } from './place.ts';

export interface OpenPlace {
  place: Place;
  close(): Promise<void>;
}

/** Connections of this program to the database. */
const connections = 30;

/** Starts the whole service in a folder of its own: PostgreSQL, Temporal, API and worker. */
export async function openService(): Promise<OpenPlace> {
  const folder = await mkdtemp(join(tmpdir(), 'payments-worlds-'));
  const key = randomBytes(32);
  const environment = { ENCRYPTION_KEYS: `worlds:${key.toString('base64')}` };
  const service = await startService(folder, { environment });
  const sql = openPool(service.databaseUrl, { max: connections, name: 'worlds' });
  await spareDisk(sql);
  const place = { url: service.baseUrl, sql, vault: createVault([{ id: 'worlds', key }]) };
  const close = async () => {
    await sql.end();
    await service.stop();
    await rm(folder, { recursive: true, force: true });
  };
  return { place, close };
}

/** Starts PostgreSQL in a folder of its own, with the tables of the service. */
export async function openPostgres(): Promise<{ url: string; sql: Pool; stop(): Promise<void> }> {
  const folder = await mkdtemp(join(tmpdir(), 'payments-worlds-'));
  const server = await startPostgres({ dataDir: folder, log: () => {} });
  await migrate(server.url);
  const sql = openPool(server.url, { max: connections, name: 'worlds' });
  await spareDisk(sql);
  const stop = async () => {
    await server.stop();
    await rm(folder, { recursive: true, force: true });
  };
  return { url: server.url, sql, stop };
}

/** Starts PostgreSQL and the API alone. What workflows do is done in this process. */
export async function openQuickly(): Promise<OpenPlace> {
  const { url, sql, stop } = await openPostgres();
  const vault = createVault([{ id: 'worlds', key: randomBytes(32) }]);
  const { deps } = testDeps({ sql, url }, { vault });
  const api = await serve(createWebApp(deps), { port: 0 });
  const place = {
    ...{ url: `http://127.0.0.1:${api.port}`, sql, vault },
    carryOut: (clockId: string) => carryOutAdvance(sql, clockId),
  };
  const close = async () => {
    await api.close();
    await sql.end();
    await stop();
  };
  return { place, close };
}

/** Nothing in here outlives the run. */
async function spareDisk(sql: Pool): Promise<void> {
  await sql`alter system set fsync = off`;
  await sql`alter system set synchronous_commit = off`;
  await sql`select pg_reload_conf()`;
}
