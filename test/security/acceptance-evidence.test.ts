import assert from 'node:assert/strict';
import type { Mandate } from '@payments-service/client';
import { describe, it } from 'mocha';
import { sendChecked, useOtherApi } from '../support/api.ts';
import { useDebtor } from '../support/debtor.ts';
import { useLinks } from '../support/links.ts';
import { usePages } from '../support/pages.ts';
import { useStage } from '../support/stage.ts';
import { type Handed, useCheckout } from './checkout.ts';

const browser = 'Mozilla/5.0 (payer)';
const from = { 'User-Agent': browser, 'X-Forwarded-For': '198.51.100.66' };

describe('the evidence of a mandate that a payer accepts', () => {
  const stage = useStage();
  const here = useDebtor(stage);
  const page = useCheckout(stage);
  const behindProxy = useOtherApi(stage.db, {
    vault: stage.vault,
    settings: {
      ...{ webhookAllowLoopback: true, rateLimitPerSecond: 1_000, rateLimitBurst: 1_000 },
      trustedProxies: ['127.0.0.1'],
    },
  });
  const pages = usePages(stage, { trustedProxies: ['127.0.0.1'] });

  /** A payment of a customer, and a bank account of that customer. */
  async function checkout(customer?: string): Promise<{ intent: Handed; account: string }> {
    const id = customer ?? (await stage.merchant.customer()).id;
    return { intent: await page.intent({ customer_id: id }), account: await here.account(id) };
  }
  /** Accepts with the publishable key, as the browser of a payer. */
  async function accept(
    path: string,
    body: object,
    { client_secret }: Handed,
    { headers = from, base = stage.api.url }: { headers?: Record<string, string>; base?: string } = {},
  ): Promise<Mandate> {
    const sent = { key: stage.keys.sandboxPublishable, headers, body: { ...body, client_secret } };
    const { status, body: reply, text } = await sendChecked(`${base}/api/v1${path}`, 'POST', sent);
    assert.ok(status < 300, text);
    return here.get(reply.id);
  }

  it('is of now, whatever time the browser claims, when it is created and when a pending one is accepted', async () => {
    const claims = await here.online({ accepted_at: '2020-02-03T04:05:06Z' });
    const created = await checkout();
    const pending = await checkout();
    const { id } = await here.pending({ payment_method_id: pending.account });
    for (const mandate of [
      await accept('/mandates', { payment_method_id: created.account, acceptance: claims }, created.intent),
      await accept(`/mandates/${id}/accept`, claims, pending.intent),
    ]) {
      assert.ok(Date.now() - Date.parse(String(mandate.acceptance?.accepted_at)) < 60_000, mandate.created_at);
      assert.equal(mandate.acceptance?.accepted_at, mandate.activated_at);
    }
  });

  it('is of the clock of the customer, if there is one', async () => {
    const { payer } = await stage.merchant.payerOnClock('2031-05-06T07:08:09Z');
    const { intent, account } = await checkout(payer.id);
    const claims = await here.online({ accepted_at: '2031-05-01T00:00:00Z' });
    const mandate = await accept('/mandates', { payment_method_id: account, acceptance: claims }, intent);
    assert.equal(mandate.acceptance?.accepted_at, '2031-05-06T07:08:09.000Z');
  });

  it('has address and browser of the connection beside what is claimed, also in its event and document', async () => {
    const { intent, account } = await checkout();
    const acceptance = await here.online();
    const mandate = await accept('/mandates', { payment_method_id: account, acceptance }, intent);
    assert.deepEqual(
      [mandate.acceptance?.ip_address, mandate.acceptance?.user_agent],
      [acceptance.ip_address, acceptance.user_agent],
    );
    const seen = { ip_address: '127.0.0.1', user_agent: browser };
    assert.deepEqual(mandate.acceptance?.connection, seen);
    const [activated] = (await stage.merchant.events()).filter(({ event_type: type }) => type === 'mandate.activated');
    assert.deepEqual((activated?.data as unknown as Mandate | undefined)?.acceptance?.connection, seen);
    const document = await stage.merchant.client.mandates.getDocument(mandate.id);
    assert.ok(document.includes('127.0.0.1') && document.includes(browser), document);
  });

  it('has the address that a trusted proxy names, not one that a stranger claims', async () => {
    const acceptance = await here.online();
    const addresses: unknown[] = [];
    for (const base of [behindProxy.url, stage.api.url]) {
      const { intent, account } = await checkout();
      const mandate = await accept('/mandates', { payment_method_id: account, acceptance }, intent, { base });
      addresses.push(mandate.acceptance?.connection?.ip_address);
    }
    assert.deepEqual(addresses, ['198.51.100.66', '127.0.0.1']);
  });

  it('is what the biller says if a secret key records it: the biller’s own connection is none of the payer’s', async () => {
    const mandate = await here.active();
    assert.equal(mandate.acceptance?.connection, null);
    assert.equal(mandate.acceptance?.ip_address, '203.0.113.7');
    const { account } = await checkout();
    const past = await here.online({ accepted_at: '2024-02-03T04:05:06.000Z' });
    const imported = await here.pending({ payment_method_id: account, acceptance: past });
    assert.equal(imported.acceptance?.accepted_at, '2024-02-03T04:05:06.000Z');
  });

  it('is the same on a page of a link', async () => {
    const links = useLinks(stage);
    const { id } = await stage.merchant.customer();
    const link = await links.link({ customer_id: id, payment_method_types: ['au_becs_debit'] });
    const path = `/pay/${links.tokenOf(link)}`;
    const begun = await pages.post(path, (await pages.open(path, from)).hidden, from);
    const session = String(begun.headers.get('location'));
    const { hidden } = await pages.open(session, from);
    const fields = { method: 'au_becs_debit', account_name: 'Jo Nguyen', bsb: '000-000', account_number: '98765432' };
    const paid = await pages.post(session, { ...hidden, ...fields, agreed: 'yes' }, from);
    assert.equal(paid.headers.get('location')?.split('?')[0], `${session}/done`, paid.text);
    const { data } = await stage.merchant.client.mandates.list({ customer_id: id });
    assert.deepEqual(data[0]?.acceptance?.connection, { ip_address: '198.51.100.66', user_agent: browser });
    assert.equal(data[0]?.acceptance?.ip_address, '198.51.100.66');
  });
});
