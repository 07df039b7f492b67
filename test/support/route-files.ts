import { readdir, readFile } from 'node:fs/promises';
import { join } from 'node:path';

/** The files that a folder of routes has and its index does not import, or the other way round. */
export async function routeFileFaults(folder: string): Promise<string[]> {
  const index = await readFile(join(folder, 'index.ts'), 'utf8');
  const files = (await readdir(folder)).filter((file) => file !== 'index.ts');
  const imported = [...index.matchAll(/from '\.\/([\w-]+\.ts)';/g)].map(([, file = '']) => file);
  const differing = [...files, ...imported].filter((file) => !files.includes(file) || !imported.includes(file));
  return differing.sort();
}
