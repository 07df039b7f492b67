import assert from 'node:assert/strict';
import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { findFreePorts } from '../../dev/ports.ts';
import { eventually } from '../../lab/eventually.ts';
import { childEnvironment } from '../../src/processes/config/config.ts';

const START = fileURLToPath(new URL('../../dev/start.ts', import.meta.url));
const SERVERS = ['postgres', 'temporal', 'worker', 'api'] as const;

/** What a process is called in its record and in the name of its log. */
export type ServerName = (typeof SERVERS)[number];

/** Ports, and whatever else of the environment is to be set. */
export type Ports = {
  PORT: string;
  PAGES_PORT: string;
  TEMPORAL_PORT: string;
  TEMPORAL_UI_PORT: string;
  [name: string]: string;
};

/** Of a copy that runs beside others. */
export async function freePorts(): Promise<Ports> {
  const [api, pages, temporal, ui] = await findFreePorts(4);
  return {
    PORT: String(api),
    PAGES_PORT: String(pages),
    TEMPORAL_PORT: String(temporal),
    TEMPORAL_UI_PORT: String(ui),
  };
}

/** One `npm start`, as the process that npm would start; in a group of its own, as a terminal gives it. */
export class Start {
  output = '';
  readonly child: ChildProcess;
  readonly dataDir: string;
  readonly ports: Ports;
  readonly ended: Promise<number | null>;

  constructor(
    dataDir: string,
    ports: Ports,
    { program = START, args = [] }: { program?: string; args?: string[] } = {},
  ) {
    this.dataDir = dataDir;
    this.ports = ports;
    const none = { DATABASE_URL: '', TEMPORAL_ADDRESS: '', TEMPORAL_NAMESPACE: '', ENCRYPTION_KEYS: '' };
    this.child = spawn(process.execPath, [program, ...args], {
      env: childEnvironment({ ...none, DATA_DIR: dataDir, ...ports }),
      detached: true,
      stdio: ['ignore', 'pipe', 'pipe'],
    });
    this.child.stdout?.on('data', (chunk) => {
      this.output += chunk;
    });
    this.child.stderr?.on('data', (chunk) => {
      this.output += chunk;
    });
    this.ended = once(this.child, 'close').then(([code]) => code);
  }

  /** Resolves with what development.json says once the line `ready` is printed. */
  async ready(): Promise<Record<string, unknown>> {
    await eventually(`ready in:\n${this.output}`, () => /^ready/m.test(this.output) || this.child.exitCode !== null, {
      timeoutMs: 60_000,
    });
    assert.match(this.output, /^ready/m);
    return JSON.parse(await readFile(join(this.dataDir, 'development.json'), 'utf8'));
  }

  async pids(): Promise<Record<ServerName, number>> {
    const read = async (name: string): Promise<number> =>
      JSON.parse(await readFile(join(this.dataDir, 'run', `${name}.json`), 'utf8')).pid;
    const [postgres, temporal, worker, api] = await Promise.all(SERVERS.map(read));
    return {
      postgres: postgres ?? 0,
      temporal: temporal ?? 0,
      worker: worker ?? 0,
      api: api ?? 0,
    };
  }
}
