import { type Stats, statSync } from 'node:fs';
import { dirname } from 'node:path';

/**
 * Whether a file can be trusted: it and its folder are of this user, and no other can write them. True where the
 * system has no users, and if there is no such file.
 */
export function isOwnFile(file: string): boolean {
  const own = process.getuid?.();
  const stats = statSync(file, { throwIfNoEntry: false });
  if (own === undefined || stats === undefined) return true;
  return [stats, statSync(dirname(file))].every(({ uid, mode }: Stats) => uid === own && (mode & 0o022) === 0);
}
