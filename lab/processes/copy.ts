import { cp, mkdir, symlink } from 'node:fs/promises';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';

const root = fileURLToPath(new URL('../../', import.meta.url));

/** The programs of the processes, ready to be run by node. */
export interface Programs {
  api: string;
  worker: string;
  pages: string;
  /** The stand-in for a live processor. */
  processor: string;
  /** What their processes need in their environment. */
  environment: { NODE_COMPILE_CACHE: string };
}

/**
 * Copies the sources of the processes into the folder. In a run they are started hundreds of times: a file that is
 * edited meanwhile would put another version into the middle of the run. The packages stay where they are.
 */
export async function copyPrograms(folder: string): Promise<Programs> {
  await mkdir(join(folder, 'lab'), { recursive: true });
  for (const name of ['src', 'lab/processes', 'package.json', 'package-lock.json']) {
    await cp(join(root, name), join(folder, name), { recursive: true });
  }
  await symlink(join(root, 'node_modules'), join(folder, 'node_modules'));
  const program = (name: string) => join(folder, 'lab', 'processes', `${name}.ts`);
  return {
    api: program('api'),
    worker: program('worker'),
    pages: program('pages'),
    processor: program('processor'),
    environment: { NODE_COMPILE_CACHE: join(folder, 'compiled') },
  };
}
