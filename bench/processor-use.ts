import { readFile } from 'node:fs/promises';
import { loadavg } from 'node:os';
import { ticksPerSecond } from '../lab/process-table.ts';
import { processorSeconds } from './processes.ts';

/** How many cores were in use on average over a span. */
export interface ProcessorUse {
  /** This process and all that it has started. */
  ours: number;
  /** Other programs on the machine, and what its host took away. */
  others: number;
  load_average: number;
}

/**
 * Begins to watch; each call of the function that it returns covers the span since the last. Linux only: all 0
 * elsewhere.
 */
export async function watchProcessorUse(): Promise<() => Promise<ProcessorUse>> {
  const look = async () => ({
    at: performance.now(),
    ours: await processorSeconds(process.pid),
    all: await busySeconds(),
  });
  let before = await look();
  return async () => {
    const now = await look();
    const seconds = Math.max(1e-3, (now.at - before.at) / 1000);
    const ours = (now.ours - before.ours) / seconds;
    const all = (now.all - before.all) / seconds;
    before = now;
    // The time of a process that died without being waited for is lost: the difference is never below 0.
    return { ours: rounded(ours), others: rounded(all - ours), load_average: rounded(loadavg()[0] ?? 0) };
  };
}

/** Seconds of one core that the machine has worked since it started. */
async function busySeconds(): Promise<number> {
  const text = await readFile('/proc/stat', 'utf8').catch(() => '');
  const [user = 0, nice = 0, system = 0, , , irq = 0, softirq = 0, steal = 0] = (text.split('\n')[0] ?? '')
    .split(/\s+/)
    .slice(1)
    .map(Number);
  return (user + nice + system + irq + softirq + steal) / ticksPerSecond;
}

function rounded(cores: number): number {
  return Math.max(0, Math.round(cores * 100) / 100);
}
