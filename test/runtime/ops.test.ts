import assert from 'node:assert/strict';
import { once } from 'node:events';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { userInfo } from 'node:os';
import { findFreePorts } from '../../dev/ports.ts';
import { fallsDueAt } from '../../lab/due-dates.ts';
import { eventually } from '../../lab/eventually.ts';
import { type Ran, runScript } from '../../lab/run-program.ts';
import { realNow } from '../../src/platform/real-time.ts';
import { UsageError } from '../../src/processes/cli/command.ts';
import { command } from '../../src/processes/cli/ops.ts';
import { listAudit } from '../../src/services/accounts/audit.ts';
import { startApiProcess } from '../support/api-process.ts';
import { useService } from '../support/service.ts';
import { temporalServer, testNamespace } from '../support/temporal.ts';
import { waitsForItsDate } from '../support/waiting-workflow.ts';

const ago = (milliseconds: number) => new Date(realNow().getTime() - milliseconds);
const hour = 3_600_000;
const inAYear = ago(-365 * 24 * hour)
  .toISOString()
  .slice(0, 10);

describe('ops on the command line', function () {
  this.timeout(120_000); // each run loads the program anew
  const service = useService({ isAlone: true });

  async function ops(args: string[], changed: Record<string, string> = {}): Promise<Ran> {
    return runScript('src/processes/cli/main.ts', ['ops', ...args], {
      DATABASE_URL: service.db.url,
      TEMPORAL_ADDRESS: await temporalServer(),
      TEMPORAL_NAMESPACE: testNamespace,
      TEMPORAL_TASK_QUEUE: service.taskQueue,
      API_URL: service.url,
      // Its /healthz stands in for that of the pages.
      PUBLIC_URL: service.url,
      ...changed,
    });
  }

  it('ends with 0 where nothing is stuck, in words and as JSON', async () => {
    const [words, json] = await Promise.all([ops(['stuck']), ops(['stuck', '--json'])]);
    assert.deepEqual(words, { code: 0, stdout: 'Nothing is stuck.\n', stderr: '' });
    const { count, kinds } = JSON.parse(json.stdout);
    for (const { kind, meaning, after_seconds, count: none, found } of kinds) {
      assert.ok(typeof kind === 'string' && meaning && Number.isInteger(after_seconds));
      assert.deepEqual([kind, none, found], [kind, 0, []]);
    }
    assert.ok(kinds.length > 10);
    assert.deepEqual([json.code, count], [0, 0]);
  });

  it('ends with 1 where something is, prints what, since when, why and the command, which frees it', async () => {
    const merchant = await service.merchant();
    const payer = await merchant.payer();
    const { id, biller_id } = await merchant.activePlan({ customer_id: payer.id, start_date: inAYear });
    await waitsForItsDate(service.temporal, `payment-plan/${id}`);
    const due = ago(3 * hour);
    await service.db
      .sql`update payment_plans set activated_at = ${ago(24 * hour)}, ${fallsDueAt(service.db.sql, due)} where id = ${id}`;

    const [words, json, other] = await Promise.all([
      ops(['stuck']),
      ops(['stuck', '--json', '--kind', 'plan_overdue']),
      ops(['stuck', '--kind', 'advance_slow']),
    ]);
    assert.deepEqual([words.code, json.code, other.code], [1, 1, 0]);
    assert.match(words.stdout, /^plan_overdue: 1\. A plan’s payment or retry is due and was not made\.$/m);
    assert.ok(
      words.stdout.includes(`  ${id} (${biller_id}, sandbox), since ${due.toISOString()} (3 h)\n`),
      words.stdout,
    );
    assert.match(words.stdout, /^ {4}why: {5}payment 1 \(slot 0\) is due and was not attempted$/m);
    assert.ok(words.stdout.includes(`payment-plan/${id} in the Web UI`));
    const [report, ...others] = JSON.parse(json.stdout).kinds;
    assert.deepEqual([report.kind, report.count, report.found[0].subject_id, others], ['plan_overdue', 1, id, []]);

    const freeing = /npm run --silent ops -- (\S+) (\S+)/.exec(report.found[0].remedy) ?? [];
    const freed = await ops(freeing.slice(1));
    assert.deepEqual([freed.code, freed.stderr], [0, '']);
    assert.match(freed.stdout, /^Read again/);
    await eventually('it is paid', async () => (await merchant.payments(id))[0]?.status === 'paid');
    assert.deepEqual((await ops(['stuck'])).code, 0);
    const [entry] = await listAudit(service.db.sql, { limit: 1 });
    assert.deepEqual(
      [entry?.action, entry?.subject_id, entry?.actor],
      ['payment_plan.rechecked', id, { kind: 'command_line', id: userInfo().username }],
    );
  });

  it('tries a slot again and skips it; a command that has nothing to do ends with 2 and says why', async () => {
    const merchant = await service.merchant();
    const payer = await merchant.payer();
    const metadata = { _sandbox_outcome: 'decline' };
    const today = realNow().toISOString().slice(0, 10);
    const { id } = await merchant.activePlan({ customer_id: payer.id, start_date: today, metadata });
    const attempts = async () => (await merchant.payments(id))[0]?.attempts.length ?? 0;
    await eventually('it has failed', async () => (await attempts()) === 1);
    // What has only just been tried is not tried again by a command that is sent twice.
    await service.db.sql`
      update payment_attempts a set at = at - interval '5 minutes', opened_at = opened_at - interval '5 minutes',
        settled_at = settled_at - interval '5 minutes'
      from payment_intents i where i.id = a.payment_intent_id and i.payment_plan_id = ${id}`;
    const retried = await ops(['retry-now', id]);
    assert.deepEqual([retried.code, retried.stderr], [0, '']);
    assert.match(retried.stdout, /tried again/);
    await eventually('it has failed again', async () => (await attempts()) === 2);
    const [first, second] = [await ops(['skip-slot', id, '0']), await ops(['skip-slot', id, '0'])];
    assert.deepEqual([first.code, second.code], [0, 2], first.stderr + second.stderr);
    assert.match(first.stdout, /^Payment 1 \(slot 0\), due \S+, is given up/);
    assert.match(second.stderr, /^Nothing to skip: payment 1 \(slot 0\), due \S+, was given up before\.$/m);
    assert.equal((await merchant.getPlan(id)).next_attempt_at, null);
    assert.equal(await attempts(), 2, 'skipping charges nothing');
  });

  it('gives a delivery up, and delivers one that had ended', async () => {
    const merchant = await service.merchant();
    const endpoint = await merchant.endpoint('http://127.0.0.1:9/');
    const { id } = await merchant.ping(endpoint.id);
    await eventually('it has failed', async () => (await merchant.delivery(id)).attempts.length >= 1);
    assert.equal((await ops(['give-up-delivery', id])).code, 0);
    await eventually('it is given up', async () => (await merchant.delivery(id)).status === 'failed');
    const again = await ops(['give-up-delivery', id]);
    assert.deepEqual([again.code, again.stderr.startsWith('Nothing to give up: the delivery is failed')], [2, true]);
    const before = (await merchant.delivery(id)).attempts.length;
    assert.deepEqual((await ops(['retry-delivery', id])).stdout, `${id} had ended. It is sent again now.\n`);
    await eventually('it is tried again', async () => (await merchant.delivery(id)).attempts.length > before);
  });

  it('tells what PostgreSQL knows while Temporal is away, and that it is', async () => {
    const away = { TEMPORAL_ADDRESS: '127.0.0.1:1' };
    const [words, json, unknown] = await Promise.all([
      ops(['stuck'], away),
      ops(['stuck', '--json'], away),
      ops(['stuck', '--kind', 'worker_missing'], away),
    ]);
    assert.match(
      words.stdout,
      /^temporal_unreachable: 1\. Temporal does not respond; what only it knows is left out\./m,
    );
    const kinds: string[] = JSON.parse(json.stdout).kinds.map(({ kind }: { kind: string }) => kind);
    assert.deepEqual([words.code, json.code], [1, 1]);
    assert.ok(kinds.includes('plan_overdue') && !kinds.includes('worker_missing'));
    assert.deepEqual([unknown.code, /Temporal cannot be reached/.test(unknown.stderr)], [2, true]);
  });

  it('finds an API that hangs, and one that has ended, and says what to do; and nothing once it responds', async () => {
    const [port = 0] = await findFreePorts(1);
    const api = await startApiProcess({
      DATABASE_URL: service.db.url,
      PORT: String(port),
      ENCRYPTION_KEYS: service.encryptionKeys,
    });
    const look = async () => {
      const { code, stdout } = await ops(['stuck', '--kind', 'api_unreachable'], { API_URL: api.url });
      return { code, stdout };
    };
    try {
      assert.deepEqual(await look(), { code: 0, stdout: 'Nothing is stuck.\n' });
      api.child.kill('SIGSTOP');
      const hanging = await look();
      assert.equal(hanging.code, 1);
      assert.match(hanging.stdout, /^api_unreachable: 1\. The API does not respond\.$/m);
      assert.match(hanging.stdout, /why: +http:\S+\/healthz gave no response within 5 s: the API process hangs/);
      assert.match(
        hanging.stdout,
        /free it: End the API with kill -9 \(under npm start: the process in DATA_DIR\/run\/api\.json/,
      );
      api.child.kill('SIGCONT');
      assert.deepEqual(await look(), { code: 0, stdout: 'Nothing is stuck.\n' });
    } finally {
      await api.end('SIGKILL');
    }
    const ended = await look();
    assert.equal(ended.code, 1);
    assert.match(ended.stdout, /why: +nothing responds at http:\S+\/healthz: .*ECONNREFUSED/);
    assert.match(ended.stdout, /free it: Start it: npm run api/);
  });

  it('finds pages for payers that have ended, at PUBLIC_URL or PAGES_URL, and says what to do', async () => {
    const [port = 0] = await findFreePorts(1);
    const url = `http://127.0.0.1:${port}`;
    for (const variable of ['PUBLIC_URL', 'PAGES_URL']) {
      const { code, stdout } = await ops(['stuck', '--kind', 'pages_unreachable'], { [variable]: url });
      assert.equal(code, 1);
      assert.match(stdout, /^pages_unreachable: 1\. The pages for payers do not respond\.$/m);
      assert.match(stdout, /why: +nothing responds at http:\S+\/healthz: .*ECONNREFUSED/);
      assert.match(stdout, /free it: Start it: npm run pages/);
    }
  });

  it('does not take another program that answers 200 on the port for API or pages, and says who has the port', async () => {
    const foreign = createServer((_request, response) => {
      response.writeHead(200, { 'Content-Type': 'application/json' }).end('{"status":"ok"}');
    });
    foreign.listen(0, '127.0.0.1');
    await once(foreign, 'listening');
    const { port } = foreign.address() as AddressInfo;
    const url = `http://127.0.0.1:${port}`;
    try {
      for (const [kind, variable, own] of [
        ['api_unreachable', 'API_URL', 'PORT'],
        ['pages_unreachable', 'PAGES_URL', 'PAGES_PORT'],
      ] as const) {
        const { code, stdout } = await ops(['stuck', '--kind', kind], { [variable]: url });
        assert.equal(code, 1, stdout);
        assert.match(stdout, new RegExp(`why: .*responds 200, .*: another program answers on port ${port}`));
        assert.match(stdout, new RegExp(`free it: On that host, ss -ltnp 'sport = :${port}' .*\\(${own}\\)`));
      }
    } finally {
      foreign.close();
    }
  });

  it('says that it did not ask the API or the pages when it does not know where they are', async () => {
    const [words, kind, ofPages] = await Promise.all([
      ops(['stuck'], { API_URL: '', PUBLIC_URL: '' }),
      ops(['stuck', '--kind', 'api_unreachable'], { API_URL: '' }),
      ops(['stuck', '--kind', 'pages_unreachable'], { PUBLIC_URL: '' }),
    ]);
    assert.match(words.stdout, /^Not checked: whether the pages for payers respond\. Set PUBLIC_URL/m);
    assert.deepEqual([ofPages.code, /The address of the pages is not known/.test(ofPages.stderr)], [2, true]);
    assert.match(words.stdout, /^Not checked: whether the API responds\. Set API_URL to its address\.$/m);
    assert.deepEqual([kind.code, /The address of the API is not known\. Set API_URL/.test(kind.stderr)], [2, true]);
  });

  it('asks for what a command that records evidence lacks, before it looks at anything', async () => {
    const evidence = ['--evidence', 'the statement'];
    const cases: [string[], RegExp][] = [
      [['settle', '--as', 'failed', ...evidence], /ops settle needs ATTEMPT or PAYMENT/],
      [
        ['settle', 'att_1', '--as', 'failed', ...evidence, '--reference', 'ref_1'],
        /Only ops settle PAYMENT takes --reference/,
      ],
      [['settle', 'att_1', '--as', 'perhaps', ...evidence], /--as succeeded or --as failed/],
      [['settle', 'att_1', ...evidence], /--as succeeded or --as failed/],
      [['settle', 'att_1', '--as', 'failed'], /ops settle needs --evidence TEXT/],
      [['settle', 'att_1', '--as', 'failed', '--evidence', 'x'.repeat(501)], /in 3 to 500 characters/],
      [['release-charging'], /ops release-charging needs --evidence TEXT/],
      [['hold-charging', '--evidence', '  ?  '], /ops hold-charging needs --evidence TEXT/],
      [['hold-charging', 'now', ...evidence], /ops hold-charging takes no ID/],
    ];
    for (const [args, message] of cases) {
      const running = command.run(args, () => assert.fail('it connects'));
      await assert.rejects(running, (error) => error instanceof UsageError && message.test(error.message));
    }
  });

  it('names a renamed column within 15 s, although it cannot read the table, and what mends it', async () => {
    const { sql } = service.db;
    await sql`alter table payment_plans rename column next_due_at to due_at`;
    try {
      const begun = performance.now();
      const { code, stdout, stderr } = await ops(['stuck']);
      assert.ok(performance.now() - begun < 15_000, 'it takes too long');
      assert.equal(code, 1, stderr);
      assert.match(stdout, /^writes_refused: 1\./m);
      assert.match(stdout, /why: +the table payment_plans has no column next_due_at: it was renamed or dropped/);
      assert.match(
        stdout,
        /free it: If it was renamed: alter table payment_plans rename column due_at to next_due_at\./,
      );
      assert.match(stdout, /^not_readable: [1-9]/m);
      assert.match(stdout, /why: +plan_overdue could not be read: the tables are not those of this version/);
    } finally {
      await sql`alter table payment_plans rename column due_at to next_due_at`;
    }
  });

  it('names a password that PostgreSQL refuses within 15 s, and shows what the API can still read', async () => {
    const url = new URL(service.db.url);
    url.password = 'wrong';
    const seen = [{ kind: 'plan_overdue', meaning: 'A plan is late.', after_seconds: 300, count: 0, found: [] }];
    const api = createServer((_, response) => void response.end(JSON.stringify({ stuck: seen }))).listen(
      0,
      '127.0.0.1',
    );
    await once(api, 'listening');
    const API_URL = `http://127.0.0.1:${(api.address() as AddressInfo).port}`;
    const begun = performance.now();
    const [words, json, kind] = await Promise.all([
      ops(['stuck'], { DATABASE_URL: url.href, API_URL: '' }),
      ops(['stuck', '--json'], { DATABASE_URL: url.href, API_URL }),
      ops(['stuck', '--kind', 'plan_overdue'], { DATABASE_URL: url.href, API_URL: '' }),
    ]);
    assert.ok(performance.now() - begun < 15_000, 'it takes too long');
    api.close();
    assert.equal(words.code, 1, words.stderr);
    assert.match(words.stdout, /^writes_refused: 1\./m);
    assert.match(
      words.stdout,
      /why: +PostgreSQL refuses the password of DATABASE_URL \(password authentication failed/,
    );
    assert.match(words.stdout, /free it: Correct DATABASE_URL .*alter role ROLE password 'PASSWORD'\./);
    assert.match(words.stdout, /^not_readable: 1\./m);
    const kinds: { kind: string; count: number }[] = JSON.parse(json.stdout).kinds;
    assert.deepEqual(
      kinds.map((each) => [each.kind, each.count]),
      [
        ['writes_refused', 1],
        ['plan_overdue', 0],
      ],
    );
    assert.deepEqual([kind.code, kind.stdout], [2, '']);
    assert.match(kind.stderr, /Whether anything is "plan_overdue" is not known/);
  });

  it('ends with 2 where it cannot look or cannot be understood, and says what to type', async () => {
    const cases: [string[], RegExp, Record<string, string>?][] = [
      [['stuck'], /database cannot be reached/, { DATABASE_URL: 'postgres://x:y@127.0.0.1:1/z' }],
      [[], /Give a command/],
      [['dance'], /no command "dance"/],
      [['stuck', '--kind', 'glue'], /no kind "glue"/],
      [['recheck'], /ops recheck needs ID/],
      [['skip-slot', 'pp_1', 'three'], /SLOT must be a whole number/],
      [['settle', 'att_1', '--as', 'failed', '--evidence', 'the statement'], /No such payment attempt: att_1/],
      [['release-charging', '--evidence', 'the statement'], /Live charging is not held/],
      [['delete-entry', '7'], /There is no outbox entry 7 of an unknown type/],
      [['recheck', 'cus_1'], /No such object with a workflow: cus_1/],
      [['recalculate', 'cus_1'], /No such payment plan: cus_1/],
      [['recalculate', 'pp_1', '--overdue', 'maybe'], /--overdue takes charge or skip/],
      [['recheck', 'pp_1', '--dry-run'], /Only ops recalculate takes --dry-run and --overdue/],
      [['enable-endpoint', `we_${'0'.repeat(32)}`], /No such webhook endpoint/],
    ];
    const outcomes = await Promise.all(cases.map(([args, , env]) => ops(args, env)));
    for (const [index, [args, message]] of cases.entries()) {
      const { code, stdout, stderr } = outcomes[index] ?? { code: -1, stdout: '', stderr: '' };
      assert.deepEqual([code, stdout], [2, ''], `${args.join(' ')}: ${stderr}`);
      assert.match(stderr, message);
      assert.equal(stderr.includes('    at '), false, 'no stack');
    }
  });
});
