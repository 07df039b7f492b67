import { spawn } from 'node:child_process';
import { fileURLToPath } from 'node:url';
import { childEnvironment } from '../src/processes/config/config.ts';

/** The result of a program: a code of null means that it could not be started, or was ended by a signal. */
export interface Ran {
  code: number | null;
  stdout: string;
  stderr: string;
}

export interface RunOptions {
  cwd?: string;
  /** The whole environment; our own if not given. */
  env?: NodeJS.ProcessEnv;
  timeoutMs?: number;
  /** Ends it. */
  signal?: AbortSignal;
}

/** The folder of this repository. */
export const root = fileURLToPath(new URL('../', import.meta.url));

/** Runs a program to its end, whatever that is. */
export function runProgram(program: string, args: readonly string[], options: RunOptions = {}): Promise<Ran> {
  const { cwd, env, timeoutMs, signal } = options;
  const child = spawn(program, args, { cwd, env, timeout: timeoutMs, stdio: ['ignore', 'pipe', 'pipe'] });
  const end = () => child.kill();
  if (signal?.aborted) end();
  signal?.addEventListener('abort', end);
  const ran: Ran = { code: null, stdout: '', stderr: '' };
  for (const name of ['stdout', 'stderr'] as const) {
    child[name].setEncoding('utf8').on('data', (text: string) => {
      ran[name] += text;
    });
  }
  return new Promise((resolve) => {
    child.once('error', (error) => resolve({ ...ran, stderr: error.message }));
    child.once('close', (code) => resolve({ ...ran, code }));
  });
}

/**
 * Runs a TypeScript program of this repository, such as `src/processes/cli/main.ts`, with these variables on top of
 * ours. After `timeoutMs` it is ended.
 */
export function runScript(
  file: string,
  args: readonly string[] = [],
  env: Record<string, string> = {},
  timeoutMs?: number,
): Promise<Ran> {
  const environment = childEnvironment({ NODE_OPTIONS: '', ...env });
  const options = { cwd: root, env: environment, ...(timeoutMs === undefined ? {} : { timeoutMs }) };
  return runProgram(process.execPath, ['--conditions=payments-source', file, ...args], options);
}
