import assert from 'node:assert/strict';
import { once } from 'node:events';
import { connect } from 'node:net';
import { setTimeout as pause } from 'node:timers/promises';
import { describe, it } from 'mocha';
import { enterDashboard } from '../support/dashboard.ts';
import { useStage } from '../support/stage.ts';

const header =
  'id,created_at,collected_at,status,currency,amount,surcharge,total,refunded,returned,net_collected,customer_id,' +
  'customer_name,customer_reference,description,payment_plan_id,subscription_id,payment_link_id,method,' +
  'lodgement_reference,metadata';

describe('the download of payments', () => {
  const stage = useStage({ isDamaged: true });

  async function school() {
    const { merchant, keys } = await stage.stranger();
    return {
      ...{ merchant, keys },
      enter: (role: 'viewer' | 'support' | 'finance' | 'admin') =>
        enterDashboard(stage.api.url, keys.sandboxSecret, role),
    };
  }

  /** The rows of a CSV as RFC 4180 has it, by the names of its header. */
  function rowsOf(csv: string): Record<string, string>[] {
    const cells = [...csv.matchAll(/("(?:[^"]|"")*"|[^",\r\n]*)(,|\r\n)/g)].map(([, cell = '', end]) => ({
      cell: cell.startsWith('"') ? cell.slice(1, -1).replaceAll('""', '"') : cell,
      end,
    }));
    const names = header.split(',');
    const lines = Array.from({ length: cells.length / names.length }, (_, line) =>
      cells.slice(line * names.length, (line + 1) * names.length),
    );
    assert.ok(lines.every((line) => line.length === names.length && line.at(-1)?.end === '\r\n'));
    return lines.slice(1).map((line) => Object.fromEntries(line.map(({ cell }, at) => [names[at], cell])));
  }

  it('has each payment of the list with the same address, and the fields of the API', async () => {
    const { merchant, enter } = await school();
    const payer = await merchant.payer({ name: 'Ada Lovelace', reference: 'A-1' });
    const payment_method = await merchant.card(payer.id);
    const base = { customer_id: payer.id, payment_method, confirm: true, amount: 4900 };
    const paid = await merchant.intent({ ...base, description: 'Camp, 2027', metadata: { a: 'b"c' } });
    await merchant.request('POST', `/payment_intents/${paid.id}/refunds`, { amount: 900 });
    await merchant.intent({ ...base, metadata: { _sandbox_outcome: 'decline' } });
    const ann = await enter('finance');
    const { status, html: csv, headers } = await ann.get('payments.csv?status=succeeded');
    assert.equal(status, 200);
    assert.equal(headers.get('content-type'), 'text/csv; charset=utf-8; header=present');
    assert.equal(headers.get('content-disposition'), 'attachment; filename="payments.csv"');
    assert.match(headers.get('cache-control') ?? '', /no-store/);
    assert.ok(csv.startsWith(`${header}\r\n`) && csv.endsWith('\r\n'));
    const api = (await merchant.request('GET', `/payment_intents/${paid.id}`)).body;
    assert.deepEqual(rowsOf(csv), [
      {
        ...{ id: paid.id, created_at: api.created_at, collected_at: api.collected_at, status: 'succeeded' },
        ...{ currency: 'AUD', amount: '4900', surcharge: '0', total: '4900', refunded: '900', returned: '0' },
        ...{ net_collected: '4000', customer_id: payer.id, customer_name: 'Ada Lovelace', customer_reference: 'A-1' },
        ...{ description: 'Camp, 2027', payment_plan_id: '', subscription_id: '', payment_link_id: '' },
        ...{ method: 'Visa 4242', lodgement_reference: '', metadata: '{"a":"b\\"c"}' },
      },
    ]);
    assert.equal(rowsOf((await ann.get('payments.csv')).html).length, 2);
    assert.match((await ann.get('payments?status=succeeded')).html, /payments\.csv\?status=succeeded"/);
  });

  it('is for finance and admin alone, and ends with the session', async () => {
    const { enter, merchant } = await school();
    for (const role of ['viewer', 'support'] as const) {
      const ann = await enter(role);
      assert.equal((await ann.get('payments.csv')).status, 403);
      assert.ok(!(await ann.get('payments')).html.includes('payments.csv'));
    }
    for (const role of ['finance', 'admin'] as const) {
      const ann = await enter(role);
      assert.equal((await ann.get('payments.csv')).status, 200);
      await merchant.request('POST', `/dashboard_sessions/${ann.sessionId}/end`);
      assert.equal((await ann.get('payments.csv')).status, 401);
    }
    const Cookie = (await enter('finance')).cookie;
    const head = await fetch(`${stage.api.url}/dashboard/payments.csv`, { method: 'HEAD', headers: { Cookie } });
    assert.deepEqual([head.status, await head.text()], [200, '']);
    const nobody = await fetch(`${stage.api.url}/dashboard/payments.csv`);
    assert.equal(nobody.status, 401);
    assert.ok(!(await nobody.text()).includes(header));
  });

  it('leaves no cell that a spreadsheet reads as a formula', async () => {
    const { merchant, enter } = await school();
    const formulas = ['=1+1', '+1', '-1', '@SUM(A1)', '\t=1', '\r=1', 'two\nlines', 'a\rb'];
    for (const name of formulas) {
      const payer = await merchant.request('POST', '/customers', { name, reference: name });
      if (payer.status === 201) await merchant.intent({ customer_id: payer.body.id, description: '=2+2' });
    }
    const { html: csv } = await (await enter('finance')).get('payments.csv');
    const rows = rowsOf(csv);
    assert.ok(rows.length >= 4);
    for (const row of rows) {
      for (const [column, cell] of Object.entries(row)) {
        if (/^-?\d+$/.test(cell) && !/^customer|^desc/.test(column)) continue;
        assert.doesNotMatch(cell, /^[=+\-@\t\r]/, column);
      }
      assert.match(row.customer_name ?? '', /^'|^two\nlines$|^a\rb$/);
      assert.equal(row.description, `'=2+2`);
    }
  });

  describe('of many payments', () => {
    const count = 30_000;

    /** Payments with descriptions that fill the buffers of a connection. */
    async function fill(billerId: string): Promise<void> {
      await stage.db.sql`
        insert into payment_intents (id, biller_id, livemode, amount, agreed_amount, fee_amount, surcharge_amount,
          surcharge_applied, surcharge_asked, currency, status, metadata, attempt_count, created_at,
          updated_at)
        select 'pi_sandbox_' || lpad(n::text, 10, '0') || right(${billerId}, 22), ${billerId}, false, 1000, 1000, 0, 0,
          false, false, 'AUD', 'requires_payment_method',
          jsonb_build_object('note', repeat('x', 400)), 0, now() + n / 10 * interval '1 millisecond', now()
        from generate_series(1, ${count}) n`;
    }

    async function begin(cookie: string) {
      const socket = connect(stage.api.running.port, '127.0.0.1');
      await once(socket, 'connect');
      socket.write(
        `GET /dashboard/payments.csv HTTP/1.1\r\nHost: 127.0.0.1\r\nCookie: ${cookie}\r\nConnection: close\r\n\r\n`,
      );
      const [first] = (await once(socket, 'data')) as [Buffer];
      socket.pause();
      return { socket, first: String(first) };
    }

    it('has every one once over its batches, and its slot is free again when a client hangs up', async function () {
      this.timeout(60_000);
      const { keys, enter } = await school();
      await fill(keys.biller.id);
      const ann = await enter('finance');
      const { html: csv } = await ann.get('payments.csv?created_from=2020-01-01T00:00:00Z');
      const ids = rowsOf(csv).map(({ id }) => id);
      assert.deepEqual([ids.length, new Set(ids).size], [count, count]);
      assert.deepEqual(ids, ids.toSorted().toReversed());
      const [one, two] = [await begin(ann.cookie), await begin(ann.cookie)];
      assert.match(one.first, /^HTTP\/1.1 200 OK/);
      assert.equal((await ann.get('payments.csv')).status, 429);
      assert.equal((await ann.get('payments')).status, 200);
      one.socket.destroy();
      two.socket.destroy();
      for (let tries = 0; (await ann.get('payments.csv?status=failed')).status !== 200; tries += 1) {
        assert.ok(tries < 100, 'the slot of a client that hung up is not free');
        await pause(50);
      }
    });

    it('does not look whole if it is cut off in the middle', async function () {
      this.timeout(60_000);
      const { keys, enter } = await school();
      await fill(keys.biller.id);
      const { socket } = await begin((await enter('finance')).cookie);
      await stage.db.sql`alter table payment_intents rename to hidden_intents`;
      const chunks: Buffer[] = [];
      socket.on('data', (chunk) => chunks.push(chunk));
      socket.on('error', () => {});
      socket.resume();
      await once(socket, 'close').finally(() => stage.db.sql`alter table hidden_intents rename to payment_intents`);
      assert.doesNotMatch(String(Buffer.concat(chunks)), /0\r\n\r\n$|<html/);
    });
  });
});
