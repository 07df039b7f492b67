import { type ChildProcess, fork } from 'node:child_process';
import { once } from 'node:events';
import { fileURLToPath } from 'node:url';
import { childEnvironment } from '../src/processes/config/config.ts';

const readyTimeoutMs = 60_000;
const stopTimeoutMs = 15_000;

/** Starts a program of ours as a process of its own and waits for its IPC message `ready`. Throws when it ends before. */
export async function startChild(
  file: string,
  { args = [], environment = {} }: { args?: string[]; environment?: Record<string, string> } = {},
): Promise<ChildProcess> {
  const child = fork(fileURLToPath(new URL(file, import.meta.url)), args, {
    env: childEnvironment(environment),
    serialization: 'advanced',
    stdio: ['ignore', 'ignore', 'inherit', 'ipc'],
  });
  await new Promise<void>((resolve, reject) => {
    const timer = setTimeout(() => reject(new Error(`${file} is not ready after 60 s`)), readyTimeoutMs);
    child.once('message', () => {
      clearTimeout(timer);
      resolve();
    });
    child.once('exit', (code) => reject(new Error(`${file} ended with exit code ${code} while starting`)));
  }).catch((error: unknown) => {
    child.kill('SIGKILL');
    throw error;
  });
  return child;
}

/** Ends it in order, or by force when that takes longer than 15 s. */
export async function stopChild(child: ChildProcess): Promise<void> {
  if (child.exitCode !== null || child.signalCode !== null) return;
  const gone = once(child, 'exit');
  child.kill('SIGTERM');
  const timer = setTimeout(() => child.kill('SIGKILL'), stopTimeoutMs);
  await gone;
  clearTimeout(timer);
}
