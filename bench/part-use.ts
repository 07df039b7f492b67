import { setTimeout as pause } from 'node:timers/promises';
import { footprints, processorSecondsByPart } from './processes.ts';

/** What a part of the service has used over a span. */
export interface PartUse {
  part: string;
  /** Megabytes (10^6): the largest share of the memory in use (Pss) that was seen, looked at each second. */
  peakMb: number;
  /** Seconds of one core. */
  processorSeconds: number;
}

const lookMs = 1_000;

/** Watches the named processes, and what they have started, below this process, until `stop` is called. */
export async function watchParts(parts: ReadonlyMap<number, string>): Promise<{ stop(): Promise<PartUse[]> }> {
  const before = await processorSecondsByPart(process.pid, parts);
  const peaks = new Map<string, number>();
  const ending = new AbortController();
  const look = async () => {
    for (const { part, rss, pss } of await footprints(process.pid, parts)) {
      peaks.set(part, Math.max(pss ?? rss, peaks.get(part) ?? 0));
    }
  };
  const looking = (async () => {
    while (!ending.signal.aborted) {
      await look();
      await pause(lookMs, undefined, { signal: ending.signal }).catch(() => {});
    }
  })();
  return {
    async stop() {
      ending.abort();
      await looking;
      const after = await processorSecondsByPart(process.pid, parts);
      return [...peaks].map(([part, peakMb]) => ({
        part,
        peakMb,
        processorSeconds: (after.get(part) ?? 0) - (before.get(part) ?? 0),
      }));
    },
  };
}
