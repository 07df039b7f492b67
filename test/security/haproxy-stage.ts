import assert from 'node:assert/strict';
import { randomBytes } from 'node:crypto';
import { once } from 'node:events';
import { writeFile } from 'node:fs/promises';
import { createServer, type IncomingMessage } from 'node:http';
import { request } from 'node:https';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { after, before } from 'mocha';
import { findFreePorts } from '../../dev/ports.ts';
import { eventually } from '../../lab/eventually.ts';
import { useFolder } from '../runtime/support.ts';
import { startApiProcess } from '../support/api-process.ts';
import { selfSigned } from '../support/certificate.ts';
import { type TestDatabase, useDatabase } from '../support/database.ts';
import { makeKey } from '../support/factories.ts';
import { findHaproxy, type HaproxyProgram, type RunningHaproxy, startHaproxy } from '../support/haproxy.ts';
import { type HttpAnswer, readAnswer } from '../support/listeners.ts';
import { type NameServer, startNameServer } from '../support/name-server.ts';
import { type LogLine, type ServiceProcess, spawnProcess } from '../support/process.ts';
import { serverStartTimeoutMs, temporalServer, testNamespace } from '../support/temporal.ts';

const config = fileURLToPath(new URL('../../temporal/compose/haproxy.cfg', import.meta.url));
const encryptionKeys = `test:${randomBytes(32).toString('base64')}`;
export const operatorKey = 'a-key-of-operators-that-is-long';
/** Where payers reach the pages. */
export const publicUrl = 'https://pay.example.com';
const pagesAddress = '127.0.0.2';
/** The API processes listen on the same port of different addresses, as containers do. */
export const apiAddresses = ['127.0.0.2', '127.0.0.3'] as const;

/** An HAProxy with the committed configuration: its output and addresses. */
interface Balancer {
  readonly running: RunningHaproxy;
  readonly payments: number;
  readonly pages: number;
  readonly operators: number;
  readonly webUi: number;
}

/** A request as the echo server received it. */
export interface Echoed {
  method: string;
  url: string;
  headers: Record<string, string | string[]>;
}

export interface Stage {
  readonly db: TestDatabase;
  readonly key: string;
  /** Starts the API process of this address, or kills it. */
  start(address: string): Promise<void>;
  end(address: string): Promise<void>;
  /** What the pages have logged. */
  readonly pagesLog: readonly LogLine[];
  /** In front of the two API processes and one of the pages. */
  readonly balancer: Balancer;
  /** The same in front of a server that returns each request. */
  readonly mirror: Balancer;
  /** The name server's addresses by name. */
  readonly addresses: Record<'api' | 'pages' | 'echo', readonly string[]>;
}

/** Starts everything for the tests of the calling `describe`. They are skipped if HAProxy is missing. */
export function useStage(): Stage {
  const db = useDatabase();
  const folder = useFolder();
  const addresses: Stage['addresses'] = { api: apiAddresses, pages: [pagesAddress], echo: ['127.0.0.1'] };
  const echo = createServer((incoming, response) => void echoTo(incoming, (text) => response.end(text)));
  const balancers: Balancer[] = [];
  const apis = new Map<string, ServiceProcess>();
  let apiPort = 0;
  let pagesPort = 0;
  let pages: ServiceProcess | undefined;
  let names: NameServer | undefined;
  let key = '';

  before('start two API processes and one of the pages, and HAProxy before them', async function () {
    this.timeout(serverStartTimeoutMs);
    const program = process.platform === 'linux' ? await findHaproxy() : null;
    if (program === null) {
      console.log(
        '      no HAProxy: the configuration of the balancer is not tried. On Debian: apt-get install haproxy',
      );
      return this.skip();
    }
    names = await startNameServer(addresses);
    await writeFile(join(folder.path, 'certificate.pem'), `${selfSigned.cert}\n${selfSigned.key}\n`);
    echo.listen(0, '127.0.0.1');
    await once(echo, 'listening');
    const echoAddress = echo.address();
    const atEcho = `echo:${typeof echoAddress === 'object' ? echoAddress?.port : ''}`;
    [apiPort = 0, pagesPort = 0] = await findFreePorts(2);
    await Promise.all([...apiAddresses.map(startApi), startPages()]);
    ({ key } = await makeKey(db.sql));
    for (const [API, PAGES] of [[`api:${apiPort}`, `pages:${pagesPort}`] as const, [atEcho, atEcho] as const]) {
      balancers.push(await startBalancer(program, { API, PAGES, WEB_UI: atEcho }));
    }
    await Promise.all(
      balancers
        .flatMap(({ payments, pages: ofPages }) => [payments, ofPages])
        .map((port) =>
          eventually('it has a process to send to', async () => (await askTls(port, '/healthz'))?.status === 200),
        ),
    );
  });
  after('end them', async () => {
    await Promise.all([
      ...balancers.map(({ running }) => running.end()),
      ...[...apis.values()].map((each) => each.end()),
      pages?.end(),
    ]);
    names?.close();
    echo.close();
  });

  async function startApi(HOST: string): Promise<void> {
    const env = { ...(await common()), HOST, PORT: String(apiPort), OPERATOR_KEY: operatorKey };
    apis.set(HOST, await startApiProcess(env));
  }

  async function startPages(): Promise<void> {
    const env = { ...(await common()), HOST: pagesAddress, PAGES_PORT: String(pagesPort), LOG_LEVEL: 'debug' };
    pages = await spawnProcess('pages', env, { isHeard: true }).ready();
  }

  const common = async () => ({
    DATABASE_URL: db.url,
    PUBLIC_URL: publicUrl,
    TRUSTED_PROXY: '127.0.0.1',
    ENCRYPTION_KEYS: encryptionKeys,
    TEMPORAL_ADDRESS: await temporalServer(),
    TEMPORAL_NAMESPACE: testNamespace,
  });

  /** The committed file, with other addresses from its variables. */
  async function startBalancer(
    program: HaproxyProgram,
    backends: { API: string; PAGES: string; WEB_UI: string },
  ): Promise<Balancer> {
    const [payments = 0, operators = 0, webUi = 0, ofPages = 0] = await findFreePorts(4);
    const running = await startHaproxy(program, config, {
      PUBLIC_ADDRESS: `127.0.0.1:${payments}`,
      PAGES_ADDRESS: `127.0.0.1:${ofPages}`,
      OPERATORS_ADDRESS: `127.0.0.1:${operators}`,
      WEB_UI_ADDRESS: `127.0.0.1:${webUi}`,
      CERTIFICATE: join(folder.path, 'certificate.pem'),
      NAME_SERVER: names?.address ?? '',
      ...backends,
    });
    return { running, payments, pages: ofPages, operators, webUi };
  }

  const existing = (index: number): Balancer => {
    const found = balancers[index];
    assert.ok(found, 'the balancers are there only while the tests of their describe run');
    return found;
  };
  return {
    db,
    addresses,
    start: startApi,
    async end(address) {
      await apis.get(address)?.end('SIGKILL');
    },
    get pagesLog() {
      return pages?.lines ?? [];
    },
    get key() {
      return key;
    },
    get balancer() {
      return existing(0);
    },
    get mirror() {
      return existing(1);
    },
  };
}

export interface Sent {
  method?: string;
  headers?: Record<string, string | string[]>;
  body?: string;
  /** The address of this machine that the connection comes from: another one is another client. */
  from?: string;
}

/** Sends one request to the public side on a new connection. Returns null if there is no response. */
export function askTls(port: number, path: string, sent: Sent = {}): Promise<HttpAnswer | null> {
  const { method = 'GET', headers = {}, body, from = '127.0.0.1' } = sent;
  return new Promise((resolve) => {
    const outgoing = request(
      { host: '127.0.0.1', port, path, method, headers, localAddress: from, ca: selfSigned.cert, agent: false },
      (answer) => resolve(readAnswer(answer)),
    );
    outgoing.on('error', () => resolve(null));
    outgoing.end(body);
  });
}

async function echoTo(incoming: IncomingMessage, end: (text: string) => void): Promise<void> {
  for await (const _ of incoming);
  const { method, url, headers } = incoming;
  end(JSON.stringify({ method, url, headers }));
}
