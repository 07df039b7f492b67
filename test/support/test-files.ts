import { readdir } from 'node:fs/promises';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';

export const testFolder = fileURLToPath(new URL('../', import.meta.url));

/** The absolute paths of all test files. */
export async function allTestFiles(): Promise<string[]> {
  const names = await readdir(testFolder, { recursive: true });
  return names.filter((name) => name.endsWith('.test.ts')).map((name) => join(testFolder, name));
}
