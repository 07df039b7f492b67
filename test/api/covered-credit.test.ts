import assert from 'node:assert/strict';
import { describe, it } from 'mocha';
import { findViolations } from '../../src/operations/invariants/invariants.ts';
import { useDebtor } from '../support/debtor.ts';
import { refusal } from '../support/stage.ts';
import { useSubscriber } from '../support/subscriber.ts';

const items = (amount: number) => [{ name: 'Membership', unit_amount_cents: amount }];
/** 2027-01-10 to 2027-02-10 has 31 days. On the 20th, 21 of them are left. */
const given = Math.round((4900 * 21) / 31) - Math.round((100 * 21) / 31);

describe('the credit of a period', () => {
  const subscriber = useSubscriber();
  const { stage, here } = subscriber;
  const debtor = useDebtor(stage);

  async function started(method: 'card' | 'debit', metadata: Record<string, string> = {}) {
    const account = method === 'debit' ? await debtor.account(here.customer) : await stage.merchant.card(here.customer);
    if (method === 'debit') await debtor.active({ payment_method_id: account });
    const id = await subscriber.started({ payment_instrument_id: account, metadata });
    await here.advance('2027-01-20T00:00:00Z');
    return { id, first: (await subscriber.get(id)).latest_payment_intent_id };
  }
  async function change(id: string, amount: number, more: object = {}) {
    const reply = await stage.request('POST', `/subscriptions/${id}/change`, {
      ...{ items: items(amount), when: 'now', ...more },
    });
    assert.equal(reply.status, 200, reply.text);
    return reply.body;
  }
  const refund = (intent: string, body: object = {}) =>
    stage.request('POST', `/payment_intents/${intent}/refunds`, body);
  const refundCredit = (id: string, body: object = {}) =>
    stage.request('POST', `/subscriptions/${id}/refund_credit`, body);
  const bank = (intent: string, result: string) =>
    stage.request('POST', `/test_helpers/payment_intents/${intent}/bank_result`, { result });
  const credit = async (id: string) => (await subscriber.get(id)).credit_balance_cents;
  afterEach('hold the invariants', async () => assert.deepEqual(await findViolations(stage.db.sql), []));

  it('never exceeds what its payment holds after a refund, which uses it first', async () => {
    const { id, first } = await started('card');
    await change(id, 100);
    assert.equal(await credit(id), given);
    await refund(first, { amount: given - 1000 });
    assert.equal(await credit(id), 1000);
    await refund(first, { amount: 4900 - given });
    assert.equal(await credit(id), 0);
    await here.advance('2027-02-10T00:00:00Z');
    assert.equal((await subscriber.periods(id)).at(-1), '2 2027-02-10 2027-03-10 paid 100');
  });

  it('never exceeds what its payment holds since a refund before, and the quote of the change says so', async () => {
    const { id, first } = await started('card');
    await refund(first, { amount: 4900 - given + 1000 });
    const quote = await change(id, 100, { dry_run: true });
    const sum = quote.lines.reduce((all: number, line: { amount_cents: number }) => all + line.amount_cents, 0);
    assert.deepEqual([sum, quote.next_period_amount_cents], [1000 - given, 0]);
    await change(id, 100);
    assert.equal(await credit(id), given - 1000);
  });

  it('is none for a period that was refunded in full, and a change and its reversal still cost nothing', async () => {
    const { id, first } = await started('card');
    await refund(first);
    await change(id, 100);
    assert.equal(await credit(id), 0);
    refusal(await refundCredit(id), 422, 'invalid_state');
    const back = await change(id, 4900, { collect: 'now' });
    assert.deepEqual([back.amount_cents, back.next_period_amount_cents], [0, 4900]);
    assert.equal(await credit(id), 0);
  });

  it('is given back if the refund fails', async () => {
    const { id, first } = await started('card');
    await change(id, 100);
    const failed = await refund(first, { metadata: { _sandbox_refund_outcome: 'fail' } });
    assert.equal(failed.body.status, 'failed', failed.text);
    assert.equal(await credit(id), given);
  });

  it('ends when the bank takes its payment back, is paid out of no other period, and is there again once it is paid', async () => {
    const { id, first } = await started('debit', { _sandbox_bank_outcome: 'settled,settled' });
    await change(id, 100);
    assert.equal(await credit(id), given);
    await here.advance('2027-02-16T00:00:00Z');
    const used = given - 100;
    assert.equal(await credit(id), used, 'it has paid the second period');
    await bank(first, 'returned');
    assert.equal(await credit(id), 0);
    refusal(await refundCredit(id), 422, 'invalid_state');
    await here.advance('2027-02-26T00:00:00Z');
    assert.deepEqual([(await subscriber.get(id)).state, await credit(id)], ['active', used]);
  });

  it('that was used is owed by the next period after its payment came back for good, and the account is right', async () => {
    const { id, first } = await started('debit');
    await change(id, 100);
    await here.advance('2027-02-16T00:00:00Z');
    await bank(first, 'disputed');
    assert.equal(await credit(id), 0);
    await stage.request('PUT', `/subscriptions/${id}`, {
      payment_instrument_id: await stage.merchant.card(here.customer),
    });
    const resumed = await subscriber.ask(id, 'resume');
    assert.equal(resumed.state, 'active');
    await here.advance('2027-03-20T00:00:00Z');
    assert.equal((await subscriber.periods(id)).at(-1), '3 2027-03-10 2027-04-10 paid 200');
  });

  it('is refunded from what is left of the payments, so no more is given back than was paid', async () => {
    const { id, first } = await started('card');
    await change(id, 100);
    assert.equal((await refundCredit(id)).body.amount, given);
    await refund(first);
    assert.equal(await credit(id), 0);
    const { body } = await stage.request('GET', `/payment_intents/${first}`);
    assert.equal(body.total_refunded_amount, 4900);
  });
});
