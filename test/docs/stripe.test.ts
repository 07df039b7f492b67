import assert from 'node:assert/strict';
import { randomBytes } from 'node:crypto';
import { once } from 'node:events';
import { readdirSync, readFileSync } from 'node:fs';
import type { AddressInfo } from 'node:net';
import { after, before, describe, it } from 'mocha';
import pino from 'pino';
import { serveOnLoopback } from '../../lab/loopback-server.ts';
import { root, runProgram } from '../../lab/run-program.ts';
import { ask } from '../../lab/stripe-rig/exchange.ts';
import { type StripeRig, startStripeRig } from '../../lab/stripe-rig/rig.ts';
import { rigKey } from '../../lab/stripe-rig/servers.ts';
import { openAccounts, readAccount, writeAccount } from '../../processors/stripe/accounts.ts';
import { codeOf, codeOfDebit, codeOfDispute } from '../../processors/stripe/decline-codes.ts';
import { ensureSchema } from '../../processors/stripe/schema.ts';
import { createStripeProcessor } from '../../processors/stripe/server.ts';
import { verifyAccount } from '../../processors/stripe/verify.ts';
import { openPool } from '../../src/platform/postgres/connection.ts';
import { useFolder } from '../runtime/support.ts';
import { needsPrograms } from '../stripe-rig/support.ts';
import { useDatabase } from '../support/database.ts';
import { makeBiller } from '../support/factories.ts';
import { onServer } from '../support/postgres.ts';
import { blocksIn } from '../support/samples.ts';

const textOf = (name: string) => readFileSync(new URL(`../../${name}`, import.meta.url), 'utf8');
const page = textOf('docs/stripe.md');

/** The rows of the table under a heading, or within a text, as cells. */
const rowsOf = (text: string): string[][] =>
  [...text.matchAll(/^\| (.*) \|$/gm)].map(([, row = '']) => row.split(' | ').map((cell) => cell.trim()));
/** What Stripe responds to a key that lacks a right. */
const forbidden = {
  status: 403,
  headers: { 'content-type': 'application/json' },
  body: JSON.stringify({ error: { type: 'invalid_request_error', message: 'The key lacks the right' } }),
};
const wordsIn = (cell = '') => [...cell.matchAll(/`([^`]+)`/g)].map(([, word = '']) => word);

describe('the page about Stripe', () => {
  it('names for each call a test that is there, by its title', () => {
    const named = [...page.matchAll(/`(\w+)`: "([^"]+)"/g)];
    assert.ok(named.length >= 10, String(named.length));
    const missing = named.filter(([, file, title = '']) => {
      const source = textOf(`test/stripe/${file}.test.ts`);
      return !source.includes(`it('${title}'`);
    });
    assert.deepEqual(
      missing.map(([text]) => text),
      [],
    );
  });

  it('has each call of the adapter to Stripe, and no other', () => {
    const folder = new URL('../../processors/stripe/', import.meta.url);
    const sources = readdirSync(folder)
      .filter((name) => name.endsWith('.ts') && name !== 'verify.ts')
      .map((name) => readFileSync(new URL(name, folder), 'utf8'));
    const made = sources.flatMap((text) => [...text.matchAll(/stripe\.(\w+)\s*\.(\w+)\(/g)]).map(([, ...call]) => call);
    const shown: Readonly<Record<string, string>> = {
      'paymentMethods.retrieve': 'GET /v1/payment_methods/{id}',
      'customers.create': 'POST /v1/customers',
      'paymentMethods.attach': 'POST /v1/payment_methods/{id}/attach',
      'paymentIntents.create': 'POST /v1/payment_intents',
      'paymentIntents.list': 'GET /v1/payment_intents?created[gte]=',
      'paymentIntents.retrieve': 'GET /v1/payment_intents/{id}',
      'paymentIntents.confirm': 'POST /v1/payment_intents/{id}/confirm',
      'paymentIntents.cancel': 'POST /v1/payment_intents/{id}/cancel',
      'refunds.create': 'POST /v1/refunds',
      'setupIntents.create': 'POST /v1/setup_intents',
      'setupIntents.retrieve': 'GET /v1/setup_intents/{id}',
      'charges.list': 'GET /v1/charges?created[gte]=',
      'paymentMethods.create': 'POST /v1/payment_methods',
      'mandates.retrieve': 'GET /v1/mandates/{id}',
      'disputes.list': 'GET /v1/disputes?payment_intent=',
      'webhookEndpoints.list': 'GET /v1/webhook_endpoints',
      'webhookEndpoints.create': 'POST /v1/webhook_endpoints',
      'payouts.retrieve': 'GET /v1/payouts/{id}',
    };
    const lists = [
      ...['GET /v1/refunds?payment_intent=', 'GET /v1/refunds?created[gte]='],
      ...['GET /v1/balance_transactions?created[gte]=', 'GET /v1/balance_transactions?payout='],
    ];
    const calls = [...new Set(made.map((call) => call.join('.')))].filter((call) => {
      return call !== 'refunds.list' && call !== 'balanceTransactions.list';
    });
    const listed = rowsOf(page).flatMap(([first]) => wordsIn(first).filter((word) => /^(GET|POST) \/v1/.test(word)));
    assert.deepEqual(listed.sort(), [...calls.map((call) => shown[call] ?? call), ...lists].sort());
  });

  for (const [what, heading, table, codeFor] of [
    ['decline', "Stripe's `decline_code`, else `code`", 'known', (code: string) => codeOf({ code })],
    ['debit that has failed', "Stripe's code of a debit", 'ofDebits', codeOfDebit],
    ['dispute', "Stripe's reason of a dispute", 'ofDisputes', codeOfDispute],
  ] as const) {
    it(`has every code of a ${what}, with the code that a payment gets`, () => {
      const shown = page.slice(page.indexOf(`| ${heading} |`)).split('\n\n')[0] ?? '';
      const rows = rowsOf(shown).filter(([, code = '']) => /^`[a-z_]+`$/.test(code));
      const pairs = rows.flatMap(([said, code = '']) => wordsIn(said).map((word) => [word, wordsIn(code)[0]]));
      const source = textOf('processors/stripe/decline-codes.ts');
      const lines = source.slice(source.indexOf(`const ${table}: `)).split('\n};')[0] ?? '';
      const known = [...lines.matchAll(/^ {2}(\w+): '(\w+)',$/gm)].map(([, said, code]) => [said, code]);
      assert.deepEqual(pairs.sort(), known.sort());
      assert.ok(known.length > 1);
      for (const [said = '', code] of pairs) assert.equal(codeFor(said), code);
    });
  }
});

describe('the Stripe account of a biller, as the pages say', function () {
  this.timeout(120_000);
  needsPrograms('localstripe', 'stripe-mock');
  const folder = useFolder();
  const database = useDatabase();
  const keys = [{ id: 'k1', key: Buffer.alloc(32, 3) }];
  const role = `stripe_${randomBytes(6).toString('hex')}`;
  let rig: StripeRig;
  let biller: string;

  before('start what stands in for Stripe', async function () {
    this.timeout(120_000);
    rig = await startStripeRig(folder.path);
    biller = (await makeBiller(database.sql)).id;
    await ensureSchema(database.sql);
  });
  after('end it', async () => {
    await rig?.stop();
    await onServer((server) => server`drop role if exists ${server(role)}`);
  });

  /** Runs the operator's commands of the guide. */
  async function runGuide(stripeKey: string, url = rig.url) {
    const block = blocksIn(textOf('docs/api/07-going-live.md')).find(({ code }) => code.startsWith('stripe()'));
    const env = {
      ...{ PATH: process.env.PATH ?? '', HOME: folder.path, SERVICE: root, BILLER: biller, STRIPE_KEY: stripeKey },
      ...{ DATABASE_URL: database.url, ENCRYPTION_KEYS: `k1:${keys[0]?.key.toString('base64')}` },
      STRIPE_API_URL: url,
    };
    return runProgram('bash', ['-o', 'pipefail', '-ec', block?.code ?? 'false'], { cwd: folder.path, env });
  }

  it('is added and verified by the commands of the guide, which say that Stripe itself was never asked', async () => {
    const { code, stdout } = await runGuide('rk_live_1234567890abcd');
    assert.equal(code, 0, stdout);
    assert.match(stdout, /key_hint: abcd\nstatus: unverified/);
    assert.match(stdout, /right to write refunds +right +yes/);
    assert.match(stdout, /last run against Stripe itself: never\./);
  });

  it('is refused with a key of the other mode, and nothing is stored', async () => {
    const before = await readAccount(database.sql, { account: biller, livemode: true });
    const { code, stderr } = await runGuide('rk_test_1234567890efgh');
    assert.equal(code, 1);
    assert.match(stderr, /This is a key of Stripe’s test mode\./);
    assert.deepEqual(await readAccount(database.sql, { account: biller, livemode: true }), before);
  });

  it('is degraded if a right is missing, which verify names in the words of the guide', async () => {
    const without = await serveOnLoopback(async (received, response) => {
      const isRefused = received.method === 'POST' && received.path === '/v1/refunds';
      const { status, headers, body } = isRefused ? forbidden : await ask(rig.url, received);
      response.writeHead(status, headers).end(body);
    });
    const { code, stdout } = await runGuide('rk_live_1234567890abcd', without.url).finally(() => without.close());
    assert.equal(code, 1);
    assert.match(stdout, /right to write refunds +wrong +the key lacks it/);
    assert.match(stdout, /status: degraded/);
  });

  it('is asked for each right of the page, and for no other', async () => {
    const place = { account: biller, livemode: true };
    const accounts = openAccounts(database.sql, keys, rig.url);
    const findings = await verifyAccount(await accounts.clientOf(place), place);
    const asked = findings.flatMap(({ what }) => (what.startsWith('right to ') ? [what.slice(9)] : []));
    const [, section = ''] = page.split('### The rights of a restricted key');
    const listed = rowsOf(section.split('\n## ')[0] ?? '').map(([right]) => right);
    assert.deepEqual(listed.slice(1), asked);
  });

  it('is served by a process as the role of the page, which reads nothing of the service', async () => {
    const block = blocksIn(page).find(({ language }) => language === 'sql');
    await database.sql.unsafe((block?.code ?? '').replaceAll('payments_stripe', role)).simple();
    const url = new URL(database.url);
    Object.assign(url, { username: role, password: 'CHANGE-ME' });
    const db = openPool(url.href, { max: 5, name: 'stripe role' });
    const account = 'acct_asarole';
    await writeAccount(database.sql, keys, { account, livemode: false }, { key: rigKey, by: 'test' });
    const secret = randomBytes(24).toString('hex');
    const server = createStripeProcessor({
      ...{ db, accounts: openAccounts(db, keys, rig.url), secret, stripeApiUrl: rig.url },
      logger: pino({ level: 'silent' }),
    });
    server.listen(0, '127.0.0.1');
    await once(server, 'listening');
    const { port } = server.address() as AddressInfo;
    async function call(path: string, body: object, key = '') {
      const headers = { authorization: `Bearer ${secret}`, ...(key && { 'idempotency-key': key }) };
      const text = JSON.stringify({ account, livemode: false, ...body });
      const response = await fetch(`http://127.0.0.1:${port}${path}`, { method: 'POST', headers, body: text });
      return (await response.json()) as Record<string, unknown>;
    }
    try {
      await ensureSchema(db);
      const { cursor } = await call('/movements', { after: null });
      const payment = {
        ...{ payment_intent_id: 'pi_1', amount: 1000, currency: 'AUD', metadata: {} },
        payment_method: { id: 'pm_1', type: 'card', token: await madeCard() },
      };
      const { reference } = await call('/prepare', payment, 'att_role');
      const charged = await call('/charges', { ...payment, reference }, 'att_role');
      assert.equal(charged.outcome, 'succeeded', JSON.stringify([reference, charged]));
      const refund = { payment_intent_id: 'pi_1', charge_reference: reference, amount: 1000, currency: 'AUD' };
      assert.equal((await call('/refunds', refund, 're_role')).outcome, 'succeeded');
      // Each with its settlement.
      assert.equal(((await call('/movements', { after: cursor })).movements as unknown[]).length, 4);
      for (const statement of [
        'select from billers',
        'select from payment_methods',
        'delete from processor_stripe.reservations',
        'insert into processor_stripe.accounts select * from processor_stripe.accounts',
        'create table processor_stripe.mine ()',
      ]) {
        await assert.rejects(db.unsafe(statement), { code: '42501' }, statement);
      }
    } finally {
      server.closeAllConnections();
      server.close();
      await db.end({ timeout: 1 });
    }
  });

  async function madeCard(): Promise<string> {
    const form = {
      type: 'card',
      'card[number]': '4242424242424242',
      'card[exp_month]': '12',
      'card[exp_year]': '2030',
    };
    const response = await fetch(`${rig.url}/v1/payment_methods`, {
      method: 'POST',
      headers: { authorization: `Bearer ${rigKey}` },
      body: new URLSearchParams({ ...form, 'card[cvc]': '123' }),
    });
    return ((await response.json()) as { id: string }).id;
  }
});
