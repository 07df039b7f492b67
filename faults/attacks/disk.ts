import { readFile } from 'node:fs/promises';
import { setTimeout as pause } from 'node:timers/promises';
import { type Attack, seconds } from './attack.ts';

const noSpace = /No space left on device/g;

/** No byte more for PostgreSQL: statements fail and, when the log of changes cannot be written, PostgreSQL itself. */
export const fillDisk: Attack = {
  kind: 'full disk',
  weight: 3,
  draw({ cluster, chance, isQuick }) {
    const { postgres } = cluster;
    const { disk } = postgres;
    if (disk === null || !postgres.isUp) return null;
    const ms = isQuick ? 3_000 : chance.between(3_000, 8_000);
    return {
      title: `the disk of postgres full for ${seconds(ms)}`,
      targets: ['postgres'],
      async run() {
        const before = await complaints(postgres.logFile);
        await disk.fill();
        await pause(ms);
        const after = await complaints(postgres.logFile);
        await disk.free();
        // It may have ended of it; then it needs starting, as an operator would.
        if (
          !(await cluster.sql`select 1`.then(
            () => true,
            () => false,
          ))
        ) {
          await postgres.kill();
          await postgres.start();
        }
        return after > before;
      },
    };
  },
};

async function complaints(logFile: string): Promise<number> {
  const text = await readFile(logFile, 'utf8').catch(() => '');
  return text.match(noSpace)?.length ?? 0;
}
