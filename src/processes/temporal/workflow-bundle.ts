import { createHash } from 'node:crypto';
import { mkdir, readdir, readFile, rename, writeFile } from 'node:fs/promises';
import { createRequire } from 'node:module';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { bundleWorkflowCode, type WorkflowBundle } from '@temporalio/worker';
import type { Logger } from '../../platform/logger.ts';
import { temporalLogger } from './logger.ts';

const source = fileURLToPath(new URL('../../', import.meta.url));
const cache = fileURLToPath(new URL('../../../node_modules/.cache/workflows/', import.meta.url));
const { resolve } = createRequire(import.meta.url);
const tracingInterceptors = '@temporalio/interceptors-opentelemetry/lib/workflow-interceptors';
/** The source folders that a bundle may contain: workflows import no others. */
const folders = ['workflows', 'messages', 'domain'];

/**
 * Bundles the workflows for Temporal's sandbox. Bundling takes some seconds, so the bundle is cached under the checksum
 * of its sources, and of the packages that make it, and reused until something changes. If the cache cannot be written,
 * the bundle is made each time. `isTraced` adds the tracing interceptors; they do not change what workflows do.
 */
export async function bundleWorkflows(logger: Logger, { isTraced = false } = {}): Promise<WorkflowBundle> {
  const file = join(cache, `${await checksum()}${isTraced ? '-traced' : ''}.js`);
  const cached = await readFile(file, 'utf8').catch(() => null);
  if (cached !== null) return { code: cached };
  const bundle = await bundleWorkflowCode({
    workflowsPath: join(source, 'workflows', 'index.ts'),
    workflowInterceptorModules: isTraced ? [resolve(tracingInterceptors)] : [],
    logger: temporalLogger(logger),
  });
  await store(file, bundle.code).catch((error: unknown) => logger.debug({ err: error }, 'the bundle is not cached'));
  return bundle;
}

/** Renamed only when it is complete: other processes may be reading or writing the same file. */
async function store(file: string, code: string): Promise<void> {
  await mkdir(cache, { recursive: true });
  const draft = `${file}.${process.pid}`;
  await writeFile(draft, code);
  await rename(draft, file);
}

async function checksum(): Promise<string> {
  const hash = createHash('sha256');
  // The lock file stands for the versions of all packages in the bundle, and of the bundler.
  hash.update(await readFile(join(source, '..', 'package-lock.json')).catch(() => ''));
  for (const folder of folders) {
    const names = await readdir(join(source, folder), { recursive: true });
    for (const name of names.filter((each) => each.endsWith('.ts')).sort()) {
      hash.update(`\0${folder}/${name}\0`).update(await readFile(join(source, folder, name)));
    }
  }
  return hash.digest('hex').slice(0, 32);
}
