import assert from 'node:assert/strict';
import { once } from 'node:events';
import { connect } from 'node:net';
import { setTimeout as pause } from 'node:timers/promises';
import { describe, it } from 'mocha';
import { openReportSlots } from '../../src/services/reports/report-slots.ts';
import { useStage } from '../support/stage.ts';

const count = 6_000;
const range = 'from=2026-01-01&to=2026-02-01';

describe('a long report', () => {
  const stage = useStage({ isDamaged: true });

  /** Movements of money that the follower has not posted: a report only reads. */
  async function fillBooks(rows = count): Promise<void> {
    const { sql } = stage.db;
    const biller = stage.keys.biller.id;
    await sql`
      with made as (
        insert into ledger_transactions (id, biller_id, livemode, kind, currency, source_id, payment_intent_id, source_key,
          rule_version, sequence, available_on, occurred_at, recorded_at)
        select 'txn_' || lpad(n::text, 10, '0') || right(${biller}, 22), ${biller}, false, 'payment', 'AUD', id, id, id, 1,
          n, '2026-01-20', '2026-01-15T00:00:00Z'::timestamptz + n / 10 * interval '1 millisecond', now()
        from (
          select n, 'pi_' || lpad(n::text, 10, '0') || right(${biller}, 22) as id from generate_series(1, ${rows}) n
        ) numbered
        returning id
      )
      insert into ledger_entries (transaction_id, account, amount)
      select id, account, amount from made cross join (values ('payers', -1000), ('processor', 1000)) e (account, amount)`;
  }

  /** Begins to read a report on a socket that takes nothing more until it is asked to. */
  async function begin(path: string) {
    const socket = connect(stage.api.running.port, '127.0.0.1');
    await once(socket, 'connect');
    socket.write(
      `GET /api/v1/${path} HTTP/1.1\r\nHost: 127.0.0.1\r\nAuthorization: Bearer ${stage.keys.sandboxSecret}\r\n` +
        'Connection: close\r\n\r\n',
    );
    const [first] = (await once(socket, 'data')) as [Buffer];
    socket.pause();
    return { socket, first: String(first) };
  }

  /** The queries of reports that run, or whose connection waits in a transaction. */
  async function openQueries(): Promise<number> {
    const [row] = await stage.db.sql<{ open: number }[]>`
      select count(*)::integer as open from pg_stat_activity
      where datname = current_database() and state <> 'idle' and query like '%balance_transactions%'
        and pid <> pg_backend_pid()`;
    return row?.open ?? 0;
  }

  const status = async (path: string) => (await stage.request('GET', path)).status;

  it('has every row once, in order, over its batches', async () => {
    await fillBooks();
    const { body } = await stage.request('GET', `/reports/balance_transactions?${range}&columns=id,created_at`);
    assert.equal(body.data.length, count);
    const keys = body.data.map(({ created_at, id }: Record<string, string>) => `${created_at} ${id}`);
    assert.deepEqual(keys, keys.toSorted());
    assert.equal(new Set(keys).size, count);
  });

  it('runs at most twice for a biller, and is free again for its next when a client hangs up', async function () {
    this.timeout(30_000);
    // More than the buffers of a connection hold, on both sides: the reports are under way until their clients read.
    await fillBooks(40_000);
    const path = `reports/balance_transactions?${range}`;
    const [one, two] = [await begin(path), await begin(path)];
    assert.match(one.first, /^HTTP\/1.1 200 OK/);
    const refused = await stage.request('GET', `/reports/mandates`);
    assert.deepEqual([refused.status, refused.body.error.code], [429, 'rate_limited']);
    // Payments go on, and so do the reports of others.
    assert.equal(await status('/balance'), 200);
    const other = await stage.stranger();
    assert.equal((await other.merchant.request('GET', '/reports/mandates')).status, 200);
    one.socket.destroy();
    for (let tries = 0; (await status('/reports/mandates')) !== 200; tries += 1) {
      assert.ok(tries < 100, 'the slot of the client that hung up is not free');
      await pause(50);
    }
    two.socket.destroy();
    for (let tries = 0; (await openQueries()) > 0; tries += 1) {
      assert.ok(tries < 100, 'a query of a client that hung up goes on');
      await pause(50);
    }
  });

  it('that is cut off in the middle does not look whole', async () => {
    await fillBooks();
    const { socket } = await begin(`reports/balance_transactions?${range}`);
    await stage.db.sql`alter view balance_transactions rename to hidden`;
    const chunks: Buffer[] = [];
    socket.on('data', (chunk) => chunks.push(chunk));
    socket.on('error', () => {});
    socket.resume();
    await once(socket, 'close').finally(() => stage.db.sql`alter view hidden rename to balance_transactions`);
    assert.doesNotMatch(String(Buffer.concat(chunks)), /0\r\n\r\n$/);
  });

  it('holds its slot only while it is read, also if it fails or is left', async () => {
    const slots = openReportSlots();
    const endless = async function* () {
      for (;;) yield 1;
    };
    const failing = async function* () {
      yield 1;
      throw new Error('broken');
    };
    const next = async (biller: string, read: () => AsyncIterable<number> = endless) => {
      const batches = slots.inSlot(biller, read)[Symbol.asyncIterator]();
      await batches.next();
      return batches;
    };
    const [first] = [await next('acct_1'), await next('acct_1')];
    await assert.rejects(next('acct_1'), /Too many reports/);
    // Those that are open and not read keep no other biller from its own, up to what fits into memory.
    for (let other = 2; other <= 20; other += 1) for (const _ of [1, 2]) await next(`acct_${other}`);
    await assert.rejects(next('acct_21'), /Too many reports/);
    await first.return?.();
    await assert.rejects(async () => {
      for await (const _ of slots.inSlot('acct_1', failing)) await pause(0);
    }, /broken/);
    await next('acct_21');
  });

  it('is read in turns of four, in the order of asking, and one that fails passes its turn on', async () => {
    const slots = openReportSlots();
    const asked: string[] = [];
    const ends: (() => void)[] = [];
    const read = (name: string) =>
      async function* () {
        asked.push(name);
        await new Promise<void>((resolve) => ends.push(resolve));
        if (name === 'a') throw new Error('broken');
        yield name;
      };
    const names = ['a', 'b', 'c', 'd', 'e', 'f'];
    const reading = names.map((name) => slots.inSlot(name, read(name))[Symbol.asyncIterator]().next());
    await pause(0);
    assert.deepEqual(asked, ['a', 'b', 'c', 'd']);
    ends.shift()?.();
    await assert.rejects(async () => reading[0], /broken/);
    await pause(0);
    assert.deepEqual(asked, ['a', 'b', 'c', 'd', 'e']);
    ends.shift()?.();
    await pause(0);
    assert.deepEqual(asked, names);
    for (const end of ends) end();
    await Promise.all(reading.slice(1));
  });
});
