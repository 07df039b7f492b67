import assert from 'node:assert/strict';
import { chmod, mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { commands } from '../../clients/typescript/src/cli/commands.ts';
import { parseInstant } from '../../clients/typescript/src/cli/instants.ts';
import { recipes } from '../../clients/typescript/src/cli/recipes.ts';
import { findSettings } from '../../clients/typescript/src/cli/settings.ts';
import { columns, safeLine } from '../../clients/typescript/src/cli/terminal.ts';
import { findFreePorts } from '../../dev/ports.ts';
import { eventually } from '../../lab/eventually.ts';
import { serveOnLoopback } from '../../lab/loopback-server.ts';
import { type Ran, root, runProgram } from '../../lab/run-program.ts';
import { sandboxProcessor } from '../../src/processors/sandbox.ts';
import { eventTypes } from '../../src/resources/event-catalogue.ts';
import type { Merchant } from '../support/merchant.ts';
import { assertIsWebhook } from '../support/openapi.ts';
import { usePages } from '../support/pages.ts';
import { useService } from '../support/service.ts';
import { useReceiver } from '../support/webhooks.ts';
import { payments, startPayments } from './command-line.ts';

const [pagesPort = 0] = await findFreePorts(1);

describe('payments', function () {
  this.timeout(120_000);
  const publicUrl = `http://127.0.0.1:${pagesPort}`;
  const service = useService({ publicUrl });
  const processors = { sandbox: sandboxProcessor, live: null };
  usePages({ db: service.db, vault: service.vault, processors }, { publicUrl, port: pagesPort });
  const receiver = useReceiver();
  let folder = '';
  let merchant: Merchant;

  before(async () => {
    folder = await mkdtemp(join(tmpdir(), 'payments-cli-'));
  });
  beforeEach('make a biller', async () => {
    receiver.reset();
    merchant = await service.merchant();
  });
  after(() => rm(folder, { recursive: true, force: true }));

  const env = () => ({ HOME: folder, BASE_URL: service.url, API_KEY: merchant.key });
  const run = (...args: string[]): Promise<Ran> => payments(args, env(), folder);
  async function succeed(...args: string[]): Promise<string> {
    const { code, stdout, stderr } = await run(...args);
    assert.equal(code, 0, `${args.join(' ')}: ${stdout}${stderr}`);
    return stdout;
  }
  const linesOf = (text: string) =>
    text
      .trim()
      .split('\n')
      .map((line) => JSON.parse(line));

  it('moves a clock beyond the bound of one advance, shows each effect, and waits for the webhooks', async () => {
    await merchant.endpoint(receiver.url);
    const clock = JSON.parse(await succeed('clock', 'create', '--at', '2028-01-31', '--name', 'Renewals', '--json'));
    assert.deepEqual([clock.frozen_time, clock.name], ['2028-01-31T00:00:00.000Z', 'Renewals']);
    const payer = await merchant.payer({ test_clock: clock.id });
    const terms = {
      customer_id: payer.id,
      start_date: '2028-02-01',
      metadata: { _sandbox_outcome: 'decline,succeed' },
    };
    await merchant.activePlan({ ...terms, frequency_type: 'weekly' });

    const { code, stdout, stderr } = await run('clock', 'advance', clock.id, '+1mo');
    assert.equal(code, 0, stderr);
    const [heading, ...rows] = stdout.trim().split('\n');
    assert.match(heading ?? '', /^WHEN +WHAT +OBJECT +AMOUNT +THEN$/);
    assert.match(
      rows[0] ?? '',
      /^2028-02-01 00:00 +payment_intent.failed +pi_\S+ +AUD 1000 +insufficient_funds, again 2028/,
    );
    assert.match(
      rows.at(-1) ?? '',
      new RegExp(`^${clock.id} is ready at 2028-02-29T00:00:00.000Z. Webhooks: \\d+ delivered, 0 failed, 0 pending`),
    );
    assert.match(stderr, /2028-02-29T00:00:00.000Z {2}100 %/);
    assert.ok(stderr.split('\n').filter((line) => line.endsWith('%')).length >= 3, 'several advances');
    const paid = rows.filter((row) => row.includes('payment_intent.succeeded'));
    assert.equal(paid.length, 4);
    assert.equal(receiver.received.length, (await merchant.events()).length);

    const events = linesOf(await succeed('clock', 'advance', clock.id, '2028-03-01T00:00:00Z', '--json'));
    assert.deepEqual([events.at(-1).id, events.at(-1).status], [clock.id, 'ready']);
    const { code: backwards, stderr: why } = await run('clock', 'advance', clock.id, '2028-01-01');
    assert.deepEqual([backwards, /only moves forward/.test(why)], [1, true]);
    assert.match(await succeed('clock', 'list'), new RegExp(clock.id));
    await succeed('clock', 'delete', clock.id);
  });

  it('says with its status that a webhook of the clock was not delivered', async () => {
    receiver.answer = (_, response) => void response.writeHead(500).end();
    const clock = await merchant.clock('2028-01-31T00:00:00Z');
    await merchant.endpoint(receiver.url);
    const { code, stdout } = await run('clock', 'advance', clock.id, '+1h', '--wait', '1');
    assert.equal(code, 1);
    assert.match(stdout, /0 failed, [1-9] pending/);
    assert.equal((await run('clock', 'advance', clock.id, '+1h', '--wait', '0')).code, 0);
    await merchant.deleteClock(clock.id);
  });

  it('watches the advances of a clock that others make, until it is deleted', async () => {
    const clock = await merchant.clock('2028-01-31T00:00:00Z');
    const payer = await merchant.payer({ test_clock: clock.id });
    await merchant.activePlan({ customer_id: payer.id, start_date: '2028-02-01' });
    const watching = startPayments(['clock', 'watch', clock.id], env());
    await watching.printed(/clk_/);
    await merchant.advance(clock.id, '2028-02-02T00:00:00Z');
    await watching.printed(/2028-02-01 00:00 {2}payment_intent.succeeded/);
    assert.equal((await run('clock', 'watch', clock.id, '--until-ready')).code, 0);
    await merchant.deleteClock(clock.id);
    await watching.printed(/is deleted/);
    assert.equal(await watching.ended(), 0);
  });

  it('shows events as they come, and those that exist', async () => {
    const tailing = startPayments(['events', 'tail', '--types', 'payment_intent.*', '--json'], env());
    const all = startPayments(['events', 'tail'], env());
    await all.printed(/Waiting for events after 0/);
    await new Promise((resolve) => setTimeout(resolve, 500));
    const { id } = await merchant.intent({});
    await merchant.client.paymentIntents.cancel(id);
    await tailing.printed(new RegExp(id));
    await all.printed(new RegExp(`1 .*payment_intent.canceled +${id}`));
    assert.deepEqual([await tailing.end(), await all.end('SIGINT')], [0, 0]);
    const [event, ...none] = linesOf(await succeed('events', 'tail', '--since', 'beginning', '--once', '--json'));
    assert.deepEqual([event.data.id, none], [id, []]);
  });

  it('shows events that exist once, or says that the service does not respond: it does not wait for it', async () => {
    const [nowhere] = await findFreePorts(1);
    const away = { ...env(), BASE_URL: `http://127.0.0.1:${nowhere}` };
    const { code, stderr } = await payments(['events', 'tail', '--once'], away, folder);
    assert.equal(code, 1);
    assert.match(stderr, /127\.0\.0\.1/);
  });

  it('moves no clock back, and says how a target is written', async () => {
    const { code, stderr } = await run('clock', 'advance', 'clk_any', '-3d');
    assert.equal(code, 2);
    assert.match(stderr, /only moves forward: write \+3d, not -3d/);
  });

  it('sends an event again, by the service or from here, and says whether it was received', async () => {
    await merchant.endpoint(receiver.url);
    const { id } = await merchant.intent({});
    await merchant.client.paymentIntents.cancel(id);
    const [event] = await merchant.events();
    assert.ok(event);
    const times = () => receiver.received.filter(({ headers }) => headers['webhook-id'] === event.id).length;
    await eventually('the delivery', () => times() === 1);
    assert.match(await succeed('events', 'resend', event.id), / {2}delivered {2}2\d\d/);
    assert.equal(times(), 2);
    const secret = 'whsec_c2VjcmV0IG9mIGEgbGlzdGVuZXIgaW4gdGhlIHRlc3Q=';
    const args = ['events', 'resend', event.id, '--forward', receiver.url];
    const here = await payments(args, { ...env(), WEBHOOK_SECRET: secret }, folder);
    assert.equal(here.code, 0, here.stderr);
    assert.equal(times(), 3);
    receiver.answer = (_, response) => void response.writeHead(500).end();
    assert.equal((await payments(args, { ...env(), WEBHOOK_SECRET: secret }, folder)).code, 1);
    assert.equal((await run(...args)).code, 2, 'without a secret');
  });

  it('shows an object of each kind by its id', async () => {
    const payer = await merchant.payer();
    const plan = await merchant.plan({ customer_id: payer.id, start_date: '2090-01-01' });
    const { id: link } = await merchant.client.paymentLinks.create({ name: 'Invoice', amount: 2500, currency: 'AUD' });
    const subscription = await merchant.client.subscriptions.create({
      customer_id: payer.id,
      name: 'Membership',
      currency: 'AUD',
      frequency_type: 'monthly',
      items: [{ name: 'Membership', unit_amount_cents: 4900 }],
    });
    for (const id of [payer.id, plan.id, link, subscription.id]) {
      const { code, stdout, stderr } = await run('open', id, '--print');
      assert.deepEqual([code, JSON.parse(stdout).id], [0, id]);
      assert.equal(stderr.trim(), `${service.url}/docs`);
    }
    assert.equal((await run('open', 'cus_1', '--print')).code, 1);
    assert.equal((await run('open', 'nothing')).code, 2);
  });

  it('finds address and key of a service that runs by npm start in the folder', async () => {
    const home = join(folder, 'local');
    await mkdir(join(home, '.data'), { recursive: true });
    const development = {
      base_url: service.url,
      temporal_ui_url: 'http://127.0.0.1:8233',
      keys: { sandbox_secret: merchant.key },
    };
    await writeFile(join(home, '.data/development.json'), JSON.stringify(development));
    const clock = await merchant.clock('2028-01-31T00:00:00Z');
    const { code, stderr } = await payments(['open', clock.id, '--print'], { HOME: folder }, home);
    assert.equal(code, 0, stderr);
    assert.equal(stderr.trim(), `http://127.0.0.1:8233/namespaces/payments/workflows/test-clock%2F${clock.id}`);
    await merchant.deleteClock(clock.id);
  });

  it('sends a key of the environment to BASE_URL or the default address, never to one that its folder names', async () => {
    const asked: string[] = [];
    const other = await serveOnLoopback(({ headers }, response) => {
      asked.push(String(headers.authorization));
      response.writeHead(404).end();
    });
    const home = join(folder, 'foreign');
    await mkdir(join(home, '.data'), { recursive: true });
    const development = {
      base_url: other.url,
      temporal_ui_url: other.url,
      keys: { sandbox_secret: 'sk_sandbox_theirs' },
    };
    await writeFile(join(home, '.data/development.json'), JSON.stringify(development));
    const mine = { HOME: folder, API_KEY: 'sk_sandbox_mine' };
    try {
      await payments(['open', 'cus_1', '--print'], mine, home);
      await payments(['open', 'cus_1', '--print'], { ...mine, DATA_DIR: join(home, '.data') }, folder);
      await payments(['open', 'cus_1', '--print'], { ...mine, BASE_URL: service.url }, home);
      assert.deepEqual(asked, []);
      await payments(['open', 'cus_1', '--print'], { HOME: folder }, home);
      assert.deepEqual(asked, ['Bearer sk_sandbox_theirs']);
    } finally {
      await other.close();
    }
  });

  it('takes from a folder the address of a service on this machine alone', async () => {
    const home = join(folder, 'elsewhere');
    await mkdir(join(home, '.data'), { recursive: true });
    const write = (members: object) => writeFile(join(home, '.data/development.json'), JSON.stringify(members));
    const keys = { sandbox_secret: 'sk_sandbox_theirs' };
    const here = 'http://127.0.0.1:8123';
    await write({ base_url: 'https://payments.example', temporal_ui_url: here, keys });
    assert.throws(() => findSettings({}, home), /There is no key/);
    for (const temporal_ui_url of ['https://payments.example', 'vscode://127.0.0.1/x', 1]) {
      await write({ base_url: here, temporal_ui_url, keys });
      for (const env of [{}, { API_KEY: 'sk_sandbox_mine', BASE_URL: here }]) {
        const found = findSettings(env, home);
        assert.deepEqual([found.baseUrl, found.webUiUrl], [here, null]);
      }
    }
  });

  it('takes no key and no address from a folder that another user could have written', async () => {
    const home = join(folder, 'shared');
    await mkdir(join(home, '.data'), { recursive: true });
    const keys = { sandbox_secret: 'sk_sandbox_theirs' };
    await writeFile(join(home, '.data/development.json'), JSON.stringify({ base_url: 'http://127.0.0.1:8123', keys }));
    await chmod(join(home, '.data'), 0o777);
    assert.throws(() => findSettings({}, home), /could have been written by another user.*chmod go-w/);
    const mine = findSettings({ API_KEY: 'sk_sandbox_mine' }, home);
    assert.deepEqual([mine.baseUrl, mine.webUiUrl], ['http://127.0.0.1:8080', null]);
    await chmod(join(home, '.data'), 0o755);
    assert.equal(findSettings({}, home).apiKey, 'sk_sandbox_theirs');
  });

  it('sends a key to another machine without https only if that is asked for by name', async () => {
    const plain = { HOME: folder, API_KEY: merchant.key, BASE_URL: 'http://0.0.0.0:1' };
    const refused = await payments(['open', 'cus_1', '--print'], plain, folder);
    assert.deepEqual([refused.code, /ALLOW_PLAIN_HTTP/.test(refused.stderr)], [2, true]);
    const asked = await payments(['open', 'cus_1', '--print'], { ...plain, ALLOW_PLAIN_HTTP: 'true' }, folder);
    assert.deepEqual([asked.code, /does not respond/.test(asked.stderr)], [1, true]);
  });

  it('says that no service runs from a folder: none at all, one that was killed, and one whose port another has', async () => {
    const home = join(folder, 'gone');
    await mkdir(join(home, '.data'), { recursive: true });
    const open = async () => {
      const { code, stderr } = await payments(['open', 'cus_1', '--print'], { HOME: folder }, home);
      assert.notEqual(code, 0);
      assert.match(stderr, new RegExp(`[Nn]o service runs from ${join(home, '.data')}`));
      return stderr;
    };
    assert.match(await open(), /There is no key/);
    const file = join(home, '.data/development.json');
    const keys = { sandbox_secret: `sk_sandbox_${'0'.repeat(32)}` };
    await writeFile(file, JSON.stringify({ base_url: 'http://127.0.0.1:1', keys }));
    assert.match(await open(), /nothing responds at http:\/\/127\.0\.0\.1:1\. Start it with npm start/);
    await writeFile(file, JSON.stringify({ base_url: service.url, keys }));
    assert.match(await open(), /another service responds at/);
  });

  /** A minute passes for the pages' limit of failures of this machine, once a second. */
  async function passMinutes(until: AbortSignal): Promise<void> {
    const [subject = Buffer.of()] = service.vault.fingerprintsOf(['limit of a page\nfailures\n127.0.0.1']);
    while (!until.aborted) {
      await service.db.sql`delete from page_uses where subject = ${subject}`;
      await new Promise((resolve) => setTimeout(resolve, 1_000));
    }
  }

  for (const type of eventTypes) {
    it(`triggers the event ${type} by real objects, and deletes them again`, async () => {
      const ended = new AbortController();
      const passing = type === 'payment_link.throttled' ? passMinutes(ended.signal) : null;
      const event = JSON.parse(await succeed('trigger', type, '--cleanup', '--json').finally(() => ended.abort()));
      await passing;
      assert.equal(event.event_type, type);
      assertIsWebhook(event);
      const { customers, testClocks, webhookEndpoints } = merchant.client;
      const left = [await customers.list(), await testClocks.list(), await webhookEndpoints.list()];
      assert.deepEqual(
        left.map(({ data }) => data),
        [[], [], []],
      );
    });
  }

  it('lists the types of events that it triggers: all of them', async () => {
    const listed = (await succeed('trigger', '--list')).trim().split('\n');
    assert.deepEqual(listed, Object.keys(recipes));
    assert.deepEqual(listed.toSorted(), eventTypes.toSorted());
    assert.equal((await run('trigger', 'payment_plan.paused')).code, 2);
    const live = { ...env(), API_KEY: 'sk_live_0123456789' };
    const { code, stderr } = await payments(['trigger', 'test_clock.created'], live, folder);
    assert.deepEqual([code, /live mode/.test(stderr)], [2, true]);
  });

  it('prints a URL that opens the workbench, and a clock on it, once', async () => {
    const clock = await merchant.clock('2027-01-04T00:00:00Z');
    const { url, expires_at } = JSON.parse(await succeed('workbench', '--clock', clock.id, '--json'));
    assert.equal(url.startsWith(`${service.url}/dashboard/enter/`), true);
    const entered = await fetch(url, { method: 'POST', redirect: 'manual' });
    assert.equal(entered.headers.get('location'), `/dashboard/sandbox/clocks/${clock.id}`);
    const [cookie = ''] = (entered.headers.get('set-cookie') ?? '').split(';');
    const page = await fetch(`${service.url}${entered.headers.get('location')}`, { headers: { Cookie: cookie } });
    assert.equal(page.status, 200);
    assert.ok((await page.text()).includes(clock.id));
    const minutes = (Date.parse(expires_at) - Date.now()) / 60_000;
    assert.ok(minutes > 58 && minutes <= 60, String(minutes));
    assert.match(await succeed('workbench'), /^http:\/\/[^\s]+\/dashboard\/enter\/\w+\?to=sandbox\/\n$/);
    assert.equal((await run('workbench', '--clock', 'pp_1')).code, 2);
  });

  it('prints a URL that lets a person of a role into the dashboard, once', async () => {
    const { url, expires_at } = JSON.parse(
      await succeed('dashboard', '--role', 'support', '--person', 'Ann', '--json'),
    );
    assert.ok(url.startsWith(`${service.url}/dashboard/enter/`));
    const entered = await fetch(url, { method: 'POST', redirect: 'manual' });
    assert.equal(entered.status, 303);
    const [cookie = ''] = (entered.headers.get('set-cookie') ?? '').split(';');
    const page = await fetch(`${service.url}/dashboard`, { headers: { Cookie: cookie } });
    assert.match(await page.text(), /<strong>Ann<\/strong>, support/);
    assert.equal((await fetch(url, { method: 'POST', redirect: 'manual' })).status, 401);
    const minutes = (Date.parse(expires_at) - Date.now()) / 60_000;
    assert.ok(minutes > 58 && minutes <= 60, String(minutes));
    assert.match(await succeed('dashboard', '--minutes', '5'), /^http:\/\/[^\s]+\/dashboard\/enter\/\w+\n$/);
    for (const wrong of [
      ['--role', 'owner'],
      ['--minutes', '4'],
      ['--minutes', 'x'],
    ]) {
      assert.equal((await run('dashboard', ...wrong)).code, 2);
    }
  });

  it('prints the balance in real time and on a clock, and needs an account that has the clock', async () => {
    assert.match(
      await succeed('balance'),
      /^(No money has moved\.|currency {2}in flight {2}pending {2}available {2}held\n.*)\n$/s,
    );
    const clock = await merchant.clock('2027-01-04T00:00:00Z');
    const { data, complete_up_to } = JSON.parse(await succeed('balance', '--clock', clock.id, '--json'));
    assert.deepEqual([data, Number.isInteger(complete_up_to)], [[], true]);
    assert.equal((await run('balance', '--clock', 'clk_none')).code, 1);
  });

  it('writes reports and statements as they come, as CSV or JSON, and says what is refused', async () => {
    const clock = await merchant.clock('2027-01-04T00:00:00Z');
    const payer = await merchant.payer({ test_clock: clock.id });
    const plan = await merchant.activePlan({ customer_id: payer.id, start_date: '2027-01-04' });
    await eventually('the payment', async () => (await merchant.payments(plan.id))[0]?.status === 'paid');
    const year = ['--from', '2027-01-01', '--to', '2028-01-01'];
    const csv = await succeed('report', 'plans', ...year, '--clock', clock.id, '--columns', 'id,charged,collected');
    assert.equal(csv, `id,charged,collected\r\n${plan.id},1000,1000\r\n`);
    const [header, first, ...lines] = (await succeed('statement', payer.id, ...year)).trimEnd().split('\r\n');
    assert.match(header ?? '', /^date,type,currency,amount,owed,/);
    assert.match(first ?? '', /^2027-01-01,owed_before,AUD,0,0,/);
    assert.equal(lines.length, 3);
    const { data } = JSON.parse(await succeed('report', 'aging', '--clock', clock.id, '--json'));
    assert.deepEqual(data, []);
    const refused = await run('report', 'plans', ...year, '--columns', 'colour');
    assert.deepEqual([refused.code, refused.stdout], [1, '']);
    assert.match(refused.stderr, /There is no column "colour"\. The columns are: type, id, name/);
    assert.equal((await run('report', 'everything', ...year)).code, 2);
    assert.equal((await run('statement', 'cus_none', ...year)).code, 1);
  });

  it('explains each command, and is a part of npm run payments', async () => {
    for (const name of Object.keys(commands)) {
      assert.match(await succeed(name, '--help'), new RegExp(`^Usage: payments ${name}`));
    }
    const program = join(root, 'tools/payments.mjs');
    const whole = (...args: string[]) =>
      runProgram(process.execPath, ['--conditions=payments-source', program, ...args], { cwd: root, env: process.env });
    const { stdout } = await whole('help');
    for (const name of [...Object.keys(commands), 'keys', 'ops'])
      assert.match(stdout, new RegExp(`^ {2}${name} `, 'm'));
    assert.match((await whole('listen', '--help')).stdout, /^Usage: payments listen/);
    assert.match((await whole('keys', '--help')).stdout, /keys create/);
  });
});

describe('an instant on the command line of payments', () => {
  const from = new Date('2028-01-31T09:00:00.000Z');
  const cases: [string, string][] = [
    ['2028-03-01', '2028-03-01T00:00:00.000Z'],
    ['2028-03-01T09:00:00Z', '2028-03-01T09:00:00.000Z'],
    ['2028-03-01T09:00:00+10:00', '2028-02-29T23:00:00.000Z'],
    ['+90m', '2028-01-31T10:30:00.000Z'],
    ['+12h', '2028-01-31T21:00:00.000Z'],
    ['+14d', '2028-02-14T09:00:00.000Z'],
    ['+2w', '2028-02-14T09:00:00.000Z'],
    ['+1mo', '2028-02-29T09:00:00.000Z'],
    ['+13mo', '2029-02-28T09:00:00.000Z'],
    ['+1y', '2029-01-31T09:00:00.000Z'],
  ];
  for (const [text, instant] of cases) {
    it(`may be ${text}, which is then ${instant}`, () => assert.equal(parseInstant(text, from).toISOString(), instant));
  }

  it('is refused if it is none', () => {
    for (const text of ['', 'tomorrow', '+1', '-1d', '2028-13-01', '2028-03-01T09:00:00', '+1q']) {
      assert.throws(() => parseInstant(text, from), /is not an instant|There is no 2028-13-01/, text);
    }
  });

  it('is refused if its day does not exist', () => {
    for (const text of ['2028-02-31', '2027-02-29', '2028-06-31T09:00:00Z']) {
      assert.throws(() => parseInstant(text, from), { message: `There is no ${text.slice(0, 10)}.` });
    }
  });
});

describe('what payments prints', () => {
  it('cannot control the terminal', () => {
    assert.equal(safeLine('Acme \u001b[2J\n\u202e'), 'Acme \\u001b[2J\\u000a\\u202e');
    assert.equal(
      columns(
        [
          ['a\n', 'b'],
          ['ccc', 'd'],
        ],
        [4],
      ),
      'a\\u000a  b\nccc      d',
    );
  });
});
