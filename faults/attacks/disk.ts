import { readFile } from 'node:fs/promises';
import { setTimeout as pause } from 'node:timers/promises';
import { type DiskName, diskNames } from '../../lab/disks.ts';
import type { Cluster } from '../cluster.ts';
import { type Attack, seconds } from './attack.ts';

/** What is full: the folder of one program, or the whole data directory. */
const choices: readonly { names: readonly DiskName[]; words: string; weight: number }[] = [
  { names: diskNames, words: 'DATA_DIR (postgres, temporal and all logs)', weight: 4 },
  { names: ['postgres'], words: 'the disk of postgres', weight: 2 },
  { names: ['temporal'], words: 'the disk of temporal', weight: 1 },
  { names: ['logs'], words: 'the disk of all logs', weight: 2 },
];

/** A process that hangs on the full disk would end by then. */
const endsWithinMs = 1_000;

const noSpace = /No space left on device|disk is full/g;

/**
 * Not a byte more: statements fail and, when the log of changes cannot be written, PostgreSQL itself ends; Temporal
 * cannot record a step; API and worker cannot log.
 */
export const fillDisk: Attack = {
  kind: 'full disk',
  weight: 3,
  draw({ cluster, chance, isQuick, findings }) {
    const { names, words } = chance.pickByWeight(choices);
    const ms = isQuick ? 3_000 : chance.between(3_000, 8_000);
    const disks = names.flatMap((name) => cluster.disks.get(name) ?? []);
    if (disks.length < names.length || !areUp(cluster, names)) return null;
    return {
      title: `${words} full for ${seconds(ms)}`,
      targets: [...names],
      async run() {
        const before = await complaints(cluster, names);
        const endsBefore = cluster.ownEnds.length;
        await Promise.all(disks.map((disk) => disk.fill()));
        await pause(ms);
        const areFull = await Promise.all(disks.map((disk) => disk.isFull()));
        const after = await complaints(cluster, names);
        await Promise.all(disks.map((disk) => disk.free()));
        await Promise.all([cluster.postgres.revive(), cluster.temporal.revive()]);
        await pause(endsWithinMs);
        for (const { name, how } of cluster.ownEnds.slice(endsBefore)) {
          findings.push({ promise: 'P10', what: `${name} ended (${how}) while this was full: ${words}` });
        }
        // With all logs on the full disk nothing can complain. Every request writes a line, so that disk is used.
        return names.includes('logs') ? areFull.at(names.indexOf('logs')) === true : after > before;
      },
    };
  },
};

function areUp({ postgres, temporal }: Cluster, names: readonly DiskName[]): boolean {
  return (postgres.isUp || !names.includes('postgres')) && (temporal.isUp || !names.includes('temporal'));
}

/** How often the servers whose disks these are have logged that there is no space. */
async function complaints({ postgres, temporal }: Cluster, names: readonly DiskName[]): Promise<number> {
  const servers = [
    ...(names.includes('postgres') ? [postgres] : []),
    ...(names.includes('temporal') ? [temporal] : []),
  ];
  const texts = await Promise.all(servers.map(({ logFile }) => readFile(logFile, 'utf8').catch(() => '')));
  return texts.reduce((sum, text) => sum + (text.match(noSpace)?.length ?? 0), 0);
}
