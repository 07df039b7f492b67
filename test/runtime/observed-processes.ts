import { randomBytes } from 'node:crypto';
import { after, before } from 'mocha';
import { findFreePorts, probePort } from '../../dev/ports.ts';
import { useDatabase } from '../support/database.ts';
import { makeKey } from '../support/factories.ts';
import { createMerchant, type Merchant } from '../support/merchant.ts';
import { type LogLine, type ServiceProcess, spawnProcess } from '../support/process.ts';
import { serverStartTimeoutMs, temporalServer, testNamespace } from '../support/temporal.ts';

/** API, pages and worker in processes of their own, as in production, and what can be seen of them from outside. */
export interface ObservedProcesses {
  readonly merchant: Merchant;
  /** What they have logged up to now. */
  readonly lines: LogLine[];
  /** The text that a scraper gets. */
  scrape(process: 'api' | 'worker' | 'pages'): Promise<string>;
  /** Where payers reach the pages. */
  readonly pagesUrl: string;
}

/** Starts them before the tests of the calling `describe`, with metrics and this environment, and ends them after. */
export function useObservedProcesses(environment: () => Record<string, string> = () => ({})): ObservedProcesses {
  const db = useDatabase();
  const processes: ServiceProcess[] = [];
  const metricsPorts = { api: 0, worker: 0, pages: 0 };
  let pagesUrl = '';
  let merchant: Merchant | undefined;

  before('start API, pages and worker', async function () {
    this.timeout(serverStartTimeoutMs);
    const [port = 0, ofApi = 0, pagesPort = 0, ofPages = 0] = await findFreePorts(4);
    Object.assign(metricsPorts, { api: ofApi, worker: await findFreePair(), pages: ofPages });
    pagesUrl = `http://127.0.0.1:${pagesPort}`;
    const common = {
      PORT: String(port),
      PAGES_PORT: String(pagesPort),
      PUBLIC_URL: pagesUrl,
      DATABASE_URL: db.url,
      TEMPORAL_ADDRESS: await temporalServer(),
      TEMPORAL_NAMESPACE: testNamespace,
      TEMPORAL_TASK_QUEUE: `test-${randomBytes(6).toString('hex')}`,
      ENCRYPTION_KEYS: `test:${randomBytes(32).toString('base64')}`,
      WEBHOOK_ALLOW_LOOPBACK: 'true',
      ...environment(),
    };
    await Promise.all(
      (['api', 'worker', 'pages'] as const).map((name) => {
        const started = spawnProcess(name, { ...common, METRICS_PORT: String(metricsPorts[name]) }, { isHeard: true });
        processes.push(started);
        return started.ready();
      }),
    );
    merchant = createMerchant(`http://127.0.0.1:${port}`, (await makeKey(db.sql)).key);
  });
  after('end API, pages and worker', async function () {
    this.timeout(30_000);
    await Promise.all(processes.map((each) => each.end()));
  });

  return {
    get pagesUrl() {
      return pagesUrl;
    },
    get lines() {
      return processes.flatMap(({ lines }) => lines);
    },
    get merchant() {
      if (merchant === undefined) throw new Error('the processes are there only while the tests of their describe run');
      return merchant;
    },
    async scrape(name) {
      const response = await fetch(`http://127.0.0.1:${metricsPorts[name]}/metrics`);
      if (response.status !== 200) throw new Error(`/metrics returned ${response.status}`);
      return response.text();
    },
  };
}

/** A free port whose successor is free too: the worker's SDK takes that. */
export async function findFreePair(): Promise<number> {
  for (;;) {
    const [port = 0] = await findFreePorts(1);
    if ((await probePort(port + 1)) === 'free') return port;
  }
}
