import assert from 'node:assert/strict';
import { type ChildProcess, spawn } from 'node:child_process';
import { randomBytes } from 'node:crypto';
import { once } from 'node:events';
import { fileURLToPath } from 'node:url';
import { after } from 'mocha';
import { findFreePorts } from '../../../dev/ports.ts';
import { temporalServer, testNamespace } from '../../support/temporal.ts';
import { type Balancer, startBalancer } from './balancer.ts';

const thisVersion = fileURLToPath(new URL('../../../', import.meta.url));
const thesePrograms = 'src/processes';
/** Where the former version has its programs. */
export const formerPrograms = 'src/runtime';

export interface Member {
  kind: 'api' | 'worker';
  /** Of an API. */
  port: number;
  child: ChildProcess;
}

/** The API processes behind their balancer, and the workers: as in production, on one machine. */
export interface Fleet {
  readonly balancer: Balancer;
  /** Starts a process of this version, or of the one in `folder`; resolves when it does its work. */
  start(kind: Member['kind'], folder?: string): Promise<Member>;
  /** Ends a process by SIGTERM, which tells nobody else; answers how it ended. */
  end(member: Member): Promise<{ code: number | null; signal: string | null }>;
}

/** A fleet for the tests of the calling `describe`, on this database; to be started inside of a test. */
export function useFleet() {
  const children = new Set<ChildProcess>();
  let balancer: Balancer | undefined;
  after('end the fleet', async () => {
    for (const child of children) child.kill('SIGKILL');
    await balancer?.close();
  });

  return async (databaseUrl: string, ledger: string): Promise<Fleet> => {
    balancer = await startBalancer();
    const fleetBalancer = balancer;
    const common = {
      PATH: process.env.PATH,
      DATABASE_URL: databaseUrl,
      TEMPORAL_ADDRESS: await temporalServer(),
      TEMPORAL_NAMESPACE: testNamespace,
      TEMPORAL_TASK_QUEUE: `test-${randomBytes(6).toString('hex')}`,
      ENCRYPTION_KEYS: `test:${randomBytes(32).toString('base64')}`,
      SANDBOX_LEDGER: ledger,
      RATE_LIMIT_PER_SECOND: '100000',
      RATE_LIMIT_BURST: '100000',
      DRAIN_DELAY_SECONDS: '3',
      LOG_LEVEL: process.env.TEST_LOG_LEVEL ?? 'error',
    };
    return {
      balancer: fleetBalancer,
      async start(kind, folder = thisVersion) {
        const [port = 0] = await findFreePorts(1);
        const programs = folder === thisVersion ? thesePrograms : formerPrograms;
        const child = spawn(process.execPath, [`${programs}/${kind}.ts`], {
          cwd: folder,
          env: { ...common, PORT: String(port) },
          stdio: ['ignore', 'inherit', 'inherit', 'ipc'],
        });
        children.add(child);
        child.once('exit', () => children.delete(child));
        const [message] = await Promise.race([once(child, 'message'), once(child, 'exit')]);
        assert.equal(message, 'ready', `the ${kind} ended before it was ready`);
        if (kind === 'api') await fleetBalancer.add(port);
        return { kind, port, child };
      },
      async end({ child }) {
        const exit = once(child, 'exit');
        child.kill('SIGTERM');
        const [code, signal] = await exit;
        return { code, signal };
      },
    };
  };
}
