import assert from 'node:assert/strict';
import { fork } from 'node:child_process';
import { once } from 'node:events';
import { mkdtemp, readFile, rm, stat, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { verifyWebhook } from '@payments-service/client';
import { findFreePorts } from '../../dev/ports.ts';
import { eventually } from '../../lab/eventually.ts';
import { type LoopbackServer, type Received, serveOnLoopback } from '../../lab/loopback-server.ts';
import { chanceOf } from '../../lab/random.ts';
import { eventBody } from '../../src/resources/event.ts';
import { useStage } from '../support/stage.ts';
import { cliEnvironment, payments, type RunningCli, startPayments } from './command-line.ts';

const secret = 'whsec_c2VjcmV0IG9mIGEgbGlzdGVuZXIgaW4gdGhlIHRlc3Q=';

describe('payments listen', function () {
  this.timeout(120_000);
  const stage = useStage();
  let folder = '';
  let receiver: LoopbackServer;
  let received: Received[] = [];
  /** The statuses of the next responses; then 204. */
  let statuses: number[] = [];
  const running: RunningCli[] = [];

  before('start a receiver', async () => {
    receiver = await serveOnLoopback((request, response) => {
      received.push(request);
      response.writeHead(statuses.shift() ?? 204).end();
    });
  });
  beforeEach('forget', async () => {
    folder = await mkdtemp(join(tmpdir(), 'payments-listen-'));
    received = [];
    statuses = [];
  });
  afterEach('end the listeners', async () => {
    await Promise.all(running.splice(0).map((listener) => listener.end('SIGKILL')));
    await rm(folder, { recursive: true, force: true });
  });
  after('close the receiver', () => receiver.close());

  const env = () => ({
    HOME: folder,
    BASE_URL: stage.api.url,
    API_KEY: stage.keys.sandboxSecret,
    WEBHOOK_SECRET: secret,
  });

  async function listen(...args: string[]): Promise<RunningCli> {
    const listener = startPayments(['listen', '--forward', `${receiver.url}/hook`, ...args], env());
    running.push(listener);
    await listener.printed(/Ready|"ready":true/);
    return listener;
  }
  const got = () => received.map(({ body }) => JSON.parse(body));
  const types = () => got().map(({ event_type }) => event_type);
  const arrived = (count: number) => eventually(`${count} events`, () => received.length >= count);

  /** Two events: one payment succeeds, one is canceled. */
  async function twoEvents(): Promise<void> {
    const { id: customer_id } = await stage.merchant.payer();
    const { id } = await stage.merchant.intent({ customer_id });
    const [card] = (await stage.request('GET', `/customers/${customer_id}/payment_methods`)).body.payment_methods;
    await stage.merchant.client.paymentIntents.confirm(id, { payment_method: card.id });
    const other = await stage.merchant.intent({});
    await stage.merchant.client.paymentIntents.cancel(other.id);
  }

  it('posts new events in order, with the body and the signature of the service’s own webhooks', async () => {
    await twoEvents();
    await listen();
    await twoEvents();
    await arrived(2);
    assert.deepEqual(types(), ['payment_intent.succeeded', 'payment_intent.canceled']);
    for (const { body, headers, method, path } of received) {
      const event = verifyWebhook(body, headers, secret);
      assert.equal(headers['webhook-id'], event.id);
      assert.deepEqual([method, path, headers['content-type']], ['POST', '/hook', 'application/json']);
      const [row] = await stage.db.sql`select *, data::text as data from events where id = ${event.id}`;
      assert.equal(body, eventBody(row as Parameters<typeof eventBody>[0]));
    }
  });

  it('continues at its place when it is started again, and begins elsewhere with --since', async () => {
    const first = await listen();
    await twoEvents();
    await arrived(2);
    assert.equal(await first.end('SIGINT'), 0);
    await twoEvents();
    assert.equal(received.length, 2);

    const second = await listen();
    await arrived(4);
    await second.end();
    const sequences = got().map(({ sequence }) => sequence);
    assert.deepEqual(
      sequences,
      sequences.toSorted((a, b) => a - b),
    );
    assert.equal(new Set(sequences).size, 4);

    const third = await listen('--since', got()[2].id);
    await arrived(5);
    await third.end();
    await listen('--since', 'beginning');
    await arrived(9);
    assert.deepEqual(
      got().map(({ sequence }) => sequences.indexOf(sequence)),
      [0, 1, 2, 3, 3, 0, 1, 2, 3],
    );
  });

  it('sends an event again until it is accepted, and none before it', async () => {
    statuses = [500, 302, 404];
    const listener = await listen('--json');
    await twoEvents();
    await arrived(5);
    assert.deepEqual(types().slice(0, 4), Array(4).fill('payment_intent.succeeded'));
    assert.equal(types()[4], 'payment_intent.canceled');
    await listener.printed(/"event_type":"payment_intent.canceled".*\n/);
    const [start, ...attempts] = listener.stdout
      .trim()
      .split('\n')
      .map((line) => JSON.parse(line));
    assert.deepEqual([start.ready, start.secret], [true, secret]);
    assert.deepEqual(
      attempts.map(({ attempt, status, next_attempt_ms }) => [attempt, status, next_attempt_ms !== null]),
      [
        [1, 500, true],
        [2, 302, true],
        [3, 404, true],
        [4, 204, false],
        [1, 204, false],
      ],
    );
  });

  it('gives an event up after --skip-after attempts, and goes on', async () => {
    statuses = [500, 500];
    const listener = await listen('--skip-after', '2');
    await twoEvents();
    await arrived(3);
    assert.deepEqual(types(), ['payment_intent.succeeded', 'payment_intent.succeeded', 'payment_intent.canceled']);
    assert.match(listener.stdout, /500 in \d+ ms, given up/);
  });

  it('forwards only the types and the clock that are asked for', async () => {
    await listen('--types', 'payment_intent.canceled,test_clock.*');
    const clock = await stage.merchant.clock('2027-01-10T00:00:00Z');
    await listen('--clock', clock.id, '--since', 'beginning', '--place', join(folder, 'place.json'));
    await twoEvents();
    await arrived(3);
    assert.deepEqual(types().toSorted(), ['payment_intent.canceled', 'test_clock.created', 'test_clock.created']);
  });

  it('keeps its own secret where the environment has none, in a file that only its owner can read', async () => {
    const place = join(folder, 'place.json');
    const { WEBHOOK_SECRET: _, ...rest } = env();
    const secrets: string[] = [];
    for (let start = 0; start < 2; start += 1) {
      const listener = startPayments(['listen', '--forward', receiver.url, '--place', place], rest);
      running.push(listener);
      await listener.printed(/Signing secret: whsec_\S+/);
      secrets.push(/whsec_\S+/.exec(listener.stdout)?.[0] ?? '');
      await listener.end();
    }
    assert.equal(secrets[0], secrets[1]);
    assert.equal((await stat(place)).mode & 0o777, 0o600);
  });

  it('begins with the first event if the service has lost the event of its place', async () => {
    await twoEvents();
    const place = join(folder, 'place.json');
    await writeFile(place, JSON.stringify({ secret, place: { sequence: 5000, event_id: `evt_${'0'.repeat(32)}` } }));
    const listener = await listen('--place', place);
    await arrived(2);
    assert.match(listener.stderr, /other data than before/);
  });

  it('refuses what it cannot do, with a status for scripts', async () => {
    const { API_KEY: _, ...keyless } = env();
    const cases: [string[], Record<string, string>, number, RegExp][] = [
      [['listen'], env(), 2, /--forward is missing/],
      [['listen', '--forward', 'ftp://x'], env(), 2, /http or https/],
      [['listen', '--forward', receiver.url, '--types', 'no'], env(), 2, /not a type of events/],
      [['listen', '--forward', receiver.url], keyless, 2, /There is no key/],
      [['listen', '--forward', receiver.url], { ...env(), API_KEY: 'sk_sandbox_wrong' }, 1, /401/],
      [['listen', '--forward', receiver.url, '--since', 'evt_1'], env(), 1, /resource_missing/],
      [['lisen'], env(), 2, /There is no command "lisen"/],
    ];
    for (const [args, given, status, message] of cases) {
      const { code, stderr } = await payments(args, given, folder);
      assert.equal(code, status, `${args.join(' ')}: ${stderr}`);
      assert.match(stderr, message);
    }
  });

  it('loses none of 1,000 events and keeps their order while it and the receiver are killed 20 times', async () => {
    const [port = 0] = await findFreePorts(1);
    const file = join(folder, 'received');
    await writeFile(file, '');
    const place = join(folder, 'place.json');
    const script = fileURLToPath(new URL('receiving-process.ts', import.meta.url));
    const receive = () =>
      fork(script, {
        execArgv: ['--conditions=payments-source'],
        env: cliEnvironment({ PORT: String(port), RECEIVED: file, WEBHOOK_SECRET: secret }),
      });
    const forward = () => {
      const listener = startPayments(['listen', '--forward', `http://127.0.0.1:${port}`, '--place', place], env());
      running.push(listener);
      return listener;
    };
    let receiving = receive();
    let listener = forward();
    await listener.printed(/Ready/);
    const { sequence: first = 0 } = (await stage.merchant.client.events.list({ limit: 1 })).data[0] ?? {};

    const making = (async () => {
      for (let made = 0; made < 1000; made += 20) {
        const batch = Array.from({ length: 20 }, async () => {
          const { id } = await stage.merchant.intent({});
          await stage.merchant.client.paymentIntents.cancel(id);
        });
        await Promise.all(batch);
      }
    })();
    const sequences = async () => (await readFile(file, 'utf8')).trim().split('\n').filter(Boolean).map(Number);
    const chance = chanceOf('listen');
    try {
      for (let kill = 0; kill < 20; kill += 1) {
        const target = Math.min(960, 40 * (kill + 1) + chance.below(30));
        await eventually(`${target} events`, async () => new Set(await sequences()).size >= target);
        if (kill % 2 === 0) {
          await listener.end('SIGKILL');
          listener = forward();
        } else {
          const ended = once(receiving, 'close');
          receiving.kill('SIGKILL');
          await ended;
          receiving = receive();
        }
      }
      await making;
      await eventually('the last event', async () => (await sequences()).at(-1) === first + 1000);
    } finally {
      receiving.kill('SIGKILL');
    }
    const all = await sequences();
    const expected = Array.from({ length: 1000 }, (_, index) => first + 1 + index);
    // An event whose response was cut off comes again at once, so repetitions stand beside each other.
    assert.deepEqual(
      all.filter((sequence, index) => sequence !== all[index - 1]),
      expected,
    );
    assert.ok(all.length <= 1020, `${all.length - 1000} came twice`);
  });
});
