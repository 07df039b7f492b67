import { readdir, readFile } from 'node:fs/promises';

export interface ProcessEntry {
  parent: number;
  /** Of one core, its ended children included. */
  processorSeconds: number;
}

/** What the kernel counts processor time in, per second. */
export const ticksPerSecond = 100;

/** All processes of the machine, by process id. Linux only: empty elsewhere. */
export async function readProcessTable(): Promise<Map<number, ProcessEntry>> {
  const pids = (await readdir('/proc').catch(() => [])).filter((name) => /^\d+$/.test(name)).map(Number);
  const table = new Map<number, ProcessEntry>();
  for (const pid of pids) {
    const stat = await readFile(`/proc/${pid}/stat`, 'utf8').catch(() => '');
    // The name in parentheses may hold spaces. After it come the state and the parent, and at 11 to 14 the ticks in
    // user and system mode, of the process and of its ended children.
    const fields = stat.slice(stat.lastIndexOf(')') + 2).split(' ');
    const ticks = fields.slice(11, 15).reduce((sum, field) => sum + Number(field), 0);
    if (fields[1] !== undefined)
      table.set(pid, { parent: Number(fields[1]), processorSeconds: ticks / ticksPerSecond });
  }
  return table;
}

/** The process and all that it has started, directly or not; itself first. */
export function familyIn(table: ReadonlyMap<number, ProcessEntry>, pid: number): number[] {
  const children = [...table].filter(([, { parent }]) => parent === pid).map(([child]) => child);
  return [pid, ...children.flatMap((child) => familyIn(table, child))];
}

/** The same of the processes of this moment. */
export async function familyOf(pid: number): Promise<number[]> {
  return familyIn(await readProcessTable(), pid);
}

/** Sends the signal. A process that has ended is no error. */
export function signal(pid: number, name: NodeJS.Signals): void {
  try {
    process.kill(pid, name);
  } catch (error) {
    if (!(error instanceof Error && 'code' in error && error.code === 'ESRCH')) throw error;
  }
}
