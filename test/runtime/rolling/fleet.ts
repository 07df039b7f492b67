import { randomBytes } from 'node:crypto';
import { after } from 'mocha';
import { findFreePorts } from '../../../dev/ports.ts';
import { type ServiceProcess, spawnProcess } from '../../support/process.ts';
import { temporalServer, testNamespace } from '../../support/temporal.ts';
import { type Balancer, startBalancer } from './balancer.ts';

type Kind = 'api' | 'worker' | 'pages';

/** The API processes behind their balancer, and the workers: as in production, on one machine. */
export interface Fleet {
  readonly balancer: Balancer;
  /** Starts a process of this version, or of the one in `folder`; resolves when it does its work. */
  start(kind: Kind, folder?: string): Promise<ServiceProcess>;
}

/** A fleet for the tests of the calling `describe`, on this database; to be started inside of a test. */
export function useFleet() {
  const members: ServiceProcess[] = [];
  let balancer: Balancer | undefined;
  after('end the fleet', async () => {
    await Promise.all(members.map((member) => member.end('SIGKILL')));
    await balancer?.close();
  });

  return async (databaseUrl: string, ledger: string): Promise<Fleet> => {
    balancer = await startBalancer();
    const fleetBalancer = balancer;
    const common = {
      DATABASE_URL: databaseUrl,
      TEMPORAL_ADDRESS: await temporalServer(),
      TEMPORAL_NAMESPACE: testNamespace,
      TEMPORAL_TASK_QUEUE: `test-${randomBytes(6).toString('hex')}`,
      ENCRYPTION_KEYS: `test:${randomBytes(32).toString('base64')}`,
      SANDBOX_LEDGER: ledger,
      RATE_LIMIT_PER_SECOND: '100000',
      RATE_LIMIT_BURST: '100000',
      DRAIN_DELAY_SECONDS: '2', // the balancer asks ten times a second
      LOG_LEVEL: process.env.TEST_LOG_LEVEL ?? 'error',
    };
    return {
      balancer: fleetBalancer,
      async start(kind, folder) {
        const [port = 0] = await findFreePorts(1);
        const command = [`src/processes/${kind}.ts`];
        const member = spawnProcess(kind, { ...common, PORT: String(port) }, { command, folder });
        members.push(member);
        await member.ready();
        if (kind === 'api') await fleetBalancer.add(port);
        return member;
      },
    };
  };
}
