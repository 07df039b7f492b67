import { once } from 'node:events';
import { startChild, stopChild } from '../child.ts';
import type { SendingJob, Sent } from './job.ts';

export interface Sender {
  /** Rejects when a request fails otherwise than by the rate limit, or the sender ends. */
  send(job: SendingJob): Promise<Sent>;
  stop(): Promise<void>;
}

export async function startSender(): Promise<Sender> {
  const child = await startChild('./flood/sender.ts');
  return {
    async send(job) {
      const stop = new AbortController();
      const { signal } = stop;
      child.send(job);
      try {
        const [answer]: { sent?: Sent; error?: string }[] = await Promise.race([
          once(child, 'message', { signal }),
          once(child, 'exit', { signal }).then(() => [{ error: 'the sender has ended' }]),
        ]);
        if (answer?.sent === undefined) throw new Error(`under flood: ${answer?.error}`);
        return answer.sent;
      } finally {
        stop.abort();
      }
    },
    stop: () => stopChild(child),
  };
}
