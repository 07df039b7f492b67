import assert from 'node:assert/strict';
import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { after, before, describe, it } from 'mocha';
import { findFreePorts } from '../../dev/ports.ts';
import { eventually } from '../../lab/eventually.ts';
import { type StandIn, startStandIn } from '../../lab/stand-in.ts';
import { type SealedColumn, sealedField } from '../../src/db/sealed-values.ts';
import type { Id } from '../../src/domain/ids.ts';
import { openPool, type Pool } from '../../src/platform/postgres/connection.ts';
import { realNow } from '../../src/platform/real-time.ts';
import { childEnvironment } from '../../src/processes/config/config.ts';
import { openTemporal } from '../../src/processes/temporal/client.ts';
import { revokeKey } from '../../src/services/accounts/api-keys.ts';
import { changeCheckoutOrigins } from '../../src/services/accounts/biller-profile.ts';
import { createVault } from '../../src/services/accounts/vault.ts';
import { makeKey, makeKeys, tester } from '../support/factories.ts';
import { serverAt } from '../support/temporal.ts';
import { useReceiver } from '../support/webhooks.ts';
import { dumpDatabase, formsOf, Haystacks, type Place, readFiles, readHistories } from './haystacks.ts';
import {
  asker,
  askLiveProcessor,
  ids,
  marker,
  planted,
  plantInBadRequests,
  plantInGoodRequests,
  plantInWebhooks,
  plantOnPages,
  provokeFailures,
} from './planting.ts';
import { useFolder } from './support.ts';

const shop = 'https://shop.example.com';
const program = fileURLToPath(new URL('../../dev/start.ts', import.meta.url));

/** Tables that are places of their own. */
const placesOfTables: Record<string, Place> = {
  audit_log: 'audit log',
  webhook_delivery_attempts: 'delivery attempts',
};

describe('a secret that is planted in a real run', function () {
  this.timeout(400_000);
  const folder = useFolder();
  const receiver = useReceiver();
  const hay = new Haystacks();
  let child: ChildProcess | undefined;
  let standIn: StandIn | undefined;
  let output = '';

  before('plant them, provoke errors, and gather all that was written down', async () => {
    standIn = await startStandIn(join(folder.path, 'processor'));
    const { development, dataDir } = await startService(standIn);
    const sql = openPool(development.database_url, { max: 2, name: 'test' });
    planted.databasePassword = decodeURIComponent(new URL(development.database_url).password);
    const billerId = await makeBillerKeys(sql);
    const ask = asker(development.base_url, hay);
    await plantInGoodRequests(ask);
    await changeCheckoutOrigins(sql, billerId, { add: [shop] }, { by: tester, now: realNow() });
    await plantOnPages(ask, development.pages_url, shop);
    await plantInBadRequests(ask, development.base_url, hay);
    await provokeFailures(ask, sql);
    await plantInWebhooks(ask, receiver);
    await askLiveProcessor(ask);

    const { data } = (await ask('GET', '/events?limit=100')).body;
    for (const event of data) hay.add('events', event.event_type, JSON.stringify(event));
    for (const { body, path } of receiver.received) hay.add('webhooks', path, body);
    for (const { table, rows } of await dumpDatabase(sql)) hay.add(placesOfTables[table] ?? 'database', table, rows);
    await openWhatIsSealed(sql);
    await gatherTemporal(development);
    await sql.end({ timeout: 5 });
    await endService();
    hay.add('logs', 'npm start', output);
    for (const { path, bytes } of await readFiles(dataDir)) {
      hay.add(path.startsWith('logs/') ? 'logs' : 'disk', path, bytes);
    }
  });
  after('end what was left', async () => {
    await endService();
    await standIn?.stop();
  });

  async function startService({ url, secret }: StandIn) {
    const [PORT = '', TEMPORAL_PORT = '', TEMPORAL_UI_PORT = '', PAGES_PORT = ''] = (await findFreePorts(4)).map(
      String,
    );
    const dataDir = join(folder.path, 'data');
    const env = childEnvironment({
      ...{ DATABASE_URL: '', TEMPORAL_ADDRESS: '', TEMPORAL_NAMESPACE: '', DATA_DIR: dataDir, LOG_LEVEL: 'trace' },
      ...{ PORT, TEMPORAL_PORT, TEMPORAL_UI_PORT, PAGES_PORT },
      // It gets the account numbers.
      ...{ SANDBOX_PROCESSOR_URL: url, SANDBOX_PROCESSOR_SECRET: secret },
      // Nothing listens there: each call to the live processor fails.
      ...{ LIVE_PROCESSOR_URL: 'http://127.0.0.1:9', LIVE_PROCESSOR_SECRET: planted.processorSecret },
      ENCRYPTION_KEYS: `planted:${planted.encryptionKey.toString('base64')}`,
    });
    const started = spawn(process.execPath, [program], { env, stdio: ['ignore', 'pipe', 'pipe'] });
    child = started;
    for (const stream of [started.stdout, started.stderr]) {
      stream.on('data', (chunk) => {
        output += chunk;
      });
    }
    await eventually('the service is ready', () => /^ready/m.test(output) || started.exitCode !== null, {
      timeoutMs: 180_000,
    });
    assert.match(output, /^ready/m);
    return { dataDir, development: JSON.parse(await readFile(join(dataDir, 'development.json'), 'utf8')) };
  }

  async function endService(): Promise<void> {
    if (child === undefined || child.exitCode !== null) return;
    const ended = once(child, 'close');
    child.kill('SIGTERM');
    await ended;
  }

  async function makeBillerKeys(sql: Pool): Promise<Id<'biller'>> {
    const { biller, sandboxSecret, sandboxPublishable, liveSecret } = await makeKeys(sql, { name: marker });
    const revoked = await makeKey(sql, { billerId: biller.id });
    await revokeKey(sql, revoked.id, { by: tester, now: realNow() });
    planted.liveKey = liveSecret;
    planted.secretKey = sandboxSecret;
    planted.publishableKey = sandboxPublishable;
    planted.revokedKey = revoked.key;
    return biller.id;
  }

  type Row = { id: string; biller_id: Id<'biller'>; livemode: boolean; sealed: Buffer };

  /** What must not be found is there nonetheless: sealed. */
  async function openWhatIsSealed(sql: Pool): Promise<void> {
    const vault = createVault([{ id: 'planted', key: planted.encryptionKey }]);
    const opened = (column: SealedColumn, row: Row | undefined) => {
      const { biller_id: billerId, livemode, id, sealed } = row ?? assert.fail(`no row for ${column}`);
      return vault.open(sealed, sealedField(column, { billerId, livemode }, id));
    };
    const accounts = await sql<Row[]>`
      select id, biller_id, livemode, sealed_account_number as sealed from payment_methods
      where sealed_account_number is not null`;
    assert.deepEqual(
      accounts.map((row) => opened('account_numbers', row)),
      [planted.accountNumber, planted.accountNumber, planted.accountNumber],
    );
    const [endpoint] = await sql<Row[]>`
      select id, biller_id, livemode, sealed_secret as sealed from webhook_endpoints where id = ${ids.endpoint}`;
    assert.equal(opened('webhook_secrets', endpoint), planted.webhookSecret);
    const key = `${planted.idempotencyKey}-2`;
    const [answer] = await sql<Row[]>`
      select key as id, biller_id, livemode, sealed_response as sealed from idempotency_keys where key = ${key}`;
    assert.equal(JSON.parse(opened('idempotent_answers', answer)).client_secret, planted.clientSecret);
  }

  async function gatherTemporal(development: Record<string, string>): Promise<void> {
    const { temporal_address: temporalAddress = '', temporal_ui_url: ui } = development;
    const temporal = openTemporal(serverAt(temporalAddress, 'payments'));
    for (const { workflowId, text } of await readHistories(temporal)) {
      hay.add('histories', workflowId, text);
      const page = `${ui}/api/v1/namespaces/payments/workflows/${encodeURIComponent(workflowId)}/history`;
      hay.add('Web UI', workflowId, await (await fetch(page)).text());
    }
    await temporal.connection.close();
  }

  /** Where a value is found; on disk, by file, unless it is one of PostgreSQL's own. */
  function placesOf(value: string): string[] {
    const found = hay.find(value).map(({ place, label }) => {
      return place === 'disk' && !label.startsWith('postgres/cluster/') ? `disk: ${label}` : place;
    });
    return [...new Set(found)].sort();
  }

  function assertOnlyIn(allowed: Place[], value: string): void {
    const elsewhere = placesOf(value).filter((place) => !allowed.some((one) => one === place));
    assert.deepEqual(elsewhere, [], JSON.stringify(hay.find(value)));
  }

  it('would be found: the search reaches every place', () => {
    const reached: Record<string, Place[]> = {
      [marker]: ['answers', 'database', 'disk', 'delivery attempts'],
      [ids.plan]: ['logs', 'histories', 'Web UI', 'events'],
      [ids.endpoint]: ['audit log', 'webhooks'],
      validation_failed: ['errors'],
    };
    for (const [value, places] of Object.entries(reached)) {
      for (const place of places) assert.ok(placesOf(value).includes(place), `${value} is not in ${place}`);
    }
    // The name of the constraint that was broken: each of them has told of a failure.
    const logs = hay.find('constraint "planted"').map(({ label }) => label);
    for (const log of ['api', 'worker', 'postgres']) assert.ok(logs.includes(`logs/${log}.log`), log);
  });

  it('would be found in base64, in hexadecimal and in a URL, wherever it stands in a longer text', () => {
    for (const before of ['', 'x', 'xy']) {
      const text = `${before}"${planted.cardToken}"}`;
      const bytes = Buffer.from(text);
      for (const form of [text, bytes.toString('base64'), bytes.toString('hex'), encodeURIComponent(text)]) {
        assert.ok(
          formsOf(planted.cardToken).some((needle) => form.includes(needle)),
          form,
        );
      }
    }
  });

  it('is nowhere in plain text when it is an account number', () => assertOnlyIn([], planted.accountNumber));

  it('has been sent to the processor nonetheless when it is an account number', async () => {
    const calls = (await standIn?.calls()) ?? [];
    const numbers = calls.flatMap((call) =>
      call.kind === 'prepare' ? (call.body.payment_method.bank_account?.account_number ?? []) : [],
    );
    assert.ok(numbers.includes(`*****${planted.accountNumber.slice(-4)}`), JSON.stringify(numbers));
  });

  it('is in the response that names it alone when it is the token of a link, and nowhere when it is that of a session', () => {
    assert.match(planted.linkToken, /^\w{32}$/);
    assert.deepEqual(placesOf(planted.linkToken), ['answers']);
    assert.match(planted.sessionToken, /^\w{32}$/);
    assertOnlyIn([], planted.sessionToken);
    assert.match(planted.payerProof, /^[\w-]{43}$/);
    assertOnlyIn([], planted.payerProof);
  });

  it('is nowhere at all when it is the number of a card that a payer has typed on a page', () => {
    assertOnlyIn([], planted.cardNumber);
  });

  it('is nowhere at all when it is the token of a card, which is not kept', () => {
    assertOnlyIn([], planted.cardToken);
    assertOnlyIn([], planted.cardTokenData);
  });

  it('is in answers and in the database alone when the contract has it returned', () => {
    for (const token of [planted.cardNumberToken, planted.accountNumberToken, planted.paypalToken]) {
      assertOnlyIn(['answers', 'database', 'disk'], token);
      for (const place of ['answers', 'database']) assert.ok(placesOf(token).includes(place), place);
    }
  });

  it('is in the answer alone that hands it out when it is a client secret or a signing secret', () => {
    for (const secret of [planted.clientSecret, planted.webhookSecret, planted.webhookSecret.replace('whsec_', '')]) {
      assert.deepEqual(placesOf(secret), ['answers']);
    }
    assertOnlyIn([], planted.wrongClientSecret);
  });

  it('is nowhere when it is an API key: secret, publishable, revoked or wrong', () => {
    for (const key of [planted.secretKey, planted.publishableKey, planted.revokedKey, planted.wrongKey]) {
      assertOnlyIn([], key);
      assertOnlyIn([], key.slice(-43));
    }
  });

  it('is nowhere when it is the secret of the live processor, which was asked in vain', () => {
    assertOnlyIn([], planted.processorSecret);
    assertOnlyIn([], standIn?.secret ?? '');
    assert.ok(placesOf('the live processor gave no outcome').includes('logs'));
  });

  it('is nowhere when it is the encryption key', () => {
    for (const form of ['base64', 'base64url', 'hex'] as const) assertOnlyIn([], planted.encryptionKey.toString(form));
    assert.deepEqual(hay.findBytes(planted.encryptionKey), []);
  });

  it('is in its own file alone, once the service has ended, when it is the password of the database', () => {
    assert.deepEqual(placesOf(planted.databasePassword), ['disk: postgres/password']);
  });

  it('is in the database alone when it is an Idempotency-Key', () => {
    assertOnlyIn(['database', 'disk'], planted.idempotencyKey);
    assert.ok(placesOf(planted.idempotencyKey).includes('database'));
  });

  it('is where the endpoint is shown when it is in a URL of webhooks, and in no log, history or audit log', () => {
    assertOnlyIn(['answers', 'database', 'disk', 'events', 'webhooks'], planted.urlPassword);
    assert.ok(placesOf(planted.urlPassword).includes('answers'));
  });
});
