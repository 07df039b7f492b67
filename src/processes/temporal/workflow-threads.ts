import { fileURLToPath } from 'node:url';
import threads from 'node:worker_threads';

const preload = fileURLToPath(new URL('without-stacks.mjs', import.meta.url));

/**
 * Makes each thread that this process starts load `without-stacks.mjs` first. The SDK starts its threads of workflows
 * without a way to say so. `--import` of this process would reach them too, but not every start of a worker has it.
 */
export function preloadThreads(): void {
  const { Worker } = threads;
  Object.assign(threads, {
    Worker: class extends Worker {
      constructor(file: string | URL, options: threads.WorkerOptions = {}) {
        super(file, { ...options, execArgv: ['--import', preload] });
      }
    },
  });
}
