import assert from 'node:assert/strict';
import { type ChildProcessByStdio, spawn } from 'node:child_process';
import { once } from 'node:events';
import type { Readable } from 'node:stream';
import { eventually } from '../../lab/eventually.ts';
import { familyOf } from '../../lab/process-table.ts';
import type { Stranger } from './stranger.ts';

/** What the sandbox prints for scripts. */
export interface Printed {
  base_url: string;
  pages_url: string;
  temporal_ui_url: string;
  accounts_url: string;
  accounts_token: string;
  database_url: string;
  data_dir: string;
  keys: { sandbox_secret: string };
}

/** What projects have in their environment for themselves. None of it is meant for the sandbox. */
const ofTheProject = {
  PORT: '99x',
  DATABASE_URL: 'postgres://nobody@127.0.0.1:1/shop',
  TEMPORAL_ADDRESS: '127.0.0.1:1',
  LOG_LEVEL: 'verbose',
  HOST: '0.0.0.0',
  ENCRYPTION_KEYS: 'none',
};

/** One `payments-sandbox` of a stranger. */
export class StartedSandbox {
  stdout = '';
  stderr = '';
  readonly child: ChildProcessByStdio<null, Readable, Readable>;
  readonly ended: Promise<number | null>;

  constructor(stranger: Stranger, args: readonly string[], node = process.execPath) {
    const program = 'node_modules/@payments-service/sandbox/bin/payments-sandbox.js';
    this.child = spawn(node, [program, ...args], {
      cwd: stranger.folder,
      env: { ...stranger.env, ...ofTheProject },
      detached: true,
      stdio: ['ignore', 'pipe', 'pipe'],
    });
    for (const name of ['stdout', 'stderr'] as const) {
      this.child[name].setEncoding('utf8').on('data', (text: string) => {
        this[name] += text;
      });
    }
    this.ended = once(this.child, 'close').then(([code]) => code);
  }

  get pid(): number {
    return this.child.pid ?? assert.fail('it was not started');
  }

  /** What it has printed on stdout, once it is ready. */
  async ready(): Promise<Printed> {
    const isOver = () => /^ready: /m.test(this.stderr) || this.child.exitCode !== null;
    await eventually(() => `ready in:\n${this.stderr}`, isOver, { timeoutMs: 90_000 });
    assert.match(this.stderr, /^ready: /m);
    await eventually('the line of JSON', () => this.stdout.endsWith('\n'));
    return JSON.parse(this.stdout);
  }

  /** Its processes, all that it has started included. */
  family(): Promise<number[]> {
    return familyOf(this.pid);
  }

  async stop(): Promise<number | null> {
    this.child.kill('SIGTERM');
    return this.ended;
  }
}
