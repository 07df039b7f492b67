import { parseArgs } from 'node:util';
import { realNow } from '../../platform/real-time.ts';
import { countLeft, findUnreadable, keyUsage, rotateEncryption } from '../../services/accounts/encryption.ts';
import { operator, runCommand, table, UsageError } from './command.ts';

const usage = `Usage:
  encryption status [--json]    what is sealed with which key, and in which format: a key or format of which nothing is left
                                can be taken away
  encryption rotate [--json]    seal everything with the first key, in the first format, while the service runs; run it again
                                if it is broken off
  encryption verify [--json]    open everything, and name what does not open; it changes nothing

ENCRYPTION_KEYS and ENCRYPTION_FORMATS are to be what the service has. rotate ends with 1 when anything is left of another
key or format, verify when anything does not open. SECURITY.md has the steps of a rotation.`;

await runCommand(usage, async (openContext) => {
  const { values, positionals } = parseArgs({ allowPositionals: true, options: { json: { type: 'boolean' } } });
  const [command, ...rest] = positionals;
  if (rest.length > 0) throw new UsageError('Give one command.');
  const open = async () => {
    const { sql, vault } = await openContext();
    return { sql, vault: await vault() };
  };

  if (command === 'status') {
    const { sql, vault } = await open();
    const keys = await keyUsage(sql, vault);
    return values.json ? JSON.stringify({ keys }) : table(keys);
  }
  if (command === 'rotate') {
    const { sql, vault } = await open();
    const rotation = await rotateEncryption(sql, vault, { by: operator(), now: realNow() });
    const keys = await keyUsage(sql, vault);
    const left = keys.filter((row) => countLeft(row, vault) > 0);
    if (left.length > 0) process.exitCode = 1;
    if (values.json) return JSON.stringify({ ...rotation, keys });
    const waiting = keys.some((row) => row.role !== 'encrypts' && row.requests > 0);
    const advice = adviceOf(left.length > 0, rotation.unreadable, waiting);
    return `${table(keys)}\n\n${rotation.resealed} sealed anew. ${advice}`;
  }
  if (command === 'verify') {
    const { sql, vault } = await open();
    const unreadable = await findUnreadable(sql, vault);
    if (unreadable.length > 0) process.exitCode = 1;
    if (values.json) return JSON.stringify({ unreadable });
    return unreadable.length === 0 ? 'Everything opens.' : table(unreadable);
  }
  throw new UsageError(command === undefined ? 'Give a command.' : `There is no command "${command}".`);
});

function adviceOf(isAnythingLeft: boolean, unreadable: number, isWaiting: boolean): string {
  if (unreadable > 0) return `${unreadable} do not open: encryption verify names them.`;
  if (!isAnythingLeft && isWaiting) {
    return 'Nothing is sealed with another key or format. Take the key away when encryption status shows no requests of it any more.';
  }
  if (!isAnythingLeft) return 'Nothing is left of another key or format.';
  return (
    'Something is still written with another key or format: give every process the same ENCRYPTION_KEYS and\n' +
    'ENCRYPTION_FORMATS, then run this again.'
  );
}
