import { setTimeout as pause } from 'node:timers/promises';
import type { Measurement } from '../bench.ts';
import { type Figure, figure } from '../figure.ts';
import { footprints, recordedProcesses } from '../processes.ts';

const names: Record<string, string> = {
  api: 'API',
  worker: 'worker',
  temporal: 'Temporal server and Web UI',
  postgres: 'PostgreSQL',
  start: 'supervisor (npm start)',
};

/** What the service holds in memory before it has done anything. */
export const memory: Measurement = {
  name: 'memory',
  needs: 'copy',
  async measure({ copy, quick, log }) {
    const seconds = quick ? 2 : 8;
    log(`memory: ${seconds} s of rest`);
    await pause(seconds * 1000);
    const parts = await recordedProcesses(copy.dataDir);
    const found = await footprints(copy.pid, parts.set(copy.pid, 'start'));
    const figures: Figure[] = [];
    for (const { part, processes, rss, pss } of found) {
      const name = `${names[part] ?? part}${processes === 1 ? '' : `, ${processes} processes`}`;
      figures.push(figure(`memory.${part}.rss`, `${name}: resident`, 'MB', [rss]));
      if (pss !== null) figures.push(figure(`memory.${part}.pss`, `${name}: its share`, 'MB', [pss]));
    }
    const total = found.reduce<number | null>((sum, { pss }) => (sum === null || pss === null ? null : sum + pss), 0);
    if (total !== null && found.length > 0)
      figures.push(figure('memory.total.pss', 'all together: their shares', 'MB', [total]));
    return {
      name: 'memory',
      title: 'Memory at rest, in megabytes of 10^6 bytes',
      how: [
        `${seconds} s after the start, before any request. Resident (VmRSS) counts a shared page in each process, its share (Pss) splits it; PostgreSQL with all its processes. Linux only.`,
      ],
      figures,
    };
  },
};
