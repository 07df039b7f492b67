import assert from 'node:assert/strict';
import { describe, it } from 'mocha';
import type { Reply } from '../support/api.ts';
import { useDebtor } from '../support/debtor.ts';
import { rowCounts, useStage } from '../support/stage.ts';
import { bytesOf, type Handed, outcomeOf, useCheckout } from './checkout.ts';

const refused = '403 secret_key_required';

describe('a publishable key and mandates', () => {
  const stage = useStage();
  const here = useDebtor(stage);
  const page = useCheckout(stage);

  /** A payment of a new customer, as the biller's server passes it to its page. */
  async function checkout(terms: object = {}) {
    const { id: customer } = await stage.merchant.customer();
    return { customer, intent: await page.intent({ customer_id: customer, ...terms }) };
  }
  /** Saves a bank account without a customer, as a page does. */
  async function saved(): Promise<string> {
    const payment_method_data = { bsb_number: '000-000', account_name: 'Jo Nguyen', account_number: '98765432' };
    const { body } = await page.send('POST', '/payment_methods', { type: 'au_becs_debit', payment_method_data });
    return body.payment_method.id;
  }
  const create = async (intent: Handed, payment_method_id: string, more: object = {}): Promise<Reply> => {
    const { client_secret } = intent;
    const acceptance = await here.online();
    return page.send('POST', '/mandates', { payment_method_id, acceptance, client_secret, ...more });
  };
  const accept = async (client_secret: string | undefined, id: string, more: object = {}): Promise<Reply> =>
    page.send('POST', `/mandates/${id}/accept`, { ...(await here.online()), client_secret, ...more });

  it('accept one online for the customer of the payment, who then pays with it', async () => {
    const { customer, intent } = await checkout();
    const account = await saved();
    const { status, body } = await create(intent, account);
    assert.deepEqual([status, body.status], [201, 'active']);
    const mandate = await here.get(body.id);
    assert.deepEqual([mandate.customer_id, mandate.payment_method_id], [customer, account]);
    assert.equal(mandate.acceptance?.ip_address, '203.0.113.7');
    assert.equal(outcomeOf(await page.confirm(intent, account)), '200 processing');
    const { body: owner } = await stage.request('GET', `/customers/${customer}`);
    assert.equal(owner.default_payment_method, null);
  });

  it('accept a pending one of the customer of the payment, with the terms that the biller has set', async () => {
    const { customer, intent } = await checkout();
    const { id } = await here.pending({ payment_method_id: await here.account(customer), max_amount_cents: 5000 });
    const { status, body } = await accept(intent.client_secret, id);
    assert.deepEqual([status, body.status, body.max_amount_cents], [200, 'active', 5000]);
    assert.equal(outcomeOf(await accept(intent.client_secret, id)), '422 invalid_state');
  });

  it('show a payer what a payer needs: neither the customer nor the evidence nor the account of the biller', async () => {
    const { customer, intent } = await checkout();
    const { id } = await here.pending({ payment_method_id: await here.account(customer) });
    const replies = [await create(intent, await saved()), await accept(intent.client_secret, id)];
    for (const { body, text } of replies) {
      assert.deepEqual(Object.keys(body).sort(), [
        ...['activated_at', 'amount_type', 'created_at', 'ended_at', 'frequency_text', 'id', 'livemode'],
        ...['max_amount_cents', 'next_possible_charge_date', 'payment_method_id', 'reference', 'scheme', 'status'],
        ...['status_reason', 'updated_at'],
      ]);
      for (const word of ['cus_', 'acct_', 'Jo Nguyen', '203.0.113.7', 'clk_']) assert.ok(!text.includes(word), word);
    }
  });

  it('cannot create one without a valid client_secret, or for another customer: the same bytes, and nothing changes', async () => {
    const { customer, intent } = await checkout();
    const other = await checkout();
    const anonymous = await page.intent();
    const stranger = await stage.stranger();
    const { id: theirs } = await stranger.merchant.customer();
    const foreign = await stranger.merchant.intent({ customer_id: theirs });
    const [account, owned] = [await saved(), await here.account(customer)];
    const before = await rowCounts(stage);
    const replies = new Set<string>();
    const secrets = [undefined, '', 'x', `${intent.client_secret}x`, anonymous.client_secret, foreign.client_secret];
    for (const client_secret of secrets) {
      for (const method of [account, owned]) replies.add(bytesOf(await create(intent, method, { client_secret })));
    }
    for (const customer_id of [other.customer, theirs, 'cus_none']) {
      replies.add(bytesOf(await create(intent, account, { customer_id })));
    }
    assert.equal(replies.size, 1, [...replies].join('\n'));
    assert.ok([...replies][0]?.startsWith('403 ') && [...replies][0]?.includes('"secret_key_required"'));
    assert.deepEqual(await rowCounts(stage), before);
  });

  it('cannot use a method that could not confirm the payment', async () => {
    const { customer, intent } = await checkout();
    const other = await checkout();
    const bound = await saved();
    const anonymous = await page.intent();
    await page.confirm(anonymous, bound);
    const usedByBiller = await here.account();
    await here.charge(usedByBiller);
    const detached = await here.account(customer);
    await stage.merchant.detach(detached);
    const before = await rowCounts(stage);
    for (const method of [await here.account(other.customer), bound, usedByBiller, 'pm_none']) {
      assert.equal(outcomeOf(await create(intent, method)), '403 payment_method_not_allowed');
    }
    assert.equal(outcomeOf(await create(intent, detached)), '422 payment_method_detached');
    assert.deepEqual(
      { ...(await rowCounts(stage)), payment_methods: 0, idempotency_keys: 0 },
      {
        ...before,
        payment_methods: 0,
        idempotency_keys: 0,
      },
    );
    assert.equal((await create(intent, await here.account(customer))).status, 201);
  });

  it('cannot accept a mandate of another customer, nor learn whether there is one: the same bytes', async () => {
    const { intent } = await checkout();
    const other = await here.pending();
    const stranger = await stage.stranger();
    const theirs = await stranger.merchant.customer();
    const { payment_method } = await stranger.merchant.client.paymentMethods.create({
      type: 'au_becs_debit',
      customer_reference: theirs.id,
      payment_method_data: { bsb_number: '000-000', account_name: 'Jo', account_number: '98765432' },
    });
    const foreign = await stranger.merchant.client.mandates.create({ payment_method_id: payment_method.id });
    const replies = new Set<string>();
    for (const id of [other.id, foreign.id, 'mdt_00000000000000000000000000000000', 'x']) {
      for (const secret of [intent.client_secret, undefined, 'wrong']) replies.add(bytesOf(await accept(secret, id)));
    }
    assert.equal(replies.size, 1, [...replies].join('\n'));
    assert.equal((await here.get(other.id)).status, 'pending');
  });

  it('cannot set the terms, accept otherwise than online, or leave a mandate pending', async () => {
    const { customer, intent } = await checkout();
    const account = await saved();
    const { text_version, text_sha256 } = await here.online();
    const paper = {
      type: 'paper',
      accepted_at: '2026-01-01T00:00:00Z',
      signatory_name: 'Jo',
      text_version,
      text_sha256,
    };
    for (const more of [
      { max_amount_cents: 1 },
      { amount_type: 'fixed' },
      { frequency_text: 'weekly' },
      { acceptance: undefined },
      { acceptance: paper },
    ]) {
      assert.equal(outcomeOf(await create(intent, account, more)), refused, JSON.stringify(more));
    }
    const { id } = await here.pending({ payment_method_id: await here.account(customer) });
    const reply = await page.send('POST', `/mandates/${id}/accept`, { ...paper, client_secret: intent.client_secret });
    assert.equal(outcomeOf(reply), refused);
    assert.equal((await here.get(id)).status, 'pending');
  });

  it('cannot act for a payment that is over, or whose customer was deleted', async () => {
    const paid = await checkout();
    await page.confirm(paid.intent, await page.card());
    assert.equal(outcomeOf(await create(paid.intent, await saved())), '422 invalid_state');
    const { id } = await here.pending({ payment_method_id: await here.account(paid.customer) });
    assert.equal(outcomeOf(await accept(paid.intent.client_secret, id)), '422 invalid_state');
    const gone = await checkout();
    await stage.request('DELETE', `/customers/${gone.customer}`);
    assert.equal(outcomeOf(await create(gone.intent, await saved())), '422 invalid_state');
  });

  it('cannot give a second one for an account, and are told its id', async () => {
    const { intent } = await checkout();
    const account = await saved();
    const { body } = await create(intent, account);
    const second = await create(intent, account);
    assert.deepEqual([second.status, second.body.error.code], [422, 'mandate_exists']);
    assert.equal(second.body.error.mandate_id, body.id);
  });

  it('cannot read, cancel or print one, nor fetch the text', async () => {
    const { customer, intent } = await checkout();
    const { id } = await here.active({ payment_method_id: await here.account(customer) });
    const query = `?client_secret=${intent.client_secret}`;
    for (const [method, path] of [
      ['GET', `/mandates/${id}`],
      ['GET', `/mandates/${id}/document`],
      ['GET', '/mandates'],
      ['GET', '/mandate_texts/au_becs'],
      ['POST', `/mandates/${id}/cancel`],
      ['POST', `/test_helpers/mandates/${id}/payer_cancels`],
    ] as const) {
      const reply = await page.send(
        method,
        `${path}${method === 'GET' ? query : ''}`,
        method === 'GET' ? undefined : {},
      );
      assert.equal(outcomeOf(reply), refused, path);
    }
  });
});
