import assert from 'node:assert/strict';
import { describe } from 'mocha';
import type { Life } from '../pairs/lives.ts';
import { fee, item, join, joinByDebit, useOwedLives } from './member.ts';

async function isRefused(life: Life, [method, path, body]: [string, string, object], code: string): Promise<void> {
  const before = path.startsWith('/subscriptions')
    ? await life.ask('GET', path.split('/').slice(0, 3).join('/'))
    : null;
  const refused = await life.request(method, path, body);
  assert.deepEqual([refused.status, refused.body.error?.code], [422, code], `${method} ${path} ${refused.text}`);
  if (before !== null) assert.deepEqual(await life.ask('GET', `/subscriptions/${before.id}`), before);
}

describe('what could not be charged later', () => {
  const lived = useOwedLives();

  /** A debtor whose mandate allows 35.00. */
  async function limited(life: Life) {
    const customer = await life.customer();
    const body = { type: 'au_becs_debit', customer_reference: customer };
    const payment_method_data = { bsb_number: '000-000', account_name: 'Jo Nguyen', account_number: '98765432' };
    const { payment_method: method } = await life.ask('POST', '/payment_methods', { ...body, payment_method_data });
    const acceptance = { type: 'imported', accepted_at: '2027-01-01T00:00:00Z', signatory_name: 'Jo Nguyen' };
    const terms = { payment_method_id: method.id, max_amount_cents: 3500 };
    await life.ask('POST', '/mandates', { ...terms, acceptance });
    const gym = await life.started({ name: 'gym', customer_id: customer, effective_on: 'submitted' });
    return { customer, account: method.id as string, gym, path: `/subscriptions/${gym}` };
  }

  lived('is refused as mandate_limit_exceeded: a change at the end of the period', async (life) => {
    const { path } = await limited(life);
    await life.to('2027-02-10');
    const change: [string, string] = ['POST', `${path}/change`];
    await isRefused(life, [...change, { items: item(5000) }], 'mandate_limit_exceeded');
    await isRefused(life, [...change, { items: item(5000), dry_run: true }], 'mandate_limit_exceeded');
    assert.equal((await life.ask('POST', `${path}/change`, { items: item(3500) })).next_period_amount_cents, 3500);
  });

  lived('is refused as mandate_limit_exceeded: a change now whose price is above it', async (life) => {
    const { path } = await limited(life);
    await life.to('2027-02-10');
    await isRefused(
      life,
      ['POST', `${path}/change`, { items: item(5000), when: 'now', proration: 'none' }],
      'mandate_limit_exceeded',
    );
  });

  lived('is refused as mandate_limit_exceeded: a fee that the next period would take', async (life) => {
    const { path } = await limited(life);
    await life.to('2027-02-10');
    await isRefused(life, ['PUT', path, { one_off_items: fee(600) }], 'mandate_limit_exceeded');
    await life.ask('PUT', path, { one_off_items: fee(500) });
    await life.to('2027-03-06');
    assert.deepEqual((await life.periods(path.split('/')[2] ?? '')).at(-1), '2 2027-03-01 2027-04-01 paid 3500');
  });

  lived('is not refused because credit will pay less: the limit counts the whole price', async (life) => {
    const { path } = await limited(life);
    await life.to('2027-02-15');
    await life.ask('POST', `${path}/change`, { items: item(600), when: 'now' });
    await isRefused(life, ['POST', `${path}/change`, { items: item(3600) }], 'mandate_limit_exceeded');
  });

  lived('counts a discount without an end, and not one that ends', async (life) => {
    const { path } = await limited(life);
    await life.to('2027-02-10');
    const discount = { name: 'Off', amount_off_cents: 1500 };
    await life.ask('PUT', path, { discounts: [{ ...discount, periods: 2 }] });
    await isRefused(life, ['POST', `${path}/change`, { items: item(5000) }], 'mandate_limit_exceeded');
    await life.ask('PUT', path, { discounts: [discount] });
    await life.ask('POST', `${path}/change`, { items: item(5000) });
  });

  lived('is refused as mandate_limit_exceeded: the amount of a plan', async (life) => {
    const { customer, account } = await limited(life);
    const plan = await life.plan({ name: 'plan', customer_id: customer, payment_instrument_id: account });
    await isRefused(
      life,
      ['PUT', `/payment_plans/${plan}`, { recurring_amount_cents: 4000 }],
      'mandate_limit_exceeded',
    );
    const card = await life.card(customer);
    const both = { recurring_amount_cents: 4000, payment_instrument_id: card };
    assert.equal((await life.ask('PUT', `/payment_plans/${plan}`, both)).recurring_amount_cents, 4000);
    await isRefused(
      life,
      ['PUT', `/payment_plans/${plan}`, { payment_instrument_id: account }],
      'mandate_limit_exceeded',
    );
  });

  lived('is refused as result_after_period: a debit whose result comes after the period', async (life) => {
    const member = await joinByDebit(life, { frequency_type: 'weekly' });
    await life.to('2027-02-06'); // Saturday
    const change = { items: item(7200), when: 'now', collect: 'now' };
    const path = `/subscriptions/${member.gym}/change`;
    await isRefused(life, ['POST', path, { ...change, dry_run: true }], 'result_after_period');
    await isRefused(life, ['POST', path, change], 'result_after_period');
    await member.does('change', { ...change, collect: 'next_period' });
    await life.to('2027-02-12');
    assert.deepEqual(await member.lines(), ['credit -857', 'item 7200', 'proration 2057']);
  });

  lived('is refused: a fee on a subscription that ends with its period', async (life) => {
    const member = await join(life);
    await member.does('cancel');
    const refused = await life.request('PUT', `/subscriptions/${member.gym}`, { one_off_items: fee(500) });
    assert.equal(refused.status, 422, refused.text);
    await member.does('uncancel');
    await member.puts({ one_off_items: fee(500) });
    assert.equal(await member.coming(), '2 2027-03-01 2027-04-01 3500');
  });
});
