// The programs that stand in for Stripe, each as a server of this machine that ends with the test.

import { mkdir } from 'node:fs/promises';
import { fileURLToPath } from 'node:url';
import { type Daemon, startDaemon } from '../../dev/daemon.ts';
import { findFreePorts } from '../../dev/ports.ts';
import { print } from '../../src/platform/terminal.ts';
import { childEnvironment } from '../../src/processes/config/config.ts';
import { eventually } from '../eventually.ts';
import { type RigProgram, rigProgram } from './programs.ts';

/** A server in place of Stripe. */
export interface RigServer {
  /** Without a slash at its end. */
  readonly url: string;
  readonly pid: number;
  readonly logFile: string;
  /** Ends it; its files stay. */
  stop(): Promise<void>;
}

/** A key of Stripe's test mode that all of these servers take. */
export const rigKey = 'sk_test_rig1234567890';

const loopbackFolder = fileURLToPath(new URL('loopback/', import.meta.url));
const upTimeoutMs = 30_000;

/**
 * Starts localstripe. It takes every key that begins with `sk_`, and shows all of them the same store. With `keeps`,
 * that is in the folder too: started there again, it has all that was answered. Each request then takes 0.4 ms more for
 * each payment so far.
 * @throws RigUnavailable
 */
export function startLocalStripe(folder: string, { keeps = false } = {}): Promise<RigServer> {
  const env = { PYTHONPATH: loopbackFolder, RIG_FOLDER: folder, RIG_KEEPS: String(keeps), PYTHONUNBUFFERED: '1' };
  const args = keeps ? [] : ['--from-scratch'];
  return start('localstripe', folder, (port) => ({
    args: ['--port', String(port), ...args],
    env,
    path: '/v1/balance',
  }));
}

/**
 * Starts stripe-mock: it checks requests against Stripe's own OpenAPI document, and keeps nothing.
 * @throws RigUnavailable
 */
export function startStripeMock(folder: string): Promise<RigServer> {
  // Without an address for HTTPS it takes port 12112 of all addresses, and there can be one alone.
  const argsOf = (port: number) => ['-http-addr', `127.0.0.1:${port}`, '-https-addr', '127.0.0.1:0'];
  return start('stripe-mock', folder, (port) => ({ args: argsOf(port), env: {}, path: '/v1/balance' }));
}

/** Starts stripe-stateful-mock, which has charges and keys, and no payment intents. @throws RigUnavailable */
export function startStatefulMock(folder: string): Promise<RigServer> {
  return start('stripe-stateful-mock', folder, (port) => ({
    args: [],
    env: { PORT: String(port), HOST: '127.0.0.1', LOG_LEVEL: 'silent' },
    path: '/',
  }));
}

/** Starts emulate with its Stripe alone. @throws RigUnavailable */
export function startEmulate(folder: string): Promise<RigServer> {
  return start('emulate', folder, (port) => ({
    args: ['start', '--service', 'stripe', '--port', String(port)],
    env: { NODE_OPTIONS: '' },
    path: '/v1/customers',
  }));
}

interface Start {
  args: readonly string[];
  env: Record<string, string>;
  /** What it answers when it is up. */
  path: string;
}

async function start(name: RigProgram, folder: string, startOf: (port: number) => Start): Promise<RigServer> {
  const [program, ...first] = await rigProgram(name, (line) => print(`      ${line}`));
  await mkdir(folder, { recursive: true, mode: 0o700 });
  const [port = 0] = await findFreePorts(1);
  const { args, env, path } = startOf(port);
  const daemon: Daemon = await startDaemon({
    name,
    dataDir: folder,
    command: program,
    args: [...first, ...args],
    env: childEnvironment(env),
    cwd: folder,
    stopSignal: 'SIGTERM',
    stopTimeoutMs: 5_000,
  });
  const url = `http://127.0.0.1:${port}`;
  const ended = daemon.exited.then((how) => ({ how }));
  const isUp = async () => {
    const asked = fetch(url + path, { headers: { authorization: `Bearer ${rigKey}` } }).then(
      (response) => response.status < 500 && 'up',
      () => null,
    );
    const first = await Promise.race([asked, ended]);
    if (typeof first === 'object' && first !== null)
      throw new Error(`${name} ended (${first.how}):\n${await daemon.output()}`);
    return first;
  };
  try {
    await eventually(`${name} is up`, isUp, { timeoutMs: upTimeoutMs, everyMs: 50 });
  } catch (error) {
    await daemon.stop();
    throw error;
  }
  return { url, pid: daemon.pid, logFile: daemon.logFile, stop: () => daemon.stop() };
}
