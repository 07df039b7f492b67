import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { dirname, join, resolve } from 'node:path';
import { readDevelopment, startService } from '../lab/service.ts';
import { openPool, type Pool } from '../src/platform/postgres/connection.ts';
import { realNow } from '../src/platform/real-time.ts';
import { printError } from '../src/platform/terminal.ts';
import { createKey } from '../src/services/accounts/api-keys.ts';
import { createBiller } from '../src/services/accounts/billers.ts';

/** The service that is fuzzed. */
export interface Target {
  readonly baseUrl: string;
  /** A pool on its database. */
  readonly sql: Pool;
  /** Where its processes write their logs. */
  readonly logs: string;
  /** Ends what was started for the fuzzing alone; its data stay if something was found. */
  end(outcome: 'clean' | 'found something'): Promise<void>;
}

/** A biller made for the fuzzing, with a key of each sort. */
export interface Tenant {
  readonly billerId: string;
  readonly sandboxSecret: string;
  readonly sandboxPublishable: string;
  /** Has the scope customers:read alone. */
  readonly sandboxRestricted: string;
  readonly liveSecret: string;
}

/** The running service whose `development.json` this is, or one of its own. */
export async function findTarget(keys: string | null): Promise<Target> {
  if (keys !== null) return connect(dirname(resolve(keys)), async () => {});
  const folder = await mkdtemp(join(tmpdir(), 'payments-fuzz-'));
  const copy = await startService(folder);
  return connect(folder, async (outcome) => {
    await copy.stop();
    if (outcome === 'clean') await rm(folder, { recursive: true, force: true });
    else printError(`The service's data and logs are kept in ${folder}.`);
  });
}

async function connect(dataDir: string, stop: Target['end']): Promise<Target> {
  const { baseUrl, databaseUrl } = await readDevelopment(join(dataDir, 'development.json'));
  const sql = openPool(databaseUrl, { max: 2, name: 'fuzz' });
  return {
    baseUrl,
    sql,
    logs: join(dataDir, 'logs'),
    async end(outcome) {
      await sql.end({ timeout: 5 });
      await stop(outcome);
    },
  };
}

/** Makes a biller for this run alone. */
export async function makeTenant({ sql }: Target, name: string): Promise<Tenant> {
  const by = { by: { kind: 'command_line', id: 'fuzz' } as const, now: realNow() };
  const { id: billerId } = await createBiller(sql, { name, ...by });
  const key = async (livemode: boolean, kind: 'secret' | 'publishable', scopes?: string[]) =>
    (await createKey(sql, { billerId, livemode, kind, scopes, ...by })).key;
  return {
    billerId,
    sandboxSecret: await key(false, 'secret'),
    sandboxPublishable: await key(false, 'publishable'),
    sandboxRestricted: await key(false, 'secret', ['customers:read']),
    liveSecret: await key(true, 'secret'),
  };
}
