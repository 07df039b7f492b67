import { type ChildProcess, spawn } from 'node:child_process';
import { randomBytes } from 'node:crypto';
import { once } from 'node:events';
import { fileURLToPath } from 'node:url';
import { after, before } from 'mocha';
import { findFreePorts, probePort } from '../../dev/ports.ts';
import { useDatabase } from '../support/database.ts';
import { makeKey } from '../support/factories.ts';
import { createMerchant, type Merchant } from '../support/merchant.ts';
import { serverStartTimeoutMs, temporalServer, testNamespace } from '../support/temporal.ts';
import { until } from './support.ts';

export type LogLine = Record<string, unknown> & { name: 'api' | 'worker'; msg: string; text: string };

/** API and worker in processes of their own, as in production, and what can be seen of them from outside. */
export interface ObservedProcesses {
  readonly merchant: Merchant;
  /** What both have logged up to now, in the order of its arrival. */
  readonly lines: LogLine[];
  /** The text that a scraper gets. */
  scrape(process: 'api' | 'worker'): Promise<string>;
}

/** Starts them before the tests of the calling `describe`, with metrics and this environment, and ends them after. */
export function useObservedProcesses(environment: () => Record<string, string> = () => ({})): ObservedProcesses {
  const db = useDatabase();
  const children: ChildProcess[] = [];
  const lines: LogLine[] = [];
  const metricsPorts = { api: 0, worker: 0 };
  let merchant: Merchant | undefined;

  before('start API and worker', async function () {
    this.timeout(serverStartTimeoutMs);
    const [port = 0, ofApi = 0] = await findFreePorts(2);
    Object.assign(metricsPorts, { api: ofApi, worker: await findFreePair() });
    const common = {
      PATH: process.env.PATH,
      PORT: String(port),
      DATABASE_URL: db.url,
      TEMPORAL_ADDRESS: await temporalServer(),
      TEMPORAL_NAMESPACE: testNamespace,
      TEMPORAL_TASK_QUEUE: `test-${randomBytes(6).toString('hex')}`,
      ENCRYPTION_KEYS: `test:${randomBytes(32).toString('base64')}`,
      WEBHOOK_ALLOW_LOOPBACK: 'true',
      ...environment(),
    };
    await Promise.all(
      (['api', 'worker'] as const).map((name) => start(name, { ...common, METRICS_PORT: String(metricsPorts[name]) })),
    );
    merchant = createMerchant(`http://127.0.0.1:${port}`, (await makeKey(db.sql)).key);
  });
  after('end API and worker', async function () {
    this.timeout(30_000);
    await Promise.all(
      children.map(async (child) => {
        if (child.exitCode !== null || child.signalCode !== null) return;
        const gone = once(child, 'exit');
        child.kill('SIGTERM');
        await gone;
      }),
    );
  });

  async function start(name: 'api' | 'worker', env: NodeJS.ProcessEnv): Promise<void> {
    const child = spawn(process.execPath, [`src/processes/${name}.ts`], {
      cwd: fileURLToPath(new URL('../../', import.meta.url)),
      env,
      stdio: ['ignore', 'pipe', 'inherit', 'ipc'],
    });
    children.push(child);
    let isReady = false;
    child.on('message', () => {
      isReady = true;
    });
    let rest = '';
    child.stdout?.on('data', (chunk: Buffer) => {
      const texts = (rest + chunk).split('\n');
      rest = texts.pop() ?? '';
      for (const text of texts) if (text.startsWith('{')) lines.push({ ...JSON.parse(text), text });
    });
    await until(`the ${name} is ready`, () => isReady || child.exitCode !== null, 60_000);
    if (child.exitCode !== null) throw new Error(`the ${name} has ended with ${child.exitCode}`);
  }

  return {
    lines,
    get merchant() {
      if (merchant === undefined) throw new Error('the processes are there only while the tests of their describe run');
      return merchant;
    },
    async scrape(name) {
      const answer = await fetch(`http://127.0.0.1:${metricsPorts[name]}/metrics`);
      if (answer.status !== 200) throw new Error(`/metrics answered ${answer.status}`);
      return answer.text();
    },
  };
}

/** A free port whose successor is free too: the worker's SDK takes that. */
async function findFreePair(): Promise<number> {
  for (;;) {
    const [port = 0] = await findFreePorts(1);
    if ((await probePort(port + 1)) === 'free') return port;
  }
}
