import { type ChildProcess, fork } from 'node:child_process';
import { once } from 'node:events';
import { fileURLToPath } from 'node:url';
import { childEnvironment } from '../src/processes/config/config.ts';

const readyTimeoutMs = 60_000;
const stopTimeoutMs = 15_000;

/**
 * Starts a program of ours as a process of its own, and waits for its message `ready`.
 * @throws Error if it ends before
 */
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

/** Ends it in order, or by force if that takes longer than 15 s. */
export async function stopChild(child: ChildProcess): Promise<void> {
  if (child.exitCode !== null || child.signalCode !== null) return;
  const ended = once(child, 'exit');
  child.kill('SIGTERM');
  const timer = setTimeout(() => child.kill('SIGKILL'), stopTimeoutMs);
  await ended;
  clearTimeout(timer);
}

/** A process of its own that does one job after the other: its work does not wait in the event loop that measures. */
export interface JobProcess<Job, Result> {
  /** Rejects if the job fails, or the process ends. */
  run(job: Job): Promise<Result>;
  stop(): Promise<void>;
}

/** Starts a program that calls `serveJobs`. */
export async function startJobProcess<Job extends object, Result>(file: string): Promise<JobProcess<Job, Result>> {
  const child = await startChild(file);
  return {
    async run(job) {
      const over = new AbortController();
      const { signal } = over;
      child.send(job);
      try {
        const [reply]: { result?: Result; error?: string }[] = await Promise.race([
          once(child, 'message', { signal }),
          once(child, 'exit', { signal }).then(() => [{ error: 'it has ended' }]),
        ]);
        if (reply?.result === undefined) throw new Error(`${file}: ${reply?.error}`);
        return reply.result;
      } finally {
        over.abort();
      }
    },
    stop: () => stopChild(child),
  };
}

/** Makes this process do the jobs that it is sent, until its parent ends. */
export function serveJobs<Job, Result>(work: (job: Job) => Promise<Result>): void {
  process.on('message', (job: Job) => {
    work(job).then(
      (result) => process.send?.({ result }),
      (error: unknown) => process.send?.({ error: error instanceof Error ? error.message : String(error) }),
    );
  });
  process.on('disconnect', () => process.exit(0));
  process.send?.('ready');
}
