import { readdir } from 'node:fs/promises';
import { extname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { ProgramUnavailable } from './pinned-programs.ts';
import { runTool } from './tool.ts';

const timeoutMs = 300_000;

/**
 * Lets the TypeScript SDK download a version of the `temporal` CLI into a folder, without running it. Returns the path
 * of the program, which is not checked yet. `env` is added to the SDK's environment.
 * @throws a ProgramUnavailable when the SDK cannot get it; when `signal` aborts.
 */
export async function downloadBySdk(
  version: string,
  folder: string,
  signal?: AbortSignal,
  env: Record<string, string> = {},
): Promise<string> {
  // In a separate process: the SDK loads a native runtime.
  const script = fileURLToPath(new URL(`temporal-download-by-sdk${extname(import.meta.url)}`, import.meta.url));
  const late = AbortSignal.timeout(timeoutMs);
  let last = 'it does not say why';
  const options = {
    cwd: folder,
    env,
    signal: signal === undefined ? late : AbortSignal.any([signal, late]),
    onLine: (line: string) => {
      if (line.trim() !== '') last = line;
    },
  };
  await runTool(process.execPath, [script, version, folder], options).catch((error: unknown) => {
    if (signal?.aborted || !late.aborted) throw error;
    last = `it is not there after ${timeoutMs / 1000} s`;
  });
  // The SDK names the file after the version, and a part of it `.downloading`.
  const files = await readdir(folder);
  const file = files.find((name) => name.startsWith('temporal-') && !name.endsWith('.downloading'));
  if (file === undefined) throw new ProgramUnavailable(`the SDK cannot download it: ${last}`);
  return join(folder, file);
}
