import { type ChildProcessByStdio, spawn } from 'node:child_process';
import { once } from 'node:events';
import { copyFile, mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import type { Readable, Writable } from 'node:stream';
import { after, before } from 'mocha';
import { root, runProgram } from '../../../lab/run-program.ts';
import { builtGo } from '../../support/samples.ts';

/** A call of a client in another language. Names are those of Python; times are in seconds. */
export interface Call {
  resource: string;
  method: string;
  arguments?: unknown[];
  query?: Record<string, unknown>;
  options?: Record<string, unknown>;
  client?: Record<string, unknown>;
  /** Reads a list item by item, at most `limit` of them. */
  iterate?: true;
  limit?: number;
}

export interface Outcome {
  // biome-ignore lint/suspicious/noExplicitAny: the tests compare what comes back
  result?: any;
  /** The error, with its name in its language and its members. */
  // biome-ignore lint/suspicious/noExplicitAny: see above
  error?: any;
}

/** A command that starts a driver: a program in another language that calls its client as the tests ask. */
export interface Driver {
  /** Makes what it needs in this folder. */
  command: (folder: string) => Promise<string[]>;
  env: Record<string, string>;
}

export const pythonDriver: Driver = {
  command: async () => ['python3', join(root, 'test/client/languages/driver.py')],
  env: { PYTHONPATH: join(root, 'clients/python/src'), PYTHONDONTWRITEBYTECODE: '1' },
};

/** As `pythonDriver`, with the command line `payments` of this repository on its path. */
export const pythonSandboxDriver: Driver = {
  async command(folder) {
    const program = `exec '${process.execPath}' --conditions=payments-source '${join(root, 'clients/typescript/src/cli/main.ts')}' "$@"`;
    await writeFile(join(folder, 'payments'), `#!/bin/sh\n${program}\n`, { mode: 0o755 });
    return ['env', '-C', folder, `PATH=${folder}:${process.env.PATH}`, ...(await pythonDriver.command(folder))];
  },
  env: pythonDriver.env,
};

export const goDriver: Driver = {
  async command(folder) {
    await copyFile(join(root, 'test/client/languages/driver.go'), join(folder, 'driver.go'));
    return builtGo(folder, 'driver.go', 'the driver');
  },
  env: {},
};

/** Starts a driver for the tests of the calling `describe`, with a client for this address and key. */
export function useDriver({ command, env }: Driver, target: () => { url: string; key: string }) {
  let folder = '';
  let child: ChildProcessByStdio<Writable, Readable, null> | undefined;
  const waiting: ((line: string) => void)[] = [];

  before('start the client', async function () {
    this.timeout(300_000);
    folder = await mkdtemp(join(tmpdir(), 'driver-'));
    const [program = '', ...args] = await command(folder);
    child = spawn(program, args, {
      env: { PATH: process.env.PATH, HOME: process.env.HOME, ...env },
      stdio: ['pipe', 'pipe', 'inherit'],
    });
    createInterface(child.stdout).on('line', (line) => waiting.shift()?.(line));
    child.once('close', (code) => {
      for (const tell of waiting.splice(0)) tell(JSON.stringify({ error: { name: `the driver ended with ${code}` } }));
    });
  });
  after('end the client', async () => {
    if (child?.exitCode === null) {
      const ended = once(child, 'close');
      child.stdin.end();
      await ended;
    }
    await rm(folder, { recursive: true });
  });

  /** Makes a call. Calls are made one after the other. */
  async function attempt(call: Call): Promise<Outcome> {
    if (child === undefined || child.exitCode !== null) throw new Error('the driver has ended');
    const answered = new Promise<string>((resolve) => waiting.push(resolve));
    const { url, key } = target();
    const given = { base_url: url, api_key: key, ...call.client };
    child.stdin.write(`${JSON.stringify({ ...call, client: given })}\n`);
    return JSON.parse(await answered);
  }

  return {
    attempt,
    /** Makes a call that succeeds. */
    // biome-ignore lint/suspicious/noExplicitAny: see above
    async call(call: Call): Promise<any> {
      const { result, error } = await attempt(call);
      if (error !== undefined) throw new Error(`${call.resource}.${call.method} failed: ${JSON.stringify(error)}`);
      return result;
    },
  };
}

/** Returns why the client in Python cannot run on this machine; null if it can. */
export async function whyNoPython(): Promise<string | null> {
  const { code } = await runProgram('python3', ['-c', 'import sys; sys.exit(sys.version_info < (3, 11))']);
  return code === 0 ? null : 'Python 3.11 is not on this machine';
}
