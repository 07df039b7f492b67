import { execFile } from 'node:child_process';
import { createHash } from 'node:crypto';
import { access, mkdir, readFile, rename, rm } from 'node:fs/promises';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import type { Host } from '../src/processes/config/config.ts';
import type { Say } from './daemon.ts';
import { takeLock } from './process-record.ts';
import { findOnPath, runTool } from './tool.ts';

/** A server that can keep its workflows in PostgreSQL, which the `temporal` CLI cannot. */
export interface BuiltTemporal {
  readonly server: string;
  readonly ui: string;
}

const moduleFolder = fileURLToPath(new URL('../temporal/', import.meta.url));
const serverPackage = 'go.temporal.io/server/cmd/server';
const uiPackage = 'github.com/temporalio/ui-server/v2/cmd/server';
/** Has its own go.mod: a change to it does not rebuild the server. */
const schemaToolFolder = join(moduleFolder, 'schema-tool');
const schemaToolPackage = 'go.temporal.io/server/cmd/tools/sql';

/** From Go 1.21 on, an older toolchain fetches the one that go.mod asks for. */
const leastGoMinor = 21;

const progressEveryMs = 10_000;

/**
 * The pinned server and Web UI, from the user's cache or built into it, with progress. If another process builds the
 * same, waits for that one instead.
 * @throws with the end of Go's output when the build fails; when it is aborted; when Go is needed and missing.
 */
export async function buildTemporal(host: Host, say: Say, signal?: AbortSignal): Promise<BuiltTemporal> {
  const folder = await cacheFolder(host);
  await mkdir(join(host.cacheDir, 'temporal'), { recursive: true });
  const release = await becomeBuilder(folder, say, signal);
  try {
    const built = await findIn(folder);
    return built ?? (await build(folder, await findGo(host), say, signal));
  } finally {
    await release();
  }
}

/**
 * The path of the pinned `temporal-sql-tool`, which creates and updates Temporal's tables in PostgreSQL. Built into the
 * user's cache if it is missing; that takes seconds if the server was built with the same Go.
 * @throws like `buildTemporal`.
 */
export async function buildSchemaTool(host: Host, say: Say, signal?: AbortSignal): Promise<string> {
  const folder = await cacheFolder(host, schemaToolFolder, 'temporal-schema-tool');
  const tool = join(folder, 'temporal-sql-tool');
  await mkdir(folder, { recursive: true });
  const release = await becomeBuilder(folder, say, signal);
  try {
    if (!(await exists(tool))) {
      say('Building the tool that makes Temporal’s tables in PostgreSQL, with Go: once per user and version …');
      const go = await findGo(host);
      await compile(go, `${tool}.unfinished`, schemaToolPackage, signal, () => {}, schemaToolFolder);
      await rename(`${tool}.unfinished`, tool);
    }
  } finally {
    await release();
  }
  return tool;
}

async function build(folder: string, go: string, say: Say, signal?: AbortSignal): Promise<BuiltTemporal> {
  const startedAt = performance.now();
  const elapsed = () => `${Math.round((performance.now() - startedAt) / 1000)} s`;
  say('Building a Temporal server for PostgreSQL, with Go: once per user and version, about 8 minutes on two cores');
  say('  fetching the sources that temporal/go.mod pins …');
  const total = await countPackages(go, signal);
  say(`  sources are there (${elapsed()}); compiling at most ${total} packages …`);
  const unfinished = `${folder}.unfinished`;
  await rm(unfinished, { recursive: true, force: true });
  await mkdir(unfinished, { recursive: true });

  let compiled = 0;
  const progress = setInterval(
    () => say(`  compiled ${compiled} of at most ${total} packages (${elapsed()})`),
    progressEveryMs,
  );
  try {
    for (const [file, goPackage] of [
      ['temporal-server', serverPackage],
      ['temporal-ui', uiPackage],
    ] as const) {
      await compile(go, join(unfinished, file), goPackage, signal, () => {
        compiled += 1;
      });
    }
  } finally {
    clearInterval(progress);
  }
  // A folder under its final name is complete, whenever this process is killed.
  await rename(unfinished, folder);
  say(`  built in ${elapsed()}, kept in ${folder}`);
  return pathsIn(folder);
}

async function compile(
  go: string,
  output: string,
  goPackage: string,
  signal: AbortSignal | undefined,
  onPackage: () => void,
  module = moduleFolder,
): Promise<void> {
  const args = ['build', '-v', '-mod=readonly', '-trimpath', '-buildvcs=false', '-ldflags=-s -w', '-o', output];
  const messages: string[] = [];
  const onLine = (line: string) => {
    // -v prints each package as it is compiled, by its import path alone; any other line is a message.
    if (/^[\w.~/-]+$/.test(line)) {
      onPackage();
    } else {
      messages.push(line);
    }
  };
  const outcome = await runTool(go, [...args, goPackage], { cwd: module, signal, onLine });
  if (outcome !== 'exit code 0') {
    throw new Error(`Go could not build ${goPackage} (${outcome}):\n${messages.slice(-20).join('\n')}`);
  }
}

async function countPackages(go: string, signal: AbortSignal | undefined): Promise<number> {
  const args = ['list', '-mod=readonly', '-deps', '-f', 'package {{.ImportPath}}', serverPackage, uiPackage];
  const lines: string[] = [];
  const onLine = (line: string) => lines.push(line);
  const outcome = await runTool(go, args, { cwd: moduleFolder, signal, onLine });
  if (outcome !== 'exit code 0') {
    const end = lines.filter((line) => !/^package /.test(line)).slice(-20);
    throw new Error(
      'Go could not fetch the sources of the Temporal server. It needs a module proxy (see "go env GOPROXY").\n' +
        `${outcome}:\n${end.join('\n')}`,
    );
  }
  return lines.filter((line) => line.startsWith('package ')).length;
}

async function findGo(host: Host): Promise<string> {
  const go = await findOnPath('go', host.searchPath);
  if (go === null) {
    throw new Error(
      'A Temporal server for PostgreSQL is built with Go, which was not found on PATH. Install Go 1.21 or later ' +
        '(https://go.dev/dl) and start again, or unset TEMPORAL_STORE: the server for SQLite is fetched ready.',
    );
  }
  const { stdout } = await promisify(execFile)(go, ['version']);
  const [, major, minor] = /go(\d+)\.(\d+)/.exec(stdout) ?? [];
  if (Number(major) === 1 && Number(minor) < leastGoMinor) {
    throw new Error(
      `${go} is too old (${stdout.trim()}). Install Go 1.${leastGoMinor} or later (https://go.dev/dl) and start again.`,
    );
  }
  return go;
}

/** The cache's key covers all inputs of the build: version, checksum of the pinned modules, platform. */
async function cacheFolder(host: Host, module = moduleFolder, name = 'temporal'): Promise<string> {
  const [mod = '', sums = ''] = await Promise.all(
    ['go.mod', 'go.sum'].map((file) => readFile(join(module, file), 'utf8')),
  );
  const version = /go\.temporal\.io\/server v([\w.+-]+)/.exec(mod)?.[1];
  if (version === undefined) {
    throw new Error(`${join(module, 'go.mod')} does not pin go.temporal.io/server`);
  }
  const checksum = createHash('sha256').update(mod).update(sums).digest('hex').slice(0, 12);
  return join(host.cacheDir, name, `${version}-${checksum}-${process.platform}-${process.arch}`);
}

async function findIn(folder: string): Promise<BuiltTemporal | null> {
  const paths = pathsIn(folder);
  return (await exists(paths.server)) && (await exists(paths.ui)) ? paths : null;
}

async function exists(file: string): Promise<boolean> {
  return access(file).then(
    () => true,
    () => false,
  );
}

function pathsIn(folder: string): BuiltTemporal {
  return { server: join(folder, 'temporal-server'), ui: join(folder, 'temporal-ui') };
}

/** Waits until no other process builds into this folder, and takes the lock. Returns the function that releases it. */
async function becomeBuilder(folder: string, say: Say, signal?: AbortSignal): Promise<() => Promise<void>> {
  for (let isReported = false; ; isReported = true) {
    const lock = await takeLock(`${folder}.lock`);
    if (lock.taken) {
      return lock.release;
    }
    if (!isReported) {
      say(`Another process (${lock.holder}) is building the Temporal server; waiting for it`);
    }
    await sleep(500, undefined, { signal });
  }
}
