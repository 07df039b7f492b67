import assert from 'node:assert/strict';
import { spawn } from 'node:child_process';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir, userInfo } from 'node:os';
import { join } from 'node:path';
import { after, before, beforeEach, describe, it } from 'mocha';
import { type LoopbackServer, type Received, serveOnLoopback } from '../../lab/loopback-server.ts';
import { type Ran, root } from '../../lab/run-program.ts';
import { ask } from '../../lab/stripe-rig/exchange.ts';
import { type RigServer, startStripeMock } from '../../lab/stripe-rig/servers.ts';
import { checkMode, listAccounts, openAccounts, readAccount } from '../../processors/stripe/accounts.ts';
import { command } from '../../processors/stripe/command.ts';
import { readStripeApiUrl } from '../../processors/stripe/config.ts';
import { ensureSchema } from '../../processors/stripe/schema.ts';
import { openKey } from '../../processors/stripe/sealed-keys.ts';
import { createStripeProcessor } from '../../processors/stripe/server.ts';
import { realNow } from '../../src/platform/real-time.ts';
import { childEnvironment } from '../../src/processes/config/config.ts';
import { createBiller, ensureDemoBiller } from '../../src/services/accounts/billers.ts';
import { useFolder } from '../runtime/support.ts';
import { needsPrograms } from '../stripe-rig/support.ts';
import { useDatabase } from '../support/database.ts';
import { tester } from '../support/factories.ts';
import { sealingKeys } from './support.ts';

const testKey = 'sk_test_51HarbourGym0000abcd';
const liveKey = 'rk_live_51HarbourGym0000wxyz';
const encryptionKeys = sealingKeys.map(({ id, key }) => `${id}:${key.toString('base64')}`).join();

describe('npm run payments -- processors', function () {
  this.timeout(120_000); // each run loads the program anew
  needsPrograms('stripe-mock');
  const db = useDatabase();
  const folder = useFolder();
  let dataDir = '';
  let billerId = '';
  let mock: RigServer;
  /** stripe-mock, and what a test makes it say. */
  let stripe: LoopbackServer;
  let takesPayments = true;
  let skewMs = 0;
  let refused: { call: RegExp; status: number } | null = null;
  /** The webhook endpoints that were made, and the secret that a new one gets. */
  const endpoints = { made: [] as object[], given: '' };

  before('start as development does, and a server in place of Stripe', async () => {
    dataDir = await mkdtemp(join(tmpdir(), 'payments-processors-'));
    ({ billerId } = await ensureDemoBiller(db.sql, null));
    await writeFile(join(dataDir, 'development.json'), JSON.stringify({ database_url: db.url, biller_id: billerId }));
    await writeFile(join(dataDir, 'encryption.key'), encryptionKeys, { mode: 0o600 });
    mock = await startStripeMock(folder.path);
    stripe = await serveOnLoopback(async (received, response) => {
      const call = `${received.method} ${received.path}`;
      if (refused?.call.test(call)) {
        const error = { type: 'invalid_request_error', message: 'No.' };
        return response
          .writeHead(refused.status, { 'content-type': 'application/json' })
          .end(JSON.stringify({ error }));
      }
      const answered = await ask(mock.url, received);
      const { status, headers } = answered;
      const body = /^\/v1\/webhook_endpoints\b/.test(received.path)
        ? endpointsIn(received, answered.body)
        : answered.body;
      const said = body.replace(/"charges_enabled": ?false/, `"charges_enabled": ${takesPayments}`);
      const date = new Date(Date.now() + skewMs).toUTCString();
      response.writeHead(status, { ...headers, date, 'request-id': 'req_1' }).end(said);
    });
  });
  beforeEach('empty the schema', async () => {
    await ensureSchema(db.sql);
    await db.sql`delete from processor_stripe.accounts`;
    endpoints.made.length = 0;
    takesPayments = true;
    skewMs = 0;
    refused = null;
  });
  after('end it', async () => {
    await stripe?.close();
    await mock?.stop();
    await rm(dataDir, { recursive: true, force: true });
  });

  /** What stripe-mock keeps nothing of. */
  function endpointsIn({ method, body }: Received, answer: string): string {
    if (method === 'GET') return JSON.stringify({ ...JSON.parse(answer), data: endpoints.made });
    const form = new URLSearchParams(body);
    const events = [...form].filter(([name]) => name.startsWith('enabled_events')).map(([, value]) => value);
    const made = { ...JSON.parse(answer), url: form.get('url'), status: 'enabled', enabled_events: events };
    endpoints.made.push(made);
    return JSON.stringify({ ...made, secret: endpoints.given });
  }

  /** Runs the program as npm does, with a key on standard input. */
  function processors(line: string, { input = '', env = {} as Record<string, string> } = {}): Promise<Ran> {
    const args = ['--conditions=payments-source', '--import', './setup.mjs', 'tools/payments.mjs', 'processors'];
    return run(process.execPath, [...args, ...line.split(' ').filter((word) => word !== '')], input, env);
  }
  function run(program: string, args: string[], input: string, more: Record<string, string> = {}): Promise<Ran> {
    const none = { DATABASE_URL: '', ENCRYPTION_KEYS: '', STRIPE_API_URL: '', NODE_OPTIONS: '' };
    const env = childEnvironment({ ...none, DATA_DIR: dataDir, ...more });
    const child = spawn(program, args, { cwd: root, env, stdio: ['pipe', 'pipe', 'pipe'] });
    const ran: Ran = { code: null, stdout: '', stderr: '' };
    for (const name of ['stdout', 'stderr'] as const) {
      child[name].setEncoding('utf8').on('data', (text: string) => {
        ran[name] += text;
      });
    }
    child.stdin.on('error', () => {}); // it may end before it reads
    child.stdin.end(input);
    return new Promise((resolve) => child.once('close', (code) => resolve({ ...ran, code })));
  }
  const stored = async () =>
    (await listAccounts(db.sql)).map((row) => [row.account, row.livemode, row.key_hint, row.status, row.reason]);
  const keyOf = async (livemode: boolean) => {
    const place = { account: billerId, livemode };
    return openKey(sealingKeys, (await readAccount(db.sql, place)).sealed_key, place);
  };
  const add = (mode = 'sandbox', input = testKey) => processors(`add stripe --mode ${mode} --json`, { input });
  const verify = (env: Record<string, string> = { STRIPE_API_URL: stripe.url }) =>
    processors('verify stripe --mode sandbox --json', { env });
  const statusOf = async () => (await stored())[0]?.[3];

  it('adds an account with its key from standard input, as npm runs it, and prints all but the key', async () => {
    const args = ['run', '--silent', 'payments', '--', 'processors', 'add', 'stripe'];
    const { code, stdout, stderr } = await run(
      'npm',
      [...args, '--biller', billerId, '--mode', 'live', '--json'],
      liveKey,
    );
    assert.equal(code, 0, stderr);
    assert.deepEqual(JSON.parse(stdout), {
      ...{ account: billerId, mode: 'live', processor: 'stripe', key_hint: 'wxyz', has_notice_secret: false },
      ...{ status: 'unverified', reason: null },
    });
    assert.equal(await keyOf(true), liveKey);
    assert.ok(!(stdout + stderr).includes(liveKey.slice(8)));
    const [row] = await listAccounts(db.sql);
    assert.equal(row?.changed_by, userInfo().username);
  });

  it('takes white space around a key away, the demo biller if none is given, and both modes beside each other', async () => {
    assert.equal((await add('sandbox', `\n  ${testKey}\t\r\n`)).code, 0);
    assert.equal((await add('live', liveKey)).code, 0);
    assert.deepEqual([await keyOf(false), await keyOf(true)], [testKey, liveKey]);
    assert.equal((await stored()).length, 2);
  });

  it('works with DATABASE_URL and ENCRYPTION_KEYS alone, as other commands do', async () => {
    const nowhere = join(folder.path, 'nothing');
    const env = { DATABASE_URL: db.url, ENCRYPTION_KEYS: encryptionKeys, DATA_DIR: nowhere };
    const line = `add stripe --biller ${billerId} --mode sandbox`;
    const { code, stdout } = await processors(line, { input: testKey, env });
    assert.equal(code, 0);
    assert.match(stdout, /^key_hint: abcd$/m);
    const without = await processors(line, { input: testKey, env: { ...env, ENCRYPTION_KEYS: '' } });
    assert.equal(without.code, 1);
    assert.match(without.stderr, /Set ENCRYPTION_KEYS/);
    const other = await processors('list', { env: { DATA_DIR: nowhere } });
    assert.equal(other.code, 1);
    assert.match(other.stderr, /^No service runs from/);
  });

  for (const [what, mode, input, says] of [
    ['a test key for live mode', 'live', testKey, /test mode\. For live mode, give one that begins with sk_live_/],
    ['a live key for the sandbox', 'sandbox', liveKey, /This is a live key\. For the sandbox/],
    ['no key', 'live', '', /No key came on standard input/],
    ['a publishable key', 'live', 'pk_live_51HarbourGym0000abcd', /not a secret or restricted key of Stripe/],
  ] as const) {
    it(`refuses ${what} with exit status 1, says why without the key, and stores nothing`, async () => {
      const { code, stdout, stderr } = await add(mode, input);
      assert.deepEqual([code, stdout], [1, '']);
      assert.match(stderr, says);
      assert.ok(!stderr.includes('HarbourGym'), stderr);
      assert.deepEqual(await stored(), []);
    });
  }

  it('takes nothing else for a key than what Stripe gives out for a server', () => {
    for (const key of [
      ...[
        'rk_live_51Harbour\nGym0000wxyz',
        'whsec_51HarbourGym0000abcd',
        'sk_sandbox_51HarbourGym0000abcd',
        'sk_live_x',
      ],
      ...['pk_live_51HarbourGym0000abcd', `${liveKey}\n`, ` ${liveKey}`, 'SK_LIVE_51HarbourGym0000abcd'],
    ]) {
      assert.throws(() => checkMode(key, true), /not a secret or restricted key of Stripe/, key);
    }
    checkMode(liveKey, true);
    checkMode(testKey, false);
  });

  it('refuses a biller that is not there, with exit status 2 and how it is used', async () => {
    const { code, stderr } = await processors('add stripe --biller acct_nobody --mode sandbox', { input: testKey });
    assert.equal(code, 2);
    assert.match(stderr, /^There is no biller acct_nobody.*\n\nUsage:/);
    assert.deepEqual(await stored(), []);
  });

  for (const [line, says] of [
    ['add stripe --mode test', /--mode must be live or sandbox/],
    ['add stripe', /--mode must be live or sandbox/],
    ['add adyen --mode sandbox', /stripe is the one that is there/],
    ['add', /stripe is the one that is there/],
    ['add stripe more --mode sandbox', /"more" is too much/],
    ['list stripe', /"stripe" is too much/],
    ['forget stripe --mode sandbox', /There is no command "forget"/],
    [`add stripe --mode sandbox --key ${testKey}`, /Unknown option '--key'/],
    ['', /Give a command/],
  ] as const) {
    it(`refuses "${line}", and says what is wrong`, async () => {
      const words = line.split(' ').filter((word) => word !== '');
      const run = async () => command.run(words, async () => ({ sql: db.sql }) as never);
      await assert.rejects(run, says);
    });
  }

  it('needs the biller by name if there are several and none is the demo biller', async () => {
    const second = await createBiller(db.sql, { name: 'Second', by: tester, now: realNow() });
    const env = { DATABASE_URL: db.url, ENCRYPTION_KEYS: encryptionKeys, DATA_DIR: join(folder.path, 'nothing') };
    const { code, stderr } = await processors('add stripe --mode sandbox', { input: testKey, env });
    assert.equal(code, 2);
    assert.match(stderr, /Give the biller with --biller/);
    await processors(`add stripe --biller ${second.id} --mode sandbox`, { input: testKey, env });
    assert.deepEqual(
      (await stored()).map(([account]) => account),
      [second.id],
    );
  });

  it('lists accounts without their keys, in both forms, and none at first', async () => {
    assert.deepEqual(JSON.parse((await processors('list --json')).stdout), []);
    await add();
    const json = JSON.parse((await processors('list --json')).stdout);
    assert.deepEqual(json, [
      {
        ...{ account: billerId, mode: 'sandbox', processor: 'stripe', key_hint: 'abcd', status: 'unverified' },
        ...{ has_notice_secret: false, reason: null, changed_by: userInfo().username },
      },
    ]);
    const { stdout } = await processors('list');
    assert.match(stdout, new RegExp(`${billerId} +sandbox +stripe +abcd +unverified`));
    assert.ok(!stdout.includes(testKey.slice(8)));
  });

  it('rotates the key of an account, which is unverified then, and refuses an account that is not there', async () => {
    const newKey = 'sk_test_51HarbourGym0000newk';
    const rotate = () => processors('rotate stripe --mode sandbox --json', { input: newKey });
    const none = await rotate();
    assert.equal(none.code, 1);
    assert.match(none.stderr, new RegExp(`${billerId} has no Stripe account for the sandbox`));
    assert.deepEqual(await stored(), []);
    await add();
    await verify();
    assert.equal(await statusOf(), 'active');
    const { code, stdout } = await rotate();
    assert.deepEqual([code, JSON.parse(stdout).key_hint, JSON.parse(stdout).status], [0, 'newk', 'unverified']);
    assert.equal(await keyOf(false), newKey);
    const wrong = await processors('rotate stripe --mode sandbox', { input: liveKey });
    assert.equal(wrong.code, 1);
    assert.equal(await keyOf(false), newKey);
  });

  const noticeSecret = 'whsec_51HarbourGymNotices0000';
  const secretOf = async (livemode = false) => {
    const place = { account: billerId, livemode };
    const { sealed_notice_secret: sealed } = await readAccount(db.sql, place);
    return sealed && openKey(sealingKeys, sealed, place, 'notice_secret');
  };

  it('takes the secret of notices on the second line of a new account, or alone for one that is there', async () => {
    const both = await processors('add stripe --mode sandbox --notice-secret --json', {
      input: `${testKey}\n${noticeSecret}\n`,
    });
    assert.equal(both.code, 0, both.stderr);
    assert.equal(JSON.parse(both.stdout).has_notice_secret, true);
    assert.deepEqual([await keyOf(false), await secretOf()], [testKey, noticeSecret]);
    const other = `${noticeSecret}new`;
    const rotated = await processors('rotate stripe --mode sandbox --notice-secret --json', { input: other });
    assert.equal(rotated.code, 0, rotated.stderr);
    assert.deepEqual([await keyOf(false), await secretOf()], [testKey, other]);
    assert.ok(!(both.stdout + both.stderr + rotated.stdout + rotated.stderr).includes(noticeSecret));
    await add();
    assert.equal(await secretOf(), other, 'a new key leaves it as it is');
  });

  for (const [what, line, input, says] of [
    ['a key where the secret is', 'rotate stripe --mode sandbox --notice-secret', testKey, /those begin with whsec_/],
    ['no secret', 'rotate stripe --mode sandbox --notice-secret', '', /No notice secret came/],
    ['a key without a secret', 'add stripe --mode sandbox --notice-secret', testKey, /No notice secret came/],
    ['a secret without a key', 'add stripe --mode sandbox --notice-secret', noticeSecret, /not a secret or restricted/],
    ['a secret for verify', 'verify stripe --mode sandbox --notice-secret', noticeSecret, /for add and rotate alone/],
    ['an address for add', 'add stripe --mode sandbox --webhook-url https://x.example', testKey, /for verify alone/],
  ] as const) {
    it(`refuses ${what}, and stores nothing`, async () => {
      const { code, stderr } = await processors(line, { input });
      assert.notEqual(code, 0);
      assert.match(stderr, says);
      assert.ok(!stderr.includes('HarbourGym'), stderr);
      assert.deepEqual(await stored(), []);
    });
  }

  it('registers an address for notices once, and seals the secret that Stripe gives for it', async () => {
    await add();
    const url = `https://pay.example.com/webhooks/stripe/${billerId}`;
    const register = (address: string) =>
      processors(`verify stripe --mode sandbox --webhook-url ${address} --json`, {
        env: { STRIPE_API_URL: stripe.url },
      });
    for (const wrong of [url.replace('https', 'http'), `${url}x`, `${url}?a=1`, 'nowhere']) {
      const { code, stderr } = await register(wrong);
      assert.deepEqual([code, /must be an https address that ends with/.test(stderr)], [1, true], wrong);
    }
    endpoints.given = noticeSecret;
    const ran = await register(url);
    assert.deepEqual([ran.code, found(ran, 'webhook endpoint')?.is], [0, 'right'], ran.stdout + ran.stderr);
    assert.equal(await secretOf(), noticeSecret);
    assert.ok(!ran.stdout.includes(noticeSecret));
    assert.equal(endpoints.made.length, 1);
    assert.equal((await register(url)).code, 0);
    assert.equal((await verify()).code, 0);
    assert.equal(endpoints.made.length, 1, 'it is there');
    await db.sql`update processor_stripe.accounts set sealed_notice_secret = null`;
    const lost = await verify();
    assert.equal(lost.code, 1);
    assert.match(found(lost, 'webhook endpoint')?.says ?? '', /its secret is not here/);
    assert.equal(await statusOf(), 'active', 'payments are taken without notices too');
  });

  it('disables an account: a running processor responds 403 at once and asks Stripe nothing, until a key is added', async () => {
    await add();
    const before = stripe.connections;
    const secret = 'x'.repeat(32);
    const accounts = openAccounts(db.sql, sealingKeys, stripe.url);
    const logger = (await import('pino')).default({ level: 'silent' });
    const server = createStripeProcessor({ db: db.sql, accounts, secret, logger, stripeApiUrl: stripe.url });
    await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
    const address = server.address();
    const port = typeof address === 'object' ? address?.port : 0;
    const prepare = async () => {
      const money = { amount: 1018, currency: 'AUD', payment_intent_id: 'pi_1' };
      const method = { payment_method: { id: 'pm_1', type: 'card', token: 'pm_1' } };
      const headers = { authorization: `Bearer ${secret}`, 'idempotency-key': 'att_1' };
      const body = JSON.stringify({ account: billerId, livemode: false, ...money, ...method });
      return (await fetch(`http://127.0.0.1:${port}/prepare`, { method: 'POST', headers, body })).status;
    };
    try {
      const disabled = await processors('disable stripe --mode sandbox --json');
      assert.deepEqual([disabled.code, JSON.parse(disabled.stdout).status], [0, 'disabled']);
      assert.deepEqual([await prepare(), stripe.connections], [403, before]);
      const verified = await verify();
      assert.equal(verified.code, 1);
      assert.match(verified.stderr, /has a disabled Stripe account/);
      assert.equal(await statusOf(), 'disabled');
      await add();
      assert.notEqual(await prepare(), 403);
    } finally {
      server.closeAllConnections();
      server.close();
    }
    const none = await processors('disable stripe --mode live');
    assert.equal(none.code, 1);
    assert.match(none.stderr, /has no Stripe account for live mode/);
  });

  interface Verified {
    status: string;
    findings: { what: string; is: string; says: string }[];
    note: string[];
  }
  const found = ({ stdout }: Ran, what: string) =>
    (JSON.parse(stdout) as Verified).findings.find((finding) => finding.what === what);

  it('verifies an account: each thing is right, or unknown where Stripe does not tell, and the account is active', async () => {
    await add();
    const ran = await verify();
    assert.equal(ran.code, 0, ran.stderr + ran.stdout);
    const { status, findings, note } = JSON.parse(ran.stdout) as Verified;
    assert.equal(status, 'active');
    assert.equal(await statusOf(), 'active');
    const unknown = findings.filter(({ is }) => is !== 'right').map(({ what, is }) => [what, is]);
    assert.deepEqual(unknown, [
      ['BECS debits', 'unknown'],
      ['publishable key', 'unknown'],
      ['mails to payers', 'unknown'],
      ['webhook endpoint', 'unknown'],
    ]);
    assert.equal(found(ran, 'country and currency')?.says, 'US, USD');
    assert.equal(findings.filter(({ what }) => what.startsWith('right to ')).length, 12);
    assert.deepEqual(note, [
      `Not Stripe: STRIPE_API_URL is ${stripe.url}.`,
      'This adapter was last run against Stripe itself: never.',
    ]);
    const text = await processors('verify stripe --mode sandbox', { env: { STRIPE_API_URL: stripe.url } });
    assert.match(text.stdout, /^key +right +Stripe takes it, for test mode/m);
    assert.match(text.stdout, /^status: active$/m);
  });

  it('says that Stripe takes no payments yet: exit status 1, and the account is degraded with the reason', async () => {
    await add();
    takesPayments = false;
    const ran = await verify();
    assert.deepEqual([ran.code, found(ran, 'payments')?.is], [1, 'wrong']);
    assert.deepEqual((await stored())[0]?.slice(3), [
      'degraded',
      'payments: Stripe takes none yet: finish its onboarding',
    ]);
    takesPayments = true;
    assert.equal((await verify()).code, 0);
    assert.deepEqual((await stored())[0]?.slice(3), ['active', null]);
  });

  it('says that the clock of this machine is six minutes off', async () => {
    await add();
    skewMs = 6 * 60_000;
    const ran = await verify();
    assert.deepEqual([ran.code, found(ran, 'clock of this machine')?.is], [1, 'wrong']);
    assert.match(String(found(ran, 'clock of this machine')?.says), /^3[56]\d s from Stripe’s$/);
  });

  it('says that Stripe refuses the key: exit status 1, and the account is degraded', async () => {
    await add();
    refused = { call: /./, status: 401 };
    const ran = await verify();
    assert.equal(ran.code, 1);
    assert.deepEqual(found(ran, 'key'), { what: 'key', is: 'wrong', says: 'Stripe refuses the key' });
    assert.equal(await statusOf(), 'degraded');
  });

  it('says which right a restricted key lacks', async () => {
    await add();
    refused = { call: /^POST \/v1\/refunds$/, status: 403 };
    const ran = await verify();
    assert.equal(ran.code, 1);
    const wrong = (JSON.parse(ran.stdout) as Verified).findings.filter(({ is }) => is === 'wrong');
    assert.deepEqual(
      wrong.map(({ what }) => what),
      ['right to write refunds'],
    );
    assert.equal((await stored())[0]?.[4], 'right to write refunds: the key lacks it: give it in Stripe’s dashboard');
  });

  it('takes a restricted key that may not read the account: what is read there is unknown', async () => {
    await add();
    refused = { call: /^GET \/v1\/account$/, status: 403 };
    const ran = await verify();
    assert.equal(ran.code, 0, ran.stdout);
    assert.deepEqual([found(ran, 'key')?.is, found(ran, 'payments, country and clock')?.is], ['right', 'unknown']);
    assert.equal(await statusOf(), 'active');
  });

  for (const [what, prepare] of [
    ['is away', () => ({ STRIPE_API_URL: 'http://127.0.0.1:9' })],
    [
      'responds 500 to everything',
      () => {
        refused = { call: /./, status: 500 };
        return { STRIPE_API_URL: stripe.url };
      },
    ],
  ] as const) {
    it(`says that all is unknown, and changes nothing, if Stripe ${what}`, async () => {
      await add();
      const ran = await verify(prepare());
      assert.equal(ran.code, 0, ran.stderr);
      const { status, findings } = JSON.parse(ran.stdout) as Verified;
      assert.equal(status, 'unverified');
      assert.deepEqual([...new Set(findings.map(({ is }) => is))], ['unknown']);
      assert.deepEqual((await stored())[0]?.slice(3), ['unverified', null]);
    });
  }

  it('takes a publishable key of the same mode, which verify says and rotate keeps, and refuses any other', async () => {
    const given = (key: string) =>
      processors(`add stripe --mode sandbox --publishable-key ${key} --json`, { input: testKey });
    for (const wrong of ['pk_live_12345678', testKey, 'nonsense']) {
      const { code, stderr } = await given(wrong);
      assert.equal(code, 1);
      assert.ok(!stderr.includes(wrong), stderr);
    }
    assert.deepEqual(await stored(), []);
    assert.equal((await given('pk_test_12345678')).code, 0);
    assert.equal((await processors('rotate stripe --mode sandbox', { input: testKey })).code, 0);
    const { findings } = JSON.parse((await verify()).stdout) as Verified;
    assert.deepEqual(
      findings.find(({ what }) => what === 'publishable key'),
      { what: 'publishable key', is: 'right', says: 'pk_test_12345678' },
    );
  });

  it('refuses to verify an account that is not there', async () => {
    const { code, stderr } = await verify();
    assert.equal(code, 1);
    assert.match(stderr, /has no Stripe account for the sandbox/);
  });

  it('refuses a STRIPE_API_URL elsewhere with one sentence, and sends no key there', async () => {
    await add();
    const { code, stdout, stderr } = await verify({ STRIPE_API_URL: 'https://api.stripe.com' });
    assert.deepEqual([code, stdout], [1, '']);
    assert.match(stderr, /^The configuration cannot be used:\n {2}- STRIPE_API_URL may name this machine alone, .*\n$/);
  });

  for (const [url, isTaken] of [
    ...['http://127.0.0.1:8420', 'http://localhost:8420/', 'http://[::1]:8420', ' https://127.0.0.2:1 '].map(
      (url) => [url, true] as const,
    ),
    ...['http://127.0.0.1.example.com', 'http://127.0.0.1@example.com', 'http://localhost.example.com:80'].map(
      (url) => [url, false] as const,
    ),
    ...['http://10.0.0.1:8420', 'http://0.0.0.0:8420', 'ftp://127.0.0.1:21', 'http://127.0.0.1:8420/v1'].map(
      (url) => [url, false] as const,
    ),
    ...['http://user:word@127.0.0.1:8420', 'nonsense', 'file:///etc'].map((url) => [url, false] as const),
  ]) {
    it(`${isTaken ? 'takes' : 'refuses'} STRIPE_API_URL=${url}`, () => {
      const faults: string[] = [];
      readStripeApiUrl({ STRIPE_API_URL: url }, faults);
      assert.equal(faults.length, isTaken ? 0 : 1);
    });
  }
});
