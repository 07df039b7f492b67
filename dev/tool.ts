// Programs that are installed on this machine: how to find them, and how to run them to their end.

import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { access, constants } from 'node:fs/promises';
import { delimiter, join } from 'node:path';
import { createInterface } from 'node:readline';
import { childEnvironment } from '../src/processes/config/config.ts';
import { killGroup } from './daemon.ts';

export interface ToolOptions {
  readonly cwd: string;
  /** Added to the environment of this process. */
  readonly env?: Record<string, string>;
  readonly signal?: AbortSignal | undefined;
  /** Gets each line of the program's output. */
  readonly onLine: (line: string, stream: 'stdout' | 'stderr') => void;
}

/**
 * Runs a program in its own process group, so that an abort also ends what it has started. Returns how it ended, such
 * as `exit code 0`.
 * @throws when the program cannot be run; when `signal` aborts.
 */
export async function runTool(program: string, args: readonly string[], options: ToolOptions): Promise<string> {
  const { cwd, env = {}, signal, onLine } = options;
  signal?.throwIfAborted();
  const child = spawn(program, args, {
    cwd,
    env: childEnvironment(env),
    detached: true,
    stdio: ['ignore', 'pipe', 'pipe'],
  });
  const end = () => child.pid !== undefined && killGroup(child.pid);
  process.once('exit', end);
  signal?.addEventListener('abort', end, { once: true });
  for (const stream of ['stdout', 'stderr'] as const) {
    createInterface({ input: child[stream] }).on('line', (line) => onLine(line, stream));
  }
  try {
    const [code, killedBy] = await once(child, 'close'); // rejects where the program cannot be run
    signal?.throwIfAborted();
    return killedBy === null ? `exit code ${code}` : `signal ${killedBy}`;
  } finally {
    process.off('exit', end);
    signal?.removeEventListener('abort', end);
  }
}

/** The absolute path of an executable file of that name in the folders of a search path, or null. */
export async function findOnPath(name: string, searchPath: string): Promise<string | null> {
  for (const folder of searchPath.split(delimiter).filter((entry) => entry !== '')) {
    const file = join(folder, name);
    if (await isExecutable(file)) {
      return file;
    }
  }
  return null;
}

async function isExecutable(file: string): Promise<boolean> {
  return access(file, constants.X_OK).then(
    () => true,
    () => false,
  );
}
