import assert from 'node:assert/strict';
import { randomBytes } from 'node:crypto';
import { readdirSync, readFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import type { Client } from '@temporalio/client';
import { after, before, describe, it } from 'mocha';
import { type Ran, runProgram, runScript } from '../../lab/run-program.ts';
import type { Id } from '../../src/domain/ids.ts';
import { safeLine, safeLines } from '../../src/platform/terminal.ts';
import { openTemporal } from '../../src/processes/temporal/client.ts';
import { useApi } from '../support/api.ts';
import { useDatabase } from '../support/database.ts';
import { makeBiller, makeKey, tester } from '../support/factories.ts';
import { createMerchant } from '../support/merchant.ts';
import { serverAt, serverStartTimeoutMs, temporalServer, testNamespace } from '../support/temporal.ts';
import { deliveryOf, makeCall, makeEndpoint, makeEvent, webhookDeps } from '../support/webhooks.ts';

const root = new URL('../../', import.meta.url);

/** The effect of each on a terminal, or on the reader. */
const attacks: Record<string, string> = {
  'clears the screen': '\u001b[2J\u001b[H',
  'makes a link that shows another address (OSC 8)': '\u001b]8;;https://evil.example\u0007bank\u001b]8;;\u0007',
  'sets the title and the clipboard': '\u001b]0;root\u0007\u001b]52;c;ZXZpbA==\u001b\\',
  'is a C1 control sequence': '\u009b31m\u009d8;;x\u009c\u0090q\u009c',
  'overwrites the line': 'failed\rPAID  ',
  'goes back': 'x\b\b\b',
  'begins a forged line': 'x\nforged line',
  'begins one by another break': 'x\u000b\f\u0085\u2028\u2029y',
  'reads in another order': '\u202egnp.exe\u202c \u2066a\u2067b\u2068c\u2069 \u200e\u200f\u061c \u202a\u202b\u202d',
  'cannot be seen': 'a\u200b\u200c\u200d\u2060\ufeff\u00ad\u180e\u034f\u115f\u3164\ufe0f',
  'is written in tags': '\u{e0041}\u{e0042}\u{e007f}',
  'is a tab, a bell or a DEL': '\t\u0007\u007f\u000e\u000f',
};
const hostile = `Acme ${Object.values(attacks).join('')} Ltd`;

/** Written again here, so that the test does not depend on the code under test. */
const isUnsafe = (symbol: string): boolean => {
  const code = symbol.codePointAt(0) ?? 0;
  return (
    code < 32 ||
    (code >= 0x7f && code <= 0x9f) ||
    [0xad, 0x34f, 0x61c, 0x115f, 0x1160, 0x180e, 0x3164, 0xfeff, 0xfe0f].includes(code) ||
    (code >= 0x200b && code <= 0x200f) ||
    (code >= 0x2028 && code <= 0x202e) ||
    (code >= 0x2060 && code <= 0x206f) ||
    (code >= 0xd800 && code <= 0xdfff) ||
    (code >= 0xe0000 && code <= 0xe0fff)
  );
};

function assertSafe(text: string): void {
  for (const line of text.split('\n')) {
    const found = [...line].filter(isUnsafe).map((symbol) => symbol.codePointAt(0)?.toString(16));
    assert.deepEqual(found, [], JSON.stringify(line));
    assert.ok(!line.startsWith('forged'), text);
  }
}

describe('the text for a terminal', () => {
  for (const [what, text] of Object.entries(attacks)) {
    it(`is escaped if it ${what}`, () => {
      const safe = safeLine(text);
      assertSafe(safe);
      assert.ok(!safe.includes('\n'));
      assert.equal(JSON.parse(`"${safe.replaceAll('"', '\\"').replaceAll(/\\(?!u)/g, '\\\\')}"`), text);
      assert.deepEqual(JSON.parse(safeLine(JSON.stringify({ [text]: text }))), { [text]: text });
    });
  }

  it('is otherwise unchanged, in every script', () => {
    for (const text of ['', 'Jo Nguyễn & Söhne', '東京 ガス', 'עברית', 'العربية', 'हिन्दी', '🙂 €5 ½', 'C:\\new "x"']) {
      assert.equal(safeLine(text), text);
    }
    assert.equal(safeLines('one\ntwo\r\n\u001b'), 'one\ntwo\\u000d\n\\u001b');
    assert.equal(safeLine('\ud83d lone'), '\\ud83d lone');
  });
});

describe('a hostile text in the output of a command', function () {
  this.timeout(180_000); // each run loads the program anew
  const db = useDatabase(5, { isDamaged: true });
  const api = useApi(db, undefined, () => ({ vault: webhookDeps.vault }));
  const taskQueue = `test-${randomBytes(6).toString('hex')}`;
  let temporal: Client;
  let address = '';
  let billerId: Id<'biller'>;
  let hostileBiller: Id<'biller'>;
  let keyId = '';
  let sandboxKey = '';

  before('plant it', async function () {
    this.timeout(serverStartTimeoutMs);
    address = await temporalServer();
    temporal = openTemporal(serverAt(address));
    const { sql } = db;
    billerId = (await makeBiller(sql)).id;
    // No door takes such a name: a row that was changed by hand may have it.
    hostileBiller = (await makeBiller(sql, { by: { ...tester, id: hostile.slice(0, 190) } })).id;
    await sql`update billers set name = ${hostile} where id = ${hostileBiller}`;
    const key = await makeKey(sql, { billerId });
    [keyId, sandboxKey] = [key.id, key.key];
    await sql`update api_keys set scopes = ${['customers:read', hostile]} where id = ${(await makeKey(sql)).id}`;
    await plantInvariant();
    await plantStuck();
  });
  after('close', () => temporal?.connection.close());

  async function plantInvariant(): Promise<void> {
    const { id } = await createMerchant(api.url, sandboxKey).intent({ amount: 500, currency: 'AUD' });
    await db.sql`alter table payment_intents drop constraint payment_intents_status_check`;
    await db.sql`update payment_intents set status = ${hostile} where id = ${id}`;
  }

  async function plantStuck(): Promise<void> {
    const { sql } = db;
    const call = await makeCall(sql, { billerId });
    const endpoint = await makeEndpoint(sql, call, 'http://127.0.0.1:9/');
    const id = await deliveryOf(sql, await makeEvent(sql, call), endpoint.id);
    await sql`update webhook_endpoints set failing_since = now() - interval '3 days' where id = ${endpoint.id}`;
    await sql`update webhook_deliveries set attempt_count = 1 where id = ${id}`;
    await sql`
      insert into webhook_delivery_attempts (delivery_id, number, at, error, duration_ms)
      values (${id}, 1, now(), ${hostile}, 5)`;
    const sealed = Buffer.concat([Buffer.from([1, 9]), Buffer.from('k\u001b[2J\r\b\n!'), Buffer.alloc(40)]);
    const other = await makeEndpoint(sql, call, 'http://127.0.0.1:9/');
    await sql`update webhook_endpoints set sealed_secret = ${sealed} where id = ${other.id}`;
  }

  async function run(file: string, args: string[], env: Record<string, string> = {}): Promise<Ran> {
    const ran = await runScript(file, args, {
      ...{ DATABASE_URL: db.url, TEMPORAL_ADDRESS: address, TEMPORAL_NAMESPACE: testNamespace },
      ...{ TEMPORAL_TASK_QUEUE: taskQueue, ENCRYPTION_KEYS: `test:${Buffer.alloc(32, 7).toString('base64')}` },
      ...env,
    });
    assertSafe(ran.stdout);
    assertSafe(ran.stderr);
    return ran;
  }
  const cli = (name: string, ...args: string[]) => run('src/processes/cli/main.ts', [name, ...args]);

  it('is escaped by billers, in words and in JSON, which reads back as it was', async () => {
    const refused = await cli('billers', 'create', '--name', hostile);
    assert.notEqual(refused.code, 0);
    assert.match(refused.stderr, /name must be 1 to 200 characters, without control characters/);
    const [words, list] = await Promise.all([cli('billers', 'list'), cli('billers', 'list', '--json')]);
    assert.ok(
      words.stdout.split('\n').some((line) => line.startsWith(hostileBiller) && line.includes('\\u202egnp.exe')),
    );
    const found = JSON.parse(list.stdout).find(({ id }: { id: string }) => id === hostileBiller);
    assert.equal(found.name, hostile);
  });

  it('is escaped by keys', async () => {
    const list = await cli('keys', 'list');
    assert.ok(list.stdout.includes('customers:read,Acme \\u001b[2J'), list.stdout);
    const json = await cli('keys', 'list', '--json');
    assert.ok(JSON.parse(json.stdout).some(({ scopes }: { scopes: string[] }) => scopes.includes(hostile)));
    const rolled = await cli('keys', 'roll', keyId, '--overlap-hours', '1');
    assert.equal(rolled.code, 0);
    for (const args of [['revoke', hostile], [hostile], ['create', '--mode', hostile], ['list', `--${hostile}`]]) {
      assert.notEqual((await cli('keys', ...args)).code, 0);
    }
  });

  it('is escaped by audit:log, in the actor', async () => {
    const words = await cli('audit', 'list');
    const line = words.stdout
      .split('\n')
      .find((each) => each.includes('biller.created') && each.includes(hostileBiller));
    assert.ok(line?.includes('command line: Acme \\u001b[2J'), words.stdout);
    assert.ok(line?.includes('\\u202egnp.exe'));
    const json = await cli('audit', 'list', '--json');
    const entry = JSON.parse(json.stdout).find(
      ({ subject_id }: { subject_id: string }) => subject_id === hostileBiller,
    );
    assert.equal(entry.actor.id, hostile.slice(0, 190));
  });

  it('is escaped by check:invariants', async () => {
    const words = await cli('check-invariants');
    assert.deepEqual([words.code, words.stdout.includes('is Acme \\u001b[2J')], [1, true], words.stdout);
    const json = await cli('check-invariants', '--json');
    assert.ok(JSON.parse(json.stdout).violations.some(({ detail }: { detail: string }) => detail.includes(hostile)));
  });

  it('is escaped by encryption', async () => {
    const words = await cli('encryption', 'status');
    assert.ok(words.stdout.includes('k\\u001b[2J\\u000d\\u0008\\u000a!'), words.stdout + words.stderr);
    assert.equal((await cli('encryption', 'status', '--json')).code, 0);
    await cli('encryption', 'verify');
    assert.equal((await cli('encryption', hostile)).code, 2);
  });

  it('is escaped by ops stuck, and in what the other commands of ops say', async () => {
    const words = await cli('ops', 'stuck');
    assert.equal(words.code, 1, words.stderr);
    assert.match(
      words.stdout,
      /why: {5}1 waiting: to http:\/\/127\.0\.0\.1:9; the last attempt, at \S+: Acme \\u001b\[2J/,
    );
    const json = await cli('ops', 'stuck', '--json');
    const [{ found }] = JSON.parse(json.stdout).kinds.filter(
      ({ kind }: { kind: string }) => kind === 'endpoint_failing',
    );
    assert.ok(found[0].why.includes(hostile));
    for (const args of [['retry-delivery', hostile], [hostile], ['stuck', '--kind', hostile], ['recheck', hostile]]) {
      const { code, stderr } = await cli('ops', ...args);
      assert.deepEqual([code, stderr.includes('\\u001b[2J')], [2, true], stderr);
    }
  });

  it('is escaped by reconcile, which lists workflows that any user of Temporal may have named', async () => {
    const workflowId = `payment-plan/${hostile}`;
    const handle = await temporal.workflow.start('paymentPlan', { workflowId, taskQueue, args: [] });
    try {
      let words = await cli('reconcile', '--check');
      for (let looks = 0; looks < 10 && words.code === 0; looks++) words = await cli('reconcile', '--check');
      assert.ok(words.stdout.includes('payment-plan/Acme \\u001b[2J'), words.stdout + words.stderr);
      const json = await cli('reconcile', '--check', '--json');
      const { mismatches } = JSON.parse(json.stdout);
      assert.ok(mismatches.some(({ workflow }: { workflow: string }) => workflow === workflowId));
    } finally {
      await handle.terminate();
    }
  });

  it('is escaped by migrate and temporal:prepare, also in an error that ends them', async () => {
    await db.sql`insert into schema_migrations (name) values (${`9999_${hostile}`})`;
    const migrated = await cli('migrate');
    assert.deepEqual([migrated.code, migrated.stderr.includes('9999_Acme \\u001b[2J')], [1, true], migrated.stderr);
    await db.sql`delete from schema_migrations where name like '9999%'`;
    assert.equal((await cli('migrate')).stdout, 'The schema is up to date.\n');
    const prepared = await run('src/processes/cli/main.ts', ['temporal:prepare'], {
      TEMPORAL_ADDRESS: `${hostile}:7233`,
    });
    assert.equal(prepared.code, 1);
  });

  it('is escaped by the demo, which names the clocks of others and repeats the errors of the service', async () => {
    const payments = createMerchant(api.url, sandboxKey).client;
    for (let n = 0; n < 3; n++) {
      await payments.testClocks.create({ frozen_time: '2028-01-31T09:00:00Z', name: `${n} ${hostile}`.slice(0, 100) });
    }
    const limited = await run('demo/main.ts', ['--base-url', api.url, '--keys', sandboxKey]);
    assert.equal(limited.code, 1, limited.stderr);
    assert.match(limited.stdout, / {9}2 Acme \\u001b\[2J/);
    assert.notEqual((await run('demo/main.ts', [`--${hostile}`])).code, 0);
  });

  it('is escaped by the benchmarks and the fault injector', async () => {
    for (const program of ['bench/main.ts', 'faults/main.ts']) {
      const { code, stderr } = await run(program, ['--only', hostile]);
      assert.deepEqual([code, stderr.includes('Acme \\u001b[2J')], [1, true], `${program}: ${stderr}`);
    }
  });

  it('is escaped in the lines of the log, which stay JSON of the same values', async () => {
    const script = `
      import { createLogger } from './src/platform/logger.ts';
      const text = process.env.HOSTILE ?? '';
      createLogger('info', 'test').info({ path: text, err: new Error(text) }, text);`;
    const args = ['--input-type=module', '--eval', script];
    const env = { ...process.env, NODE_OPTIONS: '', HOSTILE: hostile };
    const { stdout } = await runProgram(process.execPath, args, { cwd: fileURLToPath(root), env });
    assertSafe(stdout);
    const { msg, path, err } = JSON.parse(stdout);
    assert.deepEqual([msg, path, err.message], [hostile, hostile, hostile]);
  });
});

describe('a program of this repository', () => {
  it('prints through src/platform/terminal.ts alone, and the demo through its timeline', () => {
    const printing = ['src', 'dev', 'demo', 'bench', 'faults', 'fuzz', 'lab'].flatMap((folder) =>
      readdirSync(new URL(folder, root), { recursive: true, encoding: 'utf8' })
        .map((name) => `${folder}/${name}`)
        .filter((name) => name.endsWith('.ts'))
        .filter((name) => /\bconsole\.|process\.std(out|err)\.write/.test(readFileSync(new URL(name, root), 'utf8'))),
    );
    // The samples of the reference have the word in their text.
    const samples = 'src/sites/reference/samples.ts';
    assert.deepEqual(printing.sort(), ['demo/timeline.ts', 'src/platform/terminal.ts', samples]);
  });
});
