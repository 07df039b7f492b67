import { mkdir, readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { setTimeout as pause } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';
import { dump, load } from 'js-yaml';
import { startDaemon } from '../../dev/daemon.ts';
import { findFreePorts } from '../../dev/ports.ts';
import { untilItSucceeds } from '../../lab/eventually.ts';
import { inTimeLapse, type RuleFile } from './time-lapse.ts';

/** How many times faster the rules of the drill are than those of `monitoring/alerts.yml`. */
export const factor = 20;

/**
 * Longer than the probe of the database that a scrape waits for (2 s): a process without a database is still scraped,
 * as in production, where a scrape may take 10 s.
 */
const scrapeSeconds = 3;

const askTimeoutMs = 5_000;
const startTimeoutMs = 60_000;
/** More than the time between two evaluations of the rules. */
const evaluatedAfterMs = 3_000;

/** An alert that is pending or firing, as Prometheus shows it. */
export interface ActiveAlert {
  labels: Record<string, string>;
  annotations: Record<string, string>;
  state: 'pending' | 'firing';
}

export interface Prometheus {
  /** @throws if it does not respond in time. */
  alerts(): Promise<ActiveAlert[]>;
  stop(): Promise<void>;
}

/** The alerts as an operator has them. */
export async function readRules(): Promise<RuleFile> {
  const file = fileURLToPath(new URL('../../monitoring/alerts.yml', import.meta.url));
  return load(await readFile(file, 'utf8')) as RuleFile;
}

/**
 * Starts a Prometheus on loopback, with its files in the folder, that scrapes the processes of `npm start` and has the
 * alerts in time lapse. @throws Error if it is not installed, or does not start.
 */
export async function startPrometheus(folder: string, metricsPort: number): Promise<Prometheus> {
  await mkdir(folder, { recursive: true, mode: 0o700 });
  const [port = 0] = await findFreePorts(1);
  const target = (name: string, targetPort: number) => ({
    job_name: `payments-${name}`,
    static_configs: [{ targets: [`127.0.0.1:${targetPort}`] }],
  });
  const config = {
    global: {
      scrape_interval: `${scrapeSeconds}s`,
      scrape_timeout: `${scrapeSeconds}s`,
      evaluation_interval: '1s',
    },
    rule_files: ['alerts.yml'],
    scrape_configs: [target('api', metricsPort), target('worker', metricsPort + 1), target('pages', metricsPort + 3)],
  };
  await writeFile(join(folder, 'alerts.yml'), dump(inTimeLapse(await readRules(), factor)));
  await writeFile(join(folder, 'prometheus.yml'), dump(config));
  const daemon = await startDaemon({
    name: 'prometheus',
    dataDir: folder,
    command: 'prometheus',
    args: [
      `--config.file=${join(folder, 'prometheus.yml')}`,
      `--storage.tsdb.path=${join(folder, 'data')}`,
      `--web.listen-address=127.0.0.1:${port}`,
      `--query.lookback-delta=${300 / factor}s`,
      '--log.level=warn',
    ],
    env: process.env,
    stopSignal: 'SIGTERM',
    stopTimeoutMs: 10_000,
  }).catch((cause: unknown) => {
    throw new Error('Prometheus cannot be started. Install it: apt-get install prometheus', { cause });
  });
  async function ask<Data>(path: string): Promise<Data> {
    const response = await fetch(`http://127.0.0.1:${port}/api/v1/${path}`, {
      signal: AbortSignal.timeout(askTimeoutMs),
    });
    return ((await response.json()) as { data: Data }).data;
  }
  const alerts = async () => (await ask<{ alerts: ActiveAlert[] }>('alerts')).alerts;
  /** Until then a process counts as absent, and its alert is pending. */
  async function hasScraped(): Promise<void> {
    const { result } = await ask<{ result: unknown[] }>(`query?query=${encodeURIComponent('sum(up) == 2')}`);
    if (result.length === 0) throw new Error('not all processes were scraped');
  }
  try {
    await untilItSucceeds(hasScraped, { timeoutMs: startTimeoutMs });
    await pause(evaluatedAfterMs);
  } catch (cause) {
    const output = await daemon.output();
    await daemon.stop();
    throw new Error(`Prometheus does not respond:\n${output}`, { cause });
  }
  return { alerts, stop: () => daemon.stop() };
}
