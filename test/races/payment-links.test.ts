import assert from 'node:assert/strict';
import { describe, it } from 'mocha';
import { createCheckoutSession } from '../../src/services/links/checkout-sessions.ts';
import { chargeHook } from '../../src/services/subjects/charge-hook.ts';
import { useDebits } from '../support/debits.ts';
import { card, useLinks } from '../support/links.ts';
import { useStage } from '../support/stage.ts';
import { holdLocks } from './barriers.ts';

describe('payers who race for a link', () => {
  const stage = useStage();
  const links = useLinks(stage);
  const debits = useDebits(stage);

  /** The succeeded payments of a link, and the money that the processor has taken for them. */
  async function paid(id: string) {
    const [row] = await stage.db.sql<{ count: number }[]>`
      select count(*)::integer as count from payment_intents where payment_link_id = ${id} and status = 'succeeded'`;
    return row?.count;
  }

  it('pay a single-use link once, from ten tabs that each start and pay', async () => {
    for (let round = 0; round < 5; round++) {
      stage.ledger.reset();
      const link = await links.link();
      const tabs = Array.from({ length: 10 }, async () => {
        const started = await links.start(link);
        return started.kind === 'started' ? links.outcome(await links.pay(started.token)) : links.outcome(started);
      });
      const outcomes = await Promise.all(tabs);
      assert.ok(outcomes.includes('completed'), outcomes.join());
      assert.deepEqual([await paid(link.id), stage.ledger.taken.size], [1, 1], outcomes.join());
      const { status, payments_count, collected_amount } = await links.read(link);
      assert.deepEqual([status, payments_count, collected_amount], ['completed', 1, 2500]);
    }
  });

  it('pay a link of five payments five times, however many sit before it', async () => {
    const link = await links.link({ max_payments: 5 });
    const tokens = await Promise.all(Array.from({ length: 12 }, () => links.open(link)));
    assert.equal(new Set(tokens).size, 12);
    const outcomes = (await Promise.all(tokens.map((token) => links.pay(token)))).map(links.outcome);
    assert.equal(outcomes.filter((outcome) => outcome === 'completed').length, 5, outcomes.join());
    assert.deepEqual([await paid(link.id), stage.ledger.taken.size], [5, 5]);
    const { status, collected_amount } = await links.read(link);
    assert.deepEqual([status, collected_amount], ['completed', 12_500]);
    for (const token of tokens) {
      const found = await links.find(token);
      assert.ok(found?.state === 'completed' || found?.session.status_reason === 'link_completed', found?.state);
    }
  });

  it('are asked to wait while another payer pays the last one, and may pay it after a decline', async () => {
    const link = await links.link({ max_payments: 2 });
    await links.pay(await links.open(link));
    const [first, second] = [await links.open(link), await links.open(link)];
    let meanwhile = '';
    stage.ledger.beforeAnswer = async () => {
      stage.ledger.beforeAnswer = async () => {};
      meanwhile = links.outcome(await links.pay(second));
    };
    await links.pay(first, { method: card('tok_sandbox_visa_decline_card_lost') });
    assert.equal(meanwhile, 'busy last_payment');
    assert.equal(links.outcome(await links.pay(second)), 'completed');
    assert.equal((await links.read(link)).status, 'completed');
  });

  it('pay once what comes back in the same moment, and never more than the link takes', async () => {
    const { account, customer } = await debits.payer();
    for (let round = 0; round < 5; round++) {
      const link = await links.link({
        max_payments: 2,
        customer_id: customer,
        payment_method_types: ['au_becs_debit', 'card'],
      });
      const late = [await links.open(link), await links.open(link)];
      await links.pay(await links.open(link), { method: { id: account } });
      const { data } = (await stage.request('GET', `/payment_links/${link.id}/payments`)).body;
      const report = (result: string) =>
        stage.request('POST', `/test_helpers/payment_intents/${data[0].id}/bank_result`, { result });
      assert.equal((await report('settled')).status, 200);
      // One place is left. Another one comes free in the moment in which both payers pay.
      const returned = report('returned');
      const outcomes = await Promise.all(late.map(async (token) => links.outcome(await links.pay(token))));
      assert.equal((await returned).status, 200);
      const paidOnce = outcomes.filter((outcome) => outcome === 'completed').length;
      const { status, payments_count, collected_amount } = await links.read(link);
      assert.equal(await paid(link.id), paidOnce, outcomes.join());
      assert.deepEqual([payments_count, collected_amount], [paidOnce, paidOnce * 2500], outcomes.join());
      assert.equal(status, paidOnce === 2 ? 'completed' : 'open', outcomes.join());
    }
  });

  it('find it closed once its customer is deleted, also if its payment comes back in the same moment', async () => {
    for (let round = 0; round < 6; round++) {
      const { id: customer } = await stage.merchant.customer();
      const account = await debits.account(customer);
      await debits.active({ payment_method_id: account });
      const link = await links.link({ customer_id: customer, payment_method_types: ['au_becs_debit'] });
      await links.pay(await links.open(link), { method: { id: account } });
      const { data } = (await stage.request('GET', `/payment_links/${link.id}/payments`)).body;
      const report = (result: string) =>
        stage.request('POST', `/test_helpers/payment_intents/${data[0].id}/bank_result`, { result });
      assert.equal((await report('settled')).status, 200);
      const replies = await Promise.all([report('returned'), stage.request('DELETE', `/customers/${customer}`)]);
      assert.deepEqual(
        replies.map(({ status }) => status),
        [200, 200],
      );
      const { status, status_reason, payments_count } = await links.read(link);
      assert.deepEqual([status, status_reason, payments_count], ['deactivated', 'customer_deleted', 0]);
    }
  });

  it('are charged before the response to a deactivation, or not at all', async () => {
    for (let round = 0; round < 6; round++) {
      stage.ledger.reset();
      const link = await links.link({ max_payments: null });
      const token = await links.open(link);
      const [outcome] = await Promise.all([links.pay(token).then(links.outcome), links.deactivate(link)]);
      const { status, payments_count } = await links.read(link);
      assert.equal(status, 'deactivated');
      assert.equal(payments_count, outcome === 'completed' ? 1 : 0, outcome);
      assert.equal(stage.ledger.taken.size, payments_count);
      const version = (await links.find(token))?.session.submissions ?? 0;
      assert.equal(links.outcome(await links.pay(token, { version })).split(' ')[0], 'ended');
    }
  });

  it('save one method by a setup link, from five tabs', async () => {
    const customer = await stage.merchant.customer();
    const link = await links.link({ mode: 'setup', customer_id: customer.id });
    const token = await links.open(link);
    const outcomes = await Promise.all(Array.from({ length: 5 }, async () => links.outcome(await links.save(token))));
    assert.ok(outcomes.includes('completed'), outcomes.join());
    const rows = await stage.db.sql`select id from payment_methods where customer_id = ${customer.id}`;
    assert.equal(rows.length, 1);
    assert.equal((await links.read(link)).payments_count, 1);
  });

  it('find the session that is just being made for the intent that the biller confirms or cancels', async () => {
    for (const [token, action, expected] of [
      ['tok_sandbox_visa_decline_card_lost', 'confirm', ['failed', 'open', 1]],
      ['tok_sandbox_visa_3ds_required', 'confirm', ['requires_action', 'processing', 0]],
      ['tok_sandbox_visa_succeed', 'confirm', ['succeeded', 'completed', 0]],
      ['tok_sandbox_visa_succeed', 'cancel', ['canceled', 'expired', 0]],
    ] as const) {
      const intent = await stage.merchant.intent();
      const { body } = await stage.request('POST', '/payment_methods', card(token).data);
      const call = await links.call();
      const session = { id: '' };
      const held = await holdLocks(stage.db.sql, async (tx) => {
        session.id = (
          await createCheckoutSession(
            tx,
            stage.vault,
            chargeHook,
            call,
            { payment_intent_id: intent.id },
            { setsDefaults: true },
          )
        ).id;
      });
      const method = action === 'confirm' ? { payment_method: body.payment_method.id } : undefined;
      const acted = stage.request('POST', `/payment_intents/${intent.id}/${action}`, method);
      await held.waiting(() => 1);
      await held.release();
      const { status, body: after } = await acted;
      assert.equal(status, 200, JSON.stringify(after));
      const seen = (await stage.request('GET', `/checkout_sessions/${session.id}`)).body;
      assert.deepEqual([after.status, seen.status, seen.failed_attempts], expected);
    }
  });
});
