import { spawn } from 'node:child_process';
import { randomBytes } from 'node:crypto';
import { once } from 'node:events';
import { access, chown, mkdir, readFile, rename, rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import postgres from 'postgres';
import { type Daemon, recordFile, type Say, startDaemon, stopLeftover } from './daemon.ts';
import { releaseLockFile, retryWhileInUse } from './former-postgres.ts';
import { withLogEnd } from './last-words.ts';
import { findFreePorts } from './ports.ts';
import { type PostgresProgram, preparePostgresProgram } from './postgres-program.ts';
import { readRecord } from './process-record.ts';

const databaseName = 'payments';
const superuser = 'postgres';

/** After a crash, recovery reads the write-ahead log first, which takes a while on a slow disk. */
const startTimeoutMs = 60_000;
const stopTimeoutMs = 30_000;

/** The same order and case rules on every machine, whatever locales it has. */
const clusterFlags = [
  '--encoding=UTF8',
  '--locale=C',
  '--locale-provider=builtin',
  '--builtin-locale=C.UTF-8',
  '--auth=scram-sha-256',
  `--username=${superuser}`,
];

/** What differs from PostgreSQL's own defaults. Durability is as in production: fsync and full commits stay on. */
const settings = {
  listen_addresses: '127.0.0.1',
  unix_socket_directories: '', // the only way in is with the password
  max_connections: '200', // API, worker, dispatcher and tests side by side
  shared_buffers: '256MB',
  max_wal_size: '2GB', // fewer checkpoints under load
  wal_compression: 'on',
  password_encryption: 'scram-sha-256',
  timezone: 'UTC',
  log_timezone: 'UTC',
  log_min_duration_statement: '500ms',
  log_lock_waits: 'on',
  // Otherwise the log would quote the row that breaks a constraint, and the parameters of a slow statement.
  log_error_verbosity: 'terse',
  log_parameter_max_length: '0',
  log_parameter_max_length_on_error: '0',
  idle_in_transaction_session_timeout: '60s', // a client that hangs must not keep its locks for ever
};

export interface PostgresOptions {
  /** Absolute. The cluster is in its folder `postgres`. */
  dataDir: string;
  /** A free one by default. */
  port?: number;
  log: Say;
  /** Cancels the start. To end the running server, use `stop`. */
  signal?: AbortSignal;
}

export interface RunningPostgres {
  /** The URL of the database `payments`, with the superuser and its password. */
  readonly url: string;
  readonly port: number;
  readonly pid: number;
  readonly daemon: Daemon;
  /** Ends it in order ("fast": open connections are cut, everything committed is existing). */
  stop(): Promise<void>;
}

/**
 * Starts the embedded PostgreSQL on loopback, and creates the cluster and the database `payments` if they do not exist.
 * First ends what an earlier run left behind.
 * @throws with the last lines of the log, when the server does not come up; when `signal` aborts. Then no server is
 * left.
 */
export async function startPostgres({ dataDir, port, log, signal }: PostgresOptions): Promise<RunningPostgres> {
  await mkdir(dataDir, { recursive: true });
  const former = await readRecord(recordFile(dataDir, 'postgres'));
  await stopLeftover(dataDir, 'postgres', 'SIGINT', stopTimeoutMs, log);
  const home = join(dataDir, 'postgres');
  const program = await preparePostgresProgram(home);
  try {
    const password = await readOrMakePassword(home, program);
    await makeCluster(home, program, log);
    await releaseLockFile(join(home, 'cluster'), former?.pid ?? null, log, signal);
    const chosenPort = port ?? (await findFreePorts(1))[0] ?? 0;
    const start = () =>
      startDaemon({
        name: 'postgres',
        dataDir,
        command: program.postgres,
        args: [
          '-D',
          join(program.home, 'cluster'),
          '-p',
          String(chosenPort),
          ...Object.entries(settings).flatMap(([name, value]) => ['-c', `${name}=${value}`]),
        ],
        env: postgresEnvironment(),
        ...(program.user ?? {}),
        stopSignal: 'SIGINT',
        stopTimeoutMs,
        inheritedFd: program.homeFd,
      });
    const urlOf = (database: string) =>
      `postgres://${superuser}:${password}@127.0.0.1:${chosenPort}/${encodeURIComponent(database)}`;
    const startAndWait = async () => {
      const started = await start();
      try {
        await waitAndMakeDatabase(urlOf('postgres'), started, join(home, 'password'), signal);
        return started;
      } catch (error) {
        await started.stop();
        throw error;
      }
    };
    const daemon = await retryWhileInUse(startAndWait, log, signal);
    return { url: urlOf(databaseName), port: chosenPort, pid: daemon.pid, daemon, stop: () => daemon.stop() };
  } finally {
    await program.close();
  }
}

async function readOrMakePassword(home: string, program: PostgresProgram): Promise<string> {
  const file = join(home, 'password');
  const existing = await readFile(file, 'utf8').catch(() => null);
  if (existing !== null) {
    return existing.trim();
  }
  const password = randomBytes(24).toString('base64url');
  await writeFile(file, `${password}\n`, { mode: 0o600 });
  if (program.user !== null) {
    await chown(file, program.user.uid, program.user.gid); // initdb reads it as that user
  }
  return password;
}

/** Made under another name and then renamed, so that an interrupted initdb leaves nothing that looks like a cluster. */
async function makeCluster(home: string, program: PostgresProgram, log: Say): Promise<void> {
  const cluster = join(home, 'cluster');
  if (await exists(join(cluster, 'PG_VERSION'))) {
    return;
  }
  log('Making the PostgreSQL cluster');
  const unfinished = join(home, 'cluster.unfinished');
  await rm(unfinished, { recursive: true, force: true });
  const args = [
    '-D',
    join(program.home, 'cluster.unfinished'),
    `--pwfile=${join(program.home, 'password')}`,
    ...clusterFlags,
  ];
  await runInitdb(program, args);
  await rename(unfinished, cluster);
}

async function runInitdb(program: PostgresProgram, args: string[]): Promise<void> {
  const child = spawn(program.initdb, args, {
    env: postgresEnvironment(),
    ...(program.user ?? {}),
    stdio: ['ignore', 'ignore', 'pipe', program.homeFd ?? 'ignore'],
  });
  const output: Buffer[] = [];
  child.stderr?.on('data', (chunk: Buffer) => output.push(chunk));
  const [code] = await once(child, 'close'); // rejects where the program cannot be run
  if (code !== 0) {
    throw new Error(`PostgreSQL's initdb failed:\n${Buffer.concat(output).toString().trim()}`);
  }
}

/** This process's PG… and locale variables must not reach the server. */
function postgresEnvironment(): NodeJS.ProcessEnv {
  return { LC_ALL: 'C', PATH: '/usr/bin:/bin', TZ: 'UTC' };
}

async function waitAndMakeDatabase(
  url: string,
  daemon: Daemon,
  passwordFile: string,
  signal?: AbortSignal,
): Promise<void> {
  let ended: string | null = null;
  void daemon.exited.then((how) => {
    ended = how;
  });
  const giveUpAt = performance.now() + startTimeoutMs;
  for (;;) {
    const sql = postgres(url, { max: 1, connect_timeout: 5, onnotice: () => {} });
    try {
      const [found] = await sql`select from pg_database where datname = ${databaseName}`;
      if (found === undefined) {
        await sql`create database ${sql(databaseName)}`;
      }
      return;
    } catch (cause) {
      if (codeOf(cause) === wrongPassword) {
        throw new Error(
          `${passwordFile} has another password than this PostgreSQL was made with. Restore the file from a back-up. ` +
            'Nothing was changed.',
          { cause },
        );
      }
      if (ended !== null || performance.now() > giveUpAt || !isStillStarting(cause)) {
        throw new Error(await withLogEnd(`PostgreSQL did not come up (${ended ?? 'still running'}).`, daemon, ended), {
          cause,
        });
      }
    } finally {
      await sql.end({ timeout: 1 });
    }
    await sleep(25, undefined, { signal });
  }
}

/** SQLSTATE `invalid_password`. */
const wrongPassword = '28P01';

function codeOf(error: unknown): string {
  return error instanceof Error && 'code' in error ? String(error.code) : '';
}

function isStillStarting(error: unknown): boolean {
  // 57P03: "the database system is starting up"
  return ['ECONNREFUSED', 'ECONNRESET', 'CONNECTION_CLOSED', 'CONNECT_TIMEOUT', '57P03'].includes(codeOf(error));
}

async function exists(file: string): Promise<boolean> {
  return access(file).then(
    () => true,
    () => false,
  );
}
