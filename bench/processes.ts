import { readdir, readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { familyIn, type ProcessEntry, readProcessTable } from '../lab/process-table.ts';

/** What a part of the copy has in memory, its helpers included; in megabytes (10^6). */
interface Footprint {
  part: string;
  processes: number;
  /** Pages that are in memory, shared ones counted in each process. */
  rss: number;
  /** The same with a shared page split between those that share it; null if the kernel does not report it. */
  pss: number | null;
  /** Its share without files and shared memory: its heaps and stacks; null as above. */
  own: number | null;
}

/**
 * The memory of a process and all that it has started, directly or not. A descendant belongs to the part whose process
 * is its nearest ancestor; `parts` names them by process id. Linux only: empty elsewhere.
 */
export async function footprints(root: number, parts: ReadonlyMap<number, string>): Promise<Footprint[]> {
  const table = await readProcessTable();
  const sums = new Map<string, Footprint>();
  for (const pid of familyIn(table, root)) {
    const part = partOf(pid, table, parts);
    const memory = await memoryOf(pid);
    if (part === undefined || memory === null) continue;
    const sum = sums.get(part) ?? { part, processes: 0, rss: 0, pss: 0, own: 0 };
    sums.set(part, {
      part,
      processes: sum.processes + 1,
      rss: sum.rss + memory.rss,
      pss: add(sum.pss, memory.pss),
      own: add(sum.own, memory.own),
    });
  }
  return [...sums.values()];
}

/**
 * Processor time, in seconds of one core, that a process and all that it has started have used so far, those included
 * that have ended and were waited for. Linux only: 0 elsewhere.
 */
export async function processorSeconds(root: number): Promise<number> {
  const table = await readProcessTable();
  return familyIn(table, root).reduce((sum, pid) => sum + (table.get(pid)?.processorSeconds ?? 0), 0);
}

/** The same by the parts that `footprints` knows. */
export async function processorSecondsByPart(
  root: number,
  parts: ReadonlyMap<number, string>,
): Promise<Map<string, number>> {
  const table = await readProcessTable();
  const sums = new Map<string, number>();
  for (const pid of familyIn(table, root)) {
    const part = partOf(pid, table, parts);
    if (part === undefined) continue;
    sums.set(part, (sums.get(part) ?? 0) + (table.get(pid)?.processorSeconds ?? 0));
  }
  return sums;
}

/** How many files and sockets a process has open; null if it has ended. Linux only. */
export async function openFiles(pid: number): Promise<number | null> {
  return readdir(`/proc/${pid}/fd`).then(
    (names) => names.length,
    () => null,
  );
}

/** The process ids that a data folder records for what runs in it. */
export async function recordedProcesses(dataDir: string): Promise<Map<number, string>> {
  const folder = join(dataDir, 'run');
  const parts = new Map<number, string>();
  for (const file of await readdir(folder)) {
    if (!file.endsWith('.json')) continue;
    const pid = /"pid":(\d+)/.exec(await readFile(join(folder, file), 'utf8'))?.[1];
    if (pid !== undefined) parts.set(Number(pid), file.replace(/\.json$/, ''));
  }
  return parts;
}

function partOf(pid: number, table: Map<number, ProcessEntry>, parts: ReadonlyMap<number, string>): string | undefined {
  for (let at: number | undefined = pid; at !== undefined && at > 1; at = table.get(at)?.parent) {
    const part = parts.get(at);
    if (part !== undefined) return part;
  }
  return undefined;
}

function add(sum: number | null, more: number | null): number | null {
  return sum === null || more === null ? null : sum + more;
}

async function memoryOf(pid: number): Promise<Pick<Footprint, 'rss' | 'pss' | 'own'> | null> {
  const megabytes = (text: string, name: string): number | null => {
    const kilobytes = new RegExp(`^${name}:\\s+(\\d+) kB`, 'm').exec(text)?.[1];
    return kilobytes === undefined ? null : (Number(kilobytes) * 1024) / 1e6;
  };
  const rss = megabytes(await readFile(`/proc/${pid}/status`, 'utf8').catch(() => ''), 'VmRSS');
  const shares = await readFile(`/proc/${pid}/smaps_rollup`, 'utf8').catch(() => '');
  return rss === null ? null : { rss, pss: megabytes(shares, 'Pss'), own: megabytes(shares, 'Pss_Anon') };
}
