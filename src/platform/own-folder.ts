import { lstatSync, mkdirSync, readdirSync, type Stats, statSync } from 'node:fs';
import { dirname, join } from 'node:path';

/** A folder or file that another user has made or can write. Its keys, addresses and processes could be planted. */
export class NotOurs extends Error {}

/** The folders of a data folder in which files are looked up by their names. */
const innerFolders = ['run', 'logs', 'temporal'];

/**
 * Makes the data folder, for this user alone, if it is not there; and makes sure that no other user can write it, or
 * has put anything there. All files by their names are then safe from links and plants, as PostgreSQL and ssh demand
 * it.
 * @param accounts users beside this one whose entries are accepted, by their ids: the one as which PostgreSQL runs.
 * @throws NotOurs, with what to do.
 */
export function claimFolder(folder: string, accounts: readonly number[] = []): void {
  mkdirSync(folder, { recursive: true, mode: 0o700 });
  const own = process.getuid?.();
  if (own === undefined) return;
  assertFolder(folder, own);
  const folders = [folder, ...innerFolders.map((name) => join(folder, name))];
  for (const entry of folders.flatMap(entriesOf)) {
    const stats = lstatSync(entry);
    if (stats.uid !== own && !accounts.includes(stats.uid)) throw new NotOurs(foreign(entry, stats.uid));
    if (folders.includes(entry)) assertFolder(entry, own);
  }
}

/**
 * Makes sure that a file, if it is there, can be trusted: it and its folder are of this user, and no other can write
 * them.
 * @throws NotOurs, with what to do.
 */
export function assertOwnFile(file: string): void {
  const own = process.getuid?.();
  const stats = lstatSync(file, { throwIfNoEntry: false });
  if (own === undefined || stats === undefined) return;
  assertFolder(dirname(file), own);
  assertOwn(file, stats, own);
}

function assertFolder(folder: string, own: number): void {
  assertOwn(folder, statSync(folder), own);
}

function assertOwn(path: string, { uid, mode }: Stats, own: number): void {
  if (uid !== own) throw new NotOurs(foreign(path, uid));
  if ((mode & 0o022) === 0) return;
  throw new NotOurs(
    `${path} can be written by other users (mode ${(mode & 0o777).toString(8)}), so what is in it is not used. Take the ` +
      `right away (chmod go-w), and make sure that all in it is yours; or use another folder (DATA_DIR, --data).`,
  );
}

function foreign(path: string, uid: number): string {
  return (
    `${path} belongs to another user (uid ${uid}), so it is not used. Use a folder of your own (DATA_DIR, --data), or ` +
    'run this as that user.'
  );
}

/** The paths of what is in a folder; none if there is no such folder. */
function entriesOf(folder: string): string[] {
  try {
    return readdirSync(folder).map((name) => join(folder, name));
  } catch (error) {
    if (error instanceof Error && 'code' in error && (error.code === 'ENOENT' || error.code === 'ENOTDIR')) return [];
    throw error;
  }
}
