import { execFile } from 'node:child_process';
import { readFile, rename, rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { type Id, namedId } from '../src/domain/ids.ts';
import { claimFolder, NotOurs } from '../src/platform/own-folder.ts';
import { StartError } from './stack.ts';

/** The keys of the demo biller, as `development.json` shows them. */
interface DemoKeys {
  sandbox_secret: string;
  sandbox_publishable: string;
  live_secret: string;
  live_publishable: string;
}

export interface DemoBiller {
  billerId: Id<'biller'>;
  keys: DemoKeys;
}

/** What a developer, a script or a test needs to use the running service. */
export interface Development {
  base_url: string;
  /** Where payers reach the pages. */
  pages_url: string;
  temporal_ui_url: string | null;
  temporal_address: string;
  temporal_namespace: string;
  /** The sandbox's own Temporal. Null if it has none; the address is also null if it is on the same server. */
  sandbox_temporal_address: string | null;
  sandbox_temporal_namespace: string | null;
  database_url: string;
  biller_id: Id<'biller'>;
  keys: DemoKeys;
  /** Where tests get accounts of their own (`dev/accounts.ts`), and the token for it. */
  accounts_url: string;
  accounts_token: string;
}

const keyNames = ['sandbox_secret', 'sandbox_publishable', 'live_secret', 'live_publishable'] as const;

/**
 * Makes sure that the data folder is this user's alone, see `claimFolder`; under root, what PostgreSQL has is its own
 * user's. Before this, nothing in the folder is read, written or believed.
 * @throws StartError with what to do.
 */
export async function claimOwnFolder(dataDir: string): Promise<void> {
  try {
    claimFolder(dataDir, process.getuid?.() === 0 ? await postgresUids() : []);
  } catch (cause) {
    throw cause instanceof NotOurs
      ? new StartError(`${cause.message} Nothing was started.`, { cause })
      : cannotWrite(dataDir, cause);
  }
}

/** The error of a data folder in which nothing can be written. */
export function cannotWrite(dataDir: string, cause: unknown): StartError {
  const reason = cause instanceof Error ? cause.message : String(cause);
  return new StartError(
    `${dataDir} cannot be written (${reason}). Make it writable for this user, with space on its disk, or set DATA_DIR ` +
      'to another folder. Nothing was started.',
    { cause },
  );
}

/** The user that PostgreSQL runs as under root; none if there is no such user yet. */
async function postgresUids(): Promise<number[]> {
  try {
    return [Number((await promisify(execFile)('id', ['-u', 'postgres'])).stdout)];
  } catch {
    return [];
  }
}

/** The path of `development.json`. */
export function developmentFile(dataDir: string): string {
  return join(dataDir, 'development.json');
}

/** The file that keeps the demo biller and its keys while no service runs. */
function demoBillerFile(dataDir: string): string {
  return join(dataDir, 'demo-biller.json');
}

/**
 * Removes `development.json`, which names the ports of a service: none runs from this folder now. The demo biller's
 * keys are kept.
 */
export async function removeDevelopment(dataDir: string): Promise<void> {
  await rm(developmentFile(dataDir), { force: true });
}

/** The demo biller and its keys from an earlier start, or null. The database holds only hashes of keys. */
export async function readDemoBiller(dataDir: string): Promise<DemoBiller | null> {
  return readDemoBillerIn(demoBillerFile(dataDir));
}

/** Keeps the demo biller and its keys for the next start, readable by their owner only. */
export async function writeDemoBiller(dataDir: string, { billerId, keys }: DemoBiller): Promise<void> {
  await writePrivately(demoBillerFile(dataDir), `${JSON.stringify({ biller_id: billerId, keys }, null, 2)}\n`);
}

async function readDemoBillerIn(file: string): Promise<DemoBiller | null> {
  const text = await readFile(file, 'utf8').catch(() => null);
  const existing = text === null ? null : parseJson(text);
  if (!isRecord(existing) || typeof existing.biller_id !== 'string' || !isRecord(existing.keys)) {
    return null;
  }
  const keys: Record<string, unknown> = existing.keys;
  const textOf = (name: (typeof keyNames)[number]) => (typeof keys[name] === 'string' ? keys[name] : '');
  const demo: DemoKeys = {
    sandbox_secret: textOf('sandbox_secret'),
    sandbox_publishable: textOf('sandbox_publishable'),
    live_secret: textOf('live_secret'),
    live_publishable: textOf('live_publishable'),
  };
  return keyNames.every((name) => demo[name] !== '')
    ? { billerId: namedId('biller', existing.biller_id), keys: demo }
    : null;
}

/**
 * Writes `development.json`, readable by its owner only. The write is atomic: a reader sees either the old or the new
 * file.
 */
export async function writeDevelopment(dataDir: string, development: Development): Promise<void> {
  await writePrivately(developmentFile(dataDir), `${JSON.stringify(development, null, 2)}\n`);
}

async function writePrivately(file: string, text: string): Promise<void> {
  const unfinished = `${file}.unfinished`;
  await writeFile(unfinished, text, { mode: 0o600 });
  await rename(unfinished, file);
}

function parseJson(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return null;
  }
}

function isRecord(value: unknown): value is Record<string, unknown> {
  return typeof value === 'object' && value !== null;
}
