import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { UsageError } from '../lab/program.ts';
import { readDevelopment, type ServiceCopy, startService } from '../lab/service.ts';
import { printError } from '../src/platform/terminal.ts';
import type { Options } from './options.ts';

export interface Service extends Pick<ServiceCopy, 'baseUrl' | 'key' | 'uiUrl'> {
  /** Null if it was running before. */
  own: { pid: number; dataDir: string; end(outcome: Outcome): Promise<void> } | null;
}

/** Whether data in a temporary folder is still of use. */
export type Outcome = 'done' | 'failed';

/** The service that the options name, or one of the demo's own. */
export async function findOrStart(options: Options, signal: AbortSignal): Promise<Service> {
  const { keys, baseUrl } = options;
  if (keys === null) return start(options, signal);
  if (keys.startsWith('sk_')) return { baseUrl: baseUrl ?? '', key: keys, uiUrl: null, own: null };
  const found = await readDevelopment(resolve(keys)).catch((error: Error) => {
    throw new UsageError(`--keys: ${error.message}`);
  });
  return { ...found, baseUrl: baseUrl ?? found.baseUrl, own: null };
}

/** Starts the service on free ports and waits until it is ready. Ends it if that fails, or when the signal comes. */
async function start({ dataDir, keep }: Options, signal: AbortSignal): Promise<Service> {
  const folder = dataDir === null ? await mkdtemp(join(tmpdir(), 'payments-demo-')) : resolve(dataDir);

  async function clean(isDone: boolean): Promise<void> {
    if (dataDir !== null) return;
    if (isDone) await rm(folder, { recursive: true, force: true });
    else printError(`Its data and logs are kept in ${folder}.`);
  }

  try {
    const copy = await startService(folder, { signal, outlivesUs: keep });
    const end = async (outcome: Outcome): Promise<void> => {
      const problem = await copy.stop().catch((error: Error) => error.message);
      if (problem !== undefined) printError(problem);
      await clean(problem === undefined && outcome === 'done');
    };
    return { ...copy, own: { pid: copy.pid, dataDir: folder, end } };
  } catch (error) {
    await clean(signal.aborted);
    throw error;
  }
}
