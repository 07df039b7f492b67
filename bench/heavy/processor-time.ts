import { readFile } from 'node:fs/promises';

/**
 * Milliseconds of one core that the main thread of a process has run so far, to the nanosecond. For Node.js that is its
 * event loop, which all requests share. The threads beside it compile and collect garbage for no request in particular.
 * Linux only.
 */
export async function eventLoopMs(pid: number): Promise<number> {
  const [ns = ''] = (await readFile(`/proc/${pid}/schedstat`, 'utf8')).split(' ');
  return Number(ns) / 1e6;
}
