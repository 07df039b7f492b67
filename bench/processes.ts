import { readdir, readFile } from 'node:fs/promises';
import { join } from 'node:path';

/** What a part of the copy holds in memory, its helpers included; in megabytes (10^6). */
export interface Footprint {
  part: string;
  processes: number;
  /** Pages that are in memory, shared ones counted in each process. */
  rss: number;
  /** The same with a shared page split between those that share it; null where the kernel does not tell. */
  pss: number | null;
}

/**
 * The memory of a process and all that it has started, directly or not. A descendant belongs to the part whose process
 * is its nearest ancestor; `parts` names them by process id. Linux only: answers nothing elsewhere.
 */
export async function footprints(root: number, parts: Map<number, string>): Promise<Footprint[]> {
  const parents = await readParents();
  const found = new Map<string, Footprint>();
  for (const pid of [root, ...descendants(root, parents)]) {
    const part = partOf(pid, parents, parts);
    const memory = await memoryOf(pid);
    if (part === undefined || memory === null) continue;
    const sum = found.get(part) ?? { part, processes: 0, rss: 0, pss: 0 };
    found.set(part, {
      part,
      processes: sum.processes + 1,
      rss: sum.rss + memory.rss,
      pss: sum.pss === null || memory.pss === null ? null : sum.pss + memory.pss,
    });
  }
  return [...found.values()];
}

/** The process ids that a data directory has written down for what runs in it. */
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

async function readParents(): Promise<Map<number, number>> {
  const pids = (await readdir('/proc').catch(() => [])).filter((name) => /^\d+$/.test(name)).map(Number);
  const parents = new Map<number, number>();
  for (const pid of pids) {
    const stat = await readFile(`/proc/${pid}/stat`, 'utf8').catch(() => '');
    // The name in parentheses may hold spaces; after it come the state and the parent.
    const parent = stat.slice(stat.lastIndexOf(')') + 2).split(' ')[1];
    if (parent !== undefined) parents.set(pid, Number(parent));
  }
  return parents;
}

function descendants(root: number, parents: Map<number, number>): number[] {
  const children = [...parents].filter(([, parent]) => parent === root).map(([pid]) => pid);
  return children.flatMap((pid) => [pid, ...descendants(pid, parents)]);
}

function partOf(pid: number, parents: Map<number, number>, parts: Map<number, string>): string | undefined {
  for (let at: number | undefined = pid; at !== undefined && at > 1; at = parents.get(at)) {
    const part = parts.get(at);
    if (part !== undefined) return part;
  }
  return undefined;
}

async function memoryOf(pid: number): Promise<{ rss: number; pss: number | null } | null> {
  const megabytes = (text: string, name: string): number | null => {
    const kilobytes = new RegExp(`^${name}:\\s+(\\d+) kB`, 'm').exec(text)?.[1];
    return kilobytes === undefined ? null : (Number(kilobytes) * 1024) / 1e6;
  };
  const rss = megabytes(await readFile(`/proc/${pid}/status`, 'utf8').catch(() => ''), 'VmRSS');
  const pss = megabytes(await readFile(`/proc/${pid}/smaps_rollup`, 'utf8').catch(() => ''), 'Pss');
  return rss === null ? null : { rss, pss };
}
