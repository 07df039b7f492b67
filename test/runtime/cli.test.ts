import assert from 'node:assert/strict';
import { randomBytes } from 'node:crypto';
import { once } from 'node:events';
import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { tmpdir, userInfo } from 'node:os';
import { join } from 'node:path';
import { after, before, describe, it } from 'mocha';
import { type Ran, runScript } from '../../lab/run-program.ts';
import { selectCredential } from '../../src/db/api-keys.ts';
import { hashKey } from '../../src/services/accounts/api-keys.ts';
import type { AuditRecord } from '../../src/services/accounts/audit.ts';
import { ensureDemoBiller } from '../../src/services/accounts/billers.ts';
import type { KeyUsage } from '../../src/services/accounts/encryption.ts';
import { createVault } from '../../src/services/accounts/vault.ts';
import { createWebhookEndpoint } from '../../src/services/webhooks/endpoints.ts';
import { useDatabase } from '../support/database.ts';
import { makeCall } from '../support/webhooks.ts';

const run = (command: string, args: string[], env: Record<string, string>) =>
  runScript('src/processes/cli/main.ts', [command, ...args], env);

describe('the command line', function () {
  this.timeout(120_000); // each run loads the program anew
  const db = useDatabase();
  let dataDir = '';
  let billerId = '';
  const keys = (...args: string[]) => run('keys', args, { DATA_DIR: dataDir });
  const billers = (...args: string[]) => run('billers', args, { DATA_DIR: dataDir });
  const audit = (...args: string[]) => run('audit', args, { DATA_DIR: dataDir });
  const encryption = (...args: string[]) => run('encryption', args, { DATA_DIR: dataDir });

  before('start as development does', async () => {
    dataDir = await mkdtemp(join(tmpdir(), 'payments-cli-'));
    ({ billerId } = await ensureDemoBiller(db.sql, null));
    await writeFile(join(dataDir, 'development.json'), JSON.stringify({ database_url: db.url, biller_id: billerId }));
  });
  after(() => rm(dataDir, { recursive: true, force: true }));

  it('grants a role for BI with a password that it prints once, lists it, and revokes it', async () => {
    const reporting = (...args: string[]) => run('reporting', args, { DATA_DIR: dataDir });
    const granted = await reporting('grant', '--mode', 'live', '--json');
    assert.equal(granted.code, 0, granted.stderr);
    const { role_name: role, password, biller_id, livemode } = JSON.parse(granted.stdout);
    assert.deepEqual([biller_id, livemode], [billerId, true]);
    const listed = await reporting('list');
    assert.ok(listed.stdout.includes(role) && !listed.stdout.includes(password), listed.stdout);
    assert.equal((await reporting('revoke', role)).code, 0);
    assert.match((await reporting('list')).stdout, /none/);
    const again = await reporting('revoke', role);
    assert.deepEqual([again.code, /No such reader/.test(again.stderr)], [1, true]);
    for (const args of [[], ['grant'], ['grant', '--mode', 'both'], ['revoke'], ['list', role], ['give']]) {
      assert.equal((await reporting(...args)).code, 2, args.join(' '));
    }
  });

  it('says that no service runs from a folder without development.json, and from that of a service that was killed', async () => {
    const folder = await mkdtemp(join(tmpdir(), 'payments-cli-'));
    const list = async () => {
      const { code, stderr } = await run('keys', ['list'], { DATA_DIR: folder });
      assert.equal(code, 1);
      return stderr;
    };
    assert.match(
      await list(),
      new RegExp(`^No service runs from ${folder}: .* does not exist\\. Start it with npm start`),
    );
    const gone = new URL(db.url);
    gone.port = '1';
    const other = new URL(db.url);
    other.pathname = '/none_of_this_name';
    const anotherProgram = createServer((_request, response) => response.end('{"ok":true}')).listen(0, '127.0.0.1');
    await once(anotherProgram, 'listening');
    const { port } = anotherProgram.address() as AddressInfo;
    for (const [{ href }, accountsPort] of [
      [gone, 1],
      [other, 1],
      [gone, port],
    ] as const) {
      const left = {
        base_url: 'http://127.0.0.1:2',
        database_url: href,
        accounts_url: `http://127.0.0.1:${accountsPort}`,
        accounts_token: 'x',
      };
      await writeFile(join(folder, 'development.json'), JSON.stringify(left));
      assert.match(await list(), new RegExp(`^No service runs from ${folder}: .* of a service that has ended`));
    }
    anotherProgram.close();
    await rm(folder, { recursive: true });
  });

  it('creates a key of the demo biller that works, printed once as JSON', async () => {
    const { code, stdout } = await keys(
      'create',
      '--mode',
      'sandbox',
      '--scopes',
      'customers:read,events:read',
      '--json',
    );
    assert.equal(code, 0);
    const issued = JSON.parse(stdout);
    assert.deepEqual(Object.keys(issued).slice(0, 2), ['id', 'key']);
    const row = await selectCredential(db.sql, hashKey(issued.key));
    assert.deepEqual(
      [row?.biller_id, row?.livemode, row?.scopes],
      [billerId, false, ['customers:read', 'events:read']],
    );
    assert.match(
      JSON.parse((await keys('create', '--mode', 'live', '--publishable', '--json')).stdout).key,
      /^pk_live_/,
    );
  });

  it('creates a biller, and a key for it', async () => {
    const args = [
      'create',
      '--name',
      'Acme Pty',
      '--timezone',
      'Australia/Sydney',
      '--country',
      'AU',
      '--statement-descriptor',
      'ACME',
      '--json',
    ];
    const biller = JSON.parse((await billers(...args)).stdout);
    assert.deepEqual(
      [biller.name, biller.time_zone, biller.country, biller.statement_descriptor],
      ['Acme Pty', 'Australia/Sydney', 'AU', 'ACME'],
    );
    const key = JSON.parse((await keys('create', '--mode', 'sandbox', '--biller', biller.id, '--json')).stdout);
    assert.equal(key.biller_id, biller.id);
    assert.match((await billers('list')).stdout, /Acme Pty/);
  });

  it('sets what a payment costs a biller, for every way to pay and for one, and says what it cannot read', async () => {
    const { id } = JSON.parse((await billers('create', '--name', 'Shop', '--json')).stdout);
    const update = (...args: string[]) => billers('update', id, ...args);
    const { stdout } = await update('--fees', '1.4%+25', '--fees', 'au_becs_debit=1%+30', '--fees', 'paypal=50');
    assert.match(stdout, /fees: 1.4%\+25 paypal=0%\+50 au_becs_debit=1%\+30\n/);
    assert.match((await update('--fees', 'paypal=')).stdout, /fees: 1.4%\+25 au_becs_debit=1%\+30\n/);
    for (const wrong of ['', '1.4%+1000001', 'cheque=1%', 'card=free', '101%']) {
      const { code, stderr } = await update('--fees', wrong);
      assert.deepEqual(
        [code, /the way to pay is one of|write a fee as/.test(stderr)],
        [2, true],
        `${wrong}: ${stderr}`,
      );
    }
  });

  it('states the tax that prices include, removes it, and says what it cannot read', async () => {
    const { id } = JSON.parse((await billers('create', '--name', 'Shop', '--json')).stdout);
    const update = (...args: string[]) => billers('update', id, ...args);
    assert.match((await update('--tax', 'GST=10%')).stdout, /tax: GST=10%\n/);
    const [row] = await db.sql`select tax from billers where id = ${id}`;
    assert.deepEqual(row?.tax, { label: 'GST', basisPoints: 1000 });
    assert.match((await update('--tax', 'a=b=2.5')).stdout, /tax: a=b=2.5%\n/);
    for (const wrong of [
      'GST',
      'GST=',
      '=10%',
      'GST=ten',
      'GST=101%',
      'GST=1.234%',
      'GST=0',
      `${'x'.repeat(21)}=10%`,
    ]) {
      assert.notEqual((await update('--tax', wrong)).code, 0, wrong);
    }
    assert.equal(JSON.parse((await update('--tax', '', '--json')).stdout).tax, null);
  });

  it('states the country and the cost of acceptance of a biller, removes them, and says what it cannot read', async () => {
    const { id } = JSON.parse((await billers('create', '--name', 'Shop', '--json')).stdout);
    const update = (...args: string[]) => billers('update', id, ...args);
    const cost = '--cost-of-acceptance';
    assert.match(
      (await update('--country', 'AU', cost, 'amex=1.9%', cost, 'paypal=2.6')).stdout,
      /country: AU\ncost_of_acceptance: (amex=1.9% paypal=2.6%|paypal=2.6% amex=1.9%)\n/,
    );
    const [row] = await db.sql`select country, country_since, cost_of_acceptance from billers where id = ${id}`;
    assert.deepEqual([row?.country, row?.cost_of_acceptance], ['AU', { amex: 190, paypal: 260 }]);
    const { stdout } = await update('--country', '', cost, 'paypal=', '--json');
    assert.deepEqual([JSON.parse(stdout).country, JSON.parse(stdout).cost_of_acceptance], [null, { amex: 190 }]);
    const [last] = JSON.parse((await audit('list', '--json')).stdout) as AuditRecord[];
    assert.deepEqual(last?.changes, {
      country: { from: 'AU', to: null },
      cost_of_acceptance: { from: { amex: 190, paypal: 260 }, to: { amex: 190 } },
    });
    for (const wrong of ['amex', 'amex=101%', 'amex=-1%', 'amex=1.999%', 'dinars=1%', '=1%']) {
      const { code, stderr } = await update(cost, wrong);
      assert.deepEqual([code, stderr.includes(wrong)], [2, true], stderr);
    }
    assert.match((await update('--timezone', 'Australia/Perth')).stdout, /time_zone: Australia\/Perth\n/);
    const unknown = await update('--timezone', 'Perth');
    assert.deepEqual([unknown.code, /must be an IANA time zone/.test(unknown.stderr)], [1, true], unknown.stderr);
    for (const wrong of ['UK', 'au', 'Australia', 'EU']) {
      const { code, stderr } = await update('--country', wrong);
      assert.equal(code, 1);
      assert.match(stderr, /country must be a code of ISO 3166-1/);
    }
  });

  it('registers origins for the widget of a biller, lists and removes them', async () => {
    const { id } = JSON.parse((await billers('create', '--name', 'Shop', '--json')).stdout);
    assert.equal((await billers('origins', id)).stdout.trim(), '(none)');
    const added = await billers('origins', id, '--add', 'https://a.example', '--add', 'http://localhost:1', '--json');
    assert.deepEqual(JSON.parse(added.stdout), ['http://localhost:1', 'https://a.example']);
    await billers('origins', id, '--remove', 'http://localhost:1');
    assert.match((await billers('origins', id)).stdout, /^origin\nhttps:\/\/a\.example\s*$/);
  });

  it('rolls, revokes and lists keys', async () => {
    const first = JSON.parse((await keys('create', '--mode', 'live', '--json')).stdout);
    const second = JSON.parse((await keys('roll', first.id, '--overlap-hours', '1.5', '--json')).stdout);
    assert.match(second.key, /^sk_live_/);
    assert.notEqual(JSON.parse((await keys('revoke', second.id, '--json')).stdout).revoked_at, null);
    const listed: { id: string; revoked_at: string | null }[] = JSON.parse((await keys('list', '--json')).stdout);
    assert.ok(listed.find(({ id }) => id === first.id)?.revoked_at);
  });

  it('shows the audit log of a biller, newest first: who at this machine did what', async () => {
    const biller = JSON.parse((await billers('create', '--name', 'Audited', '--json')).stdout);
    const key = JSON.parse((await keys('create', '--mode', 'live', '--biller', biller.id, '--json')).stdout);
    await keys('revoke', key.id);
    const list = async (...args: string[]) =>
      JSON.parse((await audit('list', '--biller', biller.id, '--json', ...args)).stdout);
    const entries: AuditRecord[] = await list();
    const told = entries.map(({ action, subject_id, actor }) => [action, subject_id, actor.kind, actor.id]);
    const me = userInfo().username;
    assert.deepEqual(told, [
      ['api_key.revoked', key.id, 'command_line', me],
      ['api_key.created', key.id, 'command_line', me],
      ['biller.created', biller.id, 'command_line', me],
    ]);
    assert.deepEqual(await list('--limit', '1', '--before', String(entries[0]?.id)), entries.slice(1, 2));
    const { stdout } = await audit('list', '--biller', biller.id);
    assert.match(stdout, /api_key\.revoked +command line: \S+ +key_\w+ +- +revoked_at: null → "\d{4}-/);
    assert.equal(stdout.includes(key.key), false);
  });

  it('rotates the encryption keys, tells what is left of each, and finds what does not open', async () => {
    const [older, newer] = [randomBytes(32), randomBytes(32)];
    const file = join(dataDir, 'encryption.key');
    const setKeys = (...written: [string, Buffer][]) =>
      writeFile(file, written.map(([id, key]) => `${id}:${key.toString('base64')}`).join(','));
    const call = await makeCall(db.sql);
    const vault = createVault([{ id: 'k1', key: older }]);
    await createWebhookEndpoint(db.sql, call, { url: 'http://127.0.0.1:9/' }, { vault });

    await setKeys(['k2', newer], ['k1', older]);
    const before = JSON.parse((await encryption('status', '--json')).stdout);
    const valuesOf = ({ keys: told }: { keys: KeyUsage[] }) => told.map(({ key, role, values }) => [key, role, values]);
    assert.deepEqual(valuesOf(before), [
      ['k2', 'encrypts', 0],
      ['k1', 'decrypts', 1],
    ]);
    const rotated = await encryption('rotate', '--json');
    assert.equal(rotated.code, 0);
    assert.equal(JSON.parse(rotated.stdout).resealed, 1);
    assert.match((await encryption('status')).stdout, /^k2 +encrypts +1 +0 +0 +0 +1 +0 +0 +0 +0\nk1 +decrypts +0 /m);

    assert.match(
      (await encryption('rotate')).stdout,
      /\n\n0 values were sealed again\. Nothing is left under another key or format\.\n$/,
    );

    await setKeys(['k2', newer]);
    assert.deepEqual((await encryption('verify')).stdout, 'Everything can be opened.\n');
    await setKeys(['k3', older]);
    const lost = await encryption('verify', '--json');
    assert.equal(lost.code, 1);
    const [{ column, problem }] = JSON.parse(lost.stdout).unreadable;
    assert.deepEqual([column, problem], ['webhook_secrets', 'the encryption key "k2" is not configured']);
    const stuck = await encryption('rotate');
    assert.deepEqual([stuck.code, /1 cannot be opened\. encryption verify lists them/.test(stuck.stdout)], [1, true]);
    const { stdout } = await audit('list', '--json', '--limit', '2');
    assert.deepEqual(
      JSON.parse(stdout).map(({ action }: AuditRecord) => action),
      ['encryption.rotation_finished', 'encryption.rotation_begun'],
    );
  });

  it('shows its usage for --help, and does nothing', async () => {
    for (const [outcome, first] of [
      [keys('revoke', '--help'), 'keys create'],
      [billers('-h'), 'billers create'],
    ] as const) {
      const { code, stdout, stderr } = await outcome;
      assert.deepEqual([code, stderr], [0, '']);
      assert.match(stdout, new RegExp(`^Usage:\\n {2}${first} `));
    }
  });

  it('lists its commands, each with a line, and names the one that an unknown word may mean', async () => {
    const help = await run('--help', [], {});
    assert.deepEqual([help.code, help.stderr], [0, '']);
    const commands = [...help.stdout.matchAll(/^ {2}(\S+) {2,}\S.*$/gm)].map(([, name]) => name);
    assert.ok(commands.length >= 10, help.stdout);
    const { scripts } = JSON.parse(await readFile(new URL('../../package.json', import.meta.url), 'utf8'));
    const started = Object.values<string>(scripts).flatMap((script) => script.match(/cli\/main\.ts (\S+)$/)?.[1] ?? []);
    assert.deepEqual(started.sort(), commands.sort(), 'each has an npm script of its own');
    for (const [word, meant] of [
      ['key', 'keys'],
      ['bilers', 'billers'],
      ['check:invariants', 'check-invariants'],
    ] as const) {
      const { code, stdout, stderr } = await run(word, [], {});
      assert.deepEqual([code, stdout], [2, '']);
      assert.match(stderr, new RegExp(`^There is no command "${word}"\\. Did you mean "${meant}"\\?`));
    }
  });

  it('says on stderr what is wrong, and ends with another status than 0', async () => {
    const cases: [Promise<Ran>, number, RegExp][] = [
      [keys('create'), 2, /--mode must be sandbox or live/],
      [keys('destroy'), 2, /no command "destroy"/],
      [keys('revoke'), 2, /needs the id of one key/],
      [keys('create', '--mode', 'live', '--bogus'), 2, /--bogus/],
      [keys('create', '--mode', 'live', '--scopes', 'a:read'), 1, /"a:read" is not a scope/],
      [keys('revoke', 'key_none'), 1, /No such API key/],
      [billers('create', '--name', 'x', '--timezone', 'Sydney'), 1, /IANA time zone/],
      [billers('create'), 2, /--name/],
      [audit('show'), 2, /no command "show"/],
      [audit('list', '--limit', '0'), 2, /--limit must be a whole number/],
      [encryption(), 2, /Give a command/],
      [run('encryption', ['status'], { DATABASE_URL: db.url, DATA_DIR: '/none' }), 1, /Set ENCRYPTION_KEYS/],
      [run('keys', ['list'], { DATA_DIR: join(dataDir, 'none') }), 1, /Start it with npm start/],
      [run('keys', ['list'], { DATABASE_URL: 'postgres://x:y@127.0.0.1:1/z' }), 1, /database cannot be reached/],
      [run('keys', ['list'], { DATABASE_URL: 'nonsense' }), 1, /DATABASE_URL must be/],
    ];
    for (const [outcome, code, message] of cases) {
      const { code: ended, stderr, stdout } = await outcome;
      assert.deepEqual([ended, stdout], [code, ''], stderr);
      assert.match(stderr, message);
      assert.equal(stderr.includes('    at '), false, 'no stack');
    }
  });
});
