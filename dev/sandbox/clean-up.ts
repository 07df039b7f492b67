// Runs next to a sandbox and waits. If the sandbox ends without a word, it was killed: then this ends what is left of
// it and deletes its temporary folder. The arguments are the data folder and `keep` or `delete`.
import { rm } from 'node:fs/promises';
import { text } from 'node:stream/consumers';
import { stopLeftover } from '../daemon.ts';

const stopTimeoutMs = 15_000;
/** In the order of the end of a service. The others have seen on their own that their supervisor is gone. */
const servers = [
  ['api', 'SIGTERM'],
  ['pages', 'SIGTERM'],
  ['worker', 'SIGTERM'],
  ['temporal', 'SIGTERM'],
  ['postgres', 'SIGINT'],
] as const;

const [dataDir, what] = process.argv.slice(2);
if (dataDir === undefined || (what !== 'keep' && what !== 'delete'))
  throw new Error('Give a folder, and keep or delete.');
for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP'] as const) process.on(signal, () => {});

const word = await text(process.stdin); // until the sandbox has ended
if (word !== 'ended') {
  for (const [name, signal] of servers) await stopLeftover(dataDir, name, signal, stopTimeoutMs, () => {});
  if (what === 'delete') await rm(dataDir, { recursive: true, force: true });
}
