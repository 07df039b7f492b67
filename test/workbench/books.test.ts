import assert from 'node:assert/strict';
import { describe, it } from 'mocha';
import { postEvents } from '../../src/services/ledger/follower.ts';
import { send, useApi } from '../support/api.ts';
import { useStage } from '../support/stage.ts';
import { enterWorkbench } from '../support/workbench.ts';

const operations = {
  key: null,
  webUis: { live: null, sandbox: null },
  findLatestRun: async () => null,
  findStuckWorkflows: async () => [],
};

describe('a month of the books', () => {
  const stage = useStage({ isAlone: true, biller: { timeZone: 'Australia/Sydney' } });
  const operators = useApi(stage.db, undefined, () => ({ operations, forThisMachine: true }));
  const tenant = () => ({ billerId: stage.keys.biller.id, livemode: false });

  async function workbench(path: string) {
    const ann = await enterWorkbench(stage.api.url, stage.keys.sandboxSecret, stage.vault);
    const { status, html } = await ann.get(path);
    return seen(status, html);
  }
  async function ops(path: string, query: Record<string, string> = {}) {
    const asked = new URLSearchParams({ biller: stage.keys.biller.id, mode: 'sandbox', ...query });
    const { status, text } = await send(`${operators.url}${path}?${asked}`, 'GET', {});
    return seen(status, text);
  }
  const seen = (status: number, html: string) => {
    const rows = [...html.matchAll(/<tr[^>]*>(.*?)<\/tr>/gs)].map(([, row = '']) =>
      [...row.matchAll(/<t[hd][^>]*>(.*?)<\/t[hd]>/gs)].map(([, cell = '']) => cell.replace(/<[^>]*>/g, '').trim()),
    );
    return { status, html, rows: rows.slice(1) };
  };
  /** A clock on 17 January with a plan of 10.00 each Sunday, moved to 3 March, and a refund of 4.00 then. */
  async function lived() {
    const clock = await stage.merchant.clock('2027-01-16T13:00:00Z');
    const payer = await stage.merchant.payer({ test_clock: clock.id });
    const plan = await stage.merchant.activePlan({ customer_id: payer.id, start_date: '2027-01-17' });
    await stage.advance(clock.id, '2027-01-30T13:00:00Z');
    await stage.advance(clock.id, '2027-02-13T13:00:00Z');
    await stage.advance(clock.id, '2027-02-27T13:00:00Z');
    await stage.advance(clock.id, '2027-03-02T13:00:00Z');
    const [first] = (await stage.merchant.client.paymentIntents.list({ payment_plan_id: plan.id })).data;
    const refund = await stage.request('POST', `/payment_intents/${first?.id}/refunds`, { amount: 400 });
    assert.equal(refund.status, 201, JSON.stringify(refund.body));
    await postEvents(stage.db.sql, tenant());
    return { clock: clock.id, payer: payer.id };
  }

  it('has what there was, what moved, and what there is; its rows add up to it, and a month ends as the next begins', async () => {
    const { clock, payer } = await lived();
    const months = await Promise.all(
      ['2027-01', '2027-02', '2027-03'].map((month) => workbench(`books?month=${month}&clock=${clock}`)),
    );
    assert.deepEqual(
      months.map(({ rows }) => rows.map((row) => row.join(' | '))),
      [
        [
          'At the beginning |  |  |  | 0.00 AUD',
          'Payments | 3 | 30.00 AUD | 1.44 AUD | 28.56 AUD',
          'Payouts | 2 | -19.04 AUD | 0.00 AUD | -19.04 AUD',
          'At the end | all |  |  | 9.52 AUD',
        ],
        [
          'At the beginning |  |  |  | 9.52 AUD',
          'Payments | 4 | 40.00 AUD | 1.92 AUD | 38.08 AUD',
          'Payouts | 4 | -38.08 AUD | 0.00 AUD | -38.08 AUD',
          'At the end | all |  |  | 9.52 AUD',
        ],
        [
          'At the beginning |  |  |  | 9.52 AUD',
          'Payouts | 1 | -9.52 AUD | 0.00 AUD | -9.52 AUD',
          'Refunds | 1 | -4.00 AUD | 0.00 AUD | -4.00 AUD',
          'At the end | all |  |  | -4.00 AUD',
        ],
      ],
    );
    const [, february] = months;
    const [, link = ''] = /href="(rows\?[^"]*)">4</.exec(february?.html ?? '') ?? [];
    const { rows, html } = await workbench(link.replaceAll('&amp;', '&'));
    assert.deepEqual(
      rows.map(([at, , , , gross]) => [at, gross]),
      [
        ['2027-02-27 13:00', '10.00 AUD'],
        ['2027-02-20 13:00', '10.00 AUD'],
        ['2027-02-13 13:00', '10.00 AUD'],
        ['2027-02-06 13:00', '10.00 AUD'],
      ],
    );
    assert.ok(html.includes(`customers/${payer}`));
  });

  it('is the present one without a name, leaves clocks out unless one is named, and refuses what is no month', async () => {
    const { clock } = await lived();
    assert.match((await workbench('books')).html, /No money has moved yet/);
    assert.match((await workbench(`books?clock=${clock}`)).html, /The books of March 2027/);
    for (const name of ['2027-13', '1999-12', 'March', `"><script>`]) {
      const { status, html } = await workbench(`books?month=${encodeURIComponent(name)}`);
      assert.equal(status, 400, name);
      assert.match(html, /month must be like 2027-03/);
    }
    const { merchant: other } = await stage.stranger();
    const theirs = await other.clock('2027-01-01T00:00:00Z');
    assert.equal((await workbench(`books?clock=${theirs.id}`)).status, 400);
  });

  it('lists 50 rows at a time, and leads to the older ones', async () => {
    const payer = await stage.merchant.payer();
    const card = await stage.merchant.card(payer.id);
    for (let index = 0; index < 52; index += 1)
      await stage.merchant.intent({ customer_id: payer.id, amount: 200 + index, payment_method: card, confirm: true });
    await postEvents(stage.db.sql, tenant());
    const first = await workbench('rows');
    assert.deepEqual([first.rows.length, first.rows[0]?.[4]], [50, '2.51 AUD']);
    const [, older = ''] = /href="(rows\?[^"]*)">Older/.exec(first.html) ?? [];
    const second = await workbench(older.replaceAll('&amp;', '&'));
    assert.deepEqual(
      second.rows.map(([, , , , gross]) => gross),
      ['2.01 AUD', '2.00 AUD'],
    );
    assert.doesNotMatch(second.html, /Older rows/);
  });

  it('is the same to an operator, for any biller, and in no cache', async () => {
    const { clock } = await lived();
    const month = await ops('/ops/books', { month: '2027-02', clock });
    assert.equal(month.rows[1]?.join(' | '), 'Payments | 4 | 40.00 AUD | 1.92 AUD | 38.08 AUD');
    const [, link = ''] = /href="(\/ops\/books\/rows\?[^"]*)">4</.exec(month.html) ?? [];
    const { text, headers } = await send(`${operators.url}${link.replaceAll('&amp;', '&')}`, 'GET', {});
    assert.equal(seen(200, text).rows.length, 4);
    assert.equal(headers.get('cache-control'), 'no-store');
    assert.equal((await ops('/ops/books', { biller: `acct_${'0'.repeat(32)}` })).status, 404);
    assert.equal((await ops('/ops/books', { biller: 'x' })).status, 404);
    const modeless = await send(`${operators.url}/ops/books?biller=${stage.keys.biller.id}`, 'GET', {});
    assert.equal(modeless.status, 400);
  });
});
