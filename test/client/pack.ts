import { execFile } from 'node:child_process';
import { createHash } from 'node:crypto';
import { readdir } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { takeLock } from '../../dev/process-record.ts';
import { eventually } from '../../lab/eventually.ts';
import { root } from '../../lab/run-program.ts';

const run = promisify(execFile);
const waitMs = 300_000;

/** Waits until no other file of tests builds or packs the clients of this checkout. Returns the release. */
export async function lockClients(): Promise<() => Promise<void>> {
  const checkout = createHash('sha256').update(root).digest('hex').slice(0, 12);
  const lock = join(tmpdir(), `payments-clients-${checkout}.lock`);
  return eventually(
    'the clients are free',
    async () => {
      const attempt = await takeLock(lock);
      return attempt.taken && attempt.release;
    },
    { timeoutMs: waitMs, everyMs: 200 },
  );
}

/** Builds these folders of `clients`, and packs them into a folder. Returns the names of the tarballs, sorted. */
export async function packClients(names: readonly ('typescript' | 'sandbox')[], folder: string): Promise<string[]> {
  const release = await lockClients();
  try {
    const sources = names.map((name) => join(root, 'clients', name));
    for (const source of sources) await run(process.execPath, [join(source, 'build.ts')], { cwd: source });
    await run('npm', ['pack', '--ignore-scripts', '--pack-destination', folder, ...sources], {
      cwd: root,
      maxBuffer: 1 << 26,
    });
  } finally {
    await release();
  }
  const files = await readdir(folder);
  return files.filter((name) => name.startsWith('payments-service-')).sort();
}
