import { access, readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { madeBeforeFirstVersion } from '../src/db/migrate.ts';
import type { Say } from './daemon.ts';

/** The server's one SQLite file. */
const databaseName = 'workflows.db';

/** What versions before 1.0.0 called it. */
const namesBeforeFirstVersion = ['temporal.db', 'temporal-cli.db'];

/**
 * The path of the server's database in its folder.
 * @throws if the folder has the files of a version before 1.0.0. Nothing is touched.
 */
export async function findDatabase(folder: string): Promise<string> {
  for (const name of namesBeforeFirstVersion) {
    if (await exists(join(folder, name))) throw new Error(`${join(folder, name)}: ${madeBeforeFirstVersion}`);
  }
  return join(folder, databaseName);
}

/**
 * Notes where the workflows of this folder are kept. Says so if that has changed: the other server's workflows are not
 * there.
 */
export async function noteStore(folder: string, store: 'sqlite' | 'postgres', say: Say): Promise<void> {
  const note = join(folder, 'store');
  const noted = (await readFile(note, 'utf8').catch(() => '')).trim();
  const former = noted || ((await exists(join(folder, databaseName))) ? 'sqlite' : store);
  if (former !== store) {
    say(
      `Temporal kept its workflows in ${nameOf(former)} at the last start, and has them in ${nameOf(store)} now: this ` +
        'server does not know those. The reconciler starts what is missing from the payments’ own database. To go back, ' +
        `${former === 'postgres' ? 'set TEMPORAL_STORE=postgres' : 'unset TEMPORAL_STORE'}.`,
    );
  }
  if (noted !== store) await writeFile(note, `${store}\n`);
}

const nameOf = (store: string) => (store === 'postgres' ? 'PostgreSQL' : 'SQLite');

async function exists(file: string): Promise<boolean> {
  return access(file).then(
    () => true,
    () => false,
  );
}
