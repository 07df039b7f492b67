import { access, readFile, rename, rm, stat, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import type { Say } from './daemon.ts';

/** The server's one SQLite file. */
const databaseName = 'workflows.db';

/** What earlier versions of this service called it: by the server that they built (two files), and by the CLI. */
const formerBuilt = 'temporal.db';
const formerVisibility = 'visibility.db';
const formerCli = 'temporal-cli.db';

/**
 * The path of the server's database in its folder, for a server that does not run. Workflows in the files of an earlier
 * version of this service are copied into it first; the old files stay as they are.
 * @throws with what to do, before anything is touched, when there are files of two servers; when the copy fails.
 */
export async function prepareDatabase(folder: string, say: Say): Promise<string> {
  const database = join(folder, databaseName);
  if (await exists(database)) return database;
  const [built, cli] = await Promise.all([formerBuilt, formerCli].map((name) => exists(join(folder, name))));
  if (built && cli) {
    const [newer] = (await Promise.all([formerBuilt, formerCli].map(lastChange))).sort((a, b) => b.at - a.at);
    throw new Error(
      `${folder} has the workflows of two Temporal servers: in ${formerBuilt} (built with Go) and in ${formerCli} (the ` +
        `temporal CLI). The newer is ${newer?.name}. This version continues with one of them: move the other file elsewhere, ` +
        'and start again. Nothing was touched. Plans that are missing in it are started again from PostgreSQL.',
    );
  }
  if (built) await copyFrom(formerBuilt, formerVisibility);
  if (cli) await copyFrom(formerCli, null);
  return database;

  async function lastChange(name: string): Promise<{ name: string; at: number }> {
    const files = [name, `${name}-wal`].map((file) => stat(join(folder, file)).catch(() => null));
    return { name, at: Math.max(...(await Promise.all(files)).map((found) => found?.mtimeMs ?? 0)) };
  }

  async function copyFrom(former: string, visibility: string | null): Promise<void> {
    const names = visibility === null ? former : `${former} and ${visibility}`;
    say(`The workflows of an earlier version are copied from ${names} to ${database}`);
    const unfinished = `${database}.unfinished`;
    try {
      await rm(unfinished, { force: true });
      await copyDatabase(join(folder, former), visibility === null ? null : join(folder, visibility), unfinished);
      await rename(unfinished, database);
    } catch (cause) {
      await rm(unfinished, { force: true });
      throw new Error(
        `The workflows in ${join(folder, former)} could not be copied: ${cause instanceof Error ? cause.message : cause}. ` +
          'The old files are as they were. If the disk is full, free as much as they take, and start again.',
        { cause },
      );
    }
    say(`  copied. The old files are no longer used. Delete them when you will not return to the earlier version`);
  }
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

/**
 * The server that was built kept lists of workflows in a file of their own; the CLI has both in one. Their tables are
 * the same.
 */
async function copyDatabase(main: string, visibility: string | null, target: string): Promise<void> {
  const { DatabaseSync } = await import('node:sqlite');
  // The server's schema has JSON paths in double quotes.
  const open = (file: string) => new DatabaseSync(file, { enableDoubleQuotedStringLiterals: true });
  const source = open(main);
  try {
    source.prepare('vacuum into ?').run(target); // a consistent copy, with what is still in the write-ahead log
  } finally {
    source.close();
  }
  if (visibility === null) return;
  const copy = open(target);
  try {
    copy.prepare('attach ? as lists').run(visibility);
    // Without the columns that SQLite computes; triggers fill the full-text tables.
    const columns = copy.prepare("select name from pragma_table_info('executions_visibility')").all();
    const names = columns.map(({ name }) => `"${name}"`).join(', ');
    copy.exec(`insert into main.executions_visibility (${names}) select ${names} from lists.executions_visibility`);
  } finally {
    copy.close();
  }
}

async function exists(file: string): Promise<boolean> {
  return access(file).then(
    () => true,
    () => false,
  );
}
