import { once } from 'node:events';
import { startChild, stopChild } from '../child.ts';
import type { Job, Outcome, Place } from './jobs.ts';

export interface LoadGenerator {
  /** One stretch of load. Rejects when a request fails, or the generator ends. */
  run(job: Job): Promise<Outcome>;
  stop(): Promise<void>;
}

/** Starts the load generator, a process of its own, against this place. */
export async function startLoadGenerator(place: Place): Promise<LoadGenerator> {
  const child = await startChild('./load/generator.ts');
  return {
    async run(job) {
      const stop = new AbortController();
      const { signal } = stop;
      child.send({ place, job });
      try {
        const [answer]: { outcome?: Outcome; error?: string }[] = await Promise.race([
          once(child, 'message', { signal }),
          once(child, 'exit', { signal }).then(() => [{ error: 'the load generator has ended' }]),
        ]);
        if (answer?.outcome === undefined) throw new Error(`under load: ${answer?.error}`);
        return answer.outcome;
      } finally {
        stop.abort();
      }
    },
    stop: () => stopChild(child),
  };
}
