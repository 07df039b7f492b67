import assert from 'node:assert/strict';
import { describe, it } from 'mocha';
import type { Reply } from '../support/api.ts';
import { useDebtor } from '../support/debtor.ts';
import { useStage } from '../support/stage.ts';
import { inTurn } from './barriers.ts';

describe('two who change the mandate of one account', () => {
  const stage = useStage();
  const here = useDebtor(stage);
  const statuses = (replies: Reply[]): string => replies.map(({ status }) => status).join(' ');

  /** Both requests wait for the row of the customer, and go through it in this order. */
  const atCustomer = (customer: string, first: () => Promise<Reply>, second: () => Promise<Reply>) =>
    inTurn<[Reply, Reply]>(stage.db.sql, { table: 'customers', id: customer }, [first, second]);

  it('create one: the first wins, the second is told which one there is', async () => {
    const { id: customer } = await stage.merchant.customer();
    const body = { payment_method_id: await here.account(customer), acceptance: await here.online() };
    const [first, second] = await atCustomer(
      customer,
      () => here.create(body),
      () => here.create(body),
    );
    assert.equal(statuses([first, second]), '201 422');
    assert.equal(second.body.error.code, 'mandate_exists');
    assert.equal(second.body.error.mandate_id, first.body.id);
    assert.deepEqual(await here.told(), ['mandate.created active', 'mandate.activated active']);
  });

  it('create twenty at once for an account without a customer: one is created, and one attachment made', async () => {
    const [one, other] = [await stage.merchant.customer(), await stage.merchant.customer()];
    const payment_method_id = await here.account();
    const owners = [one.id, other.id];
    const replies = await Promise.all(
      Array.from({ length: 20 }, (_, index) => here.create({ payment_method_id, customer_id: owners[index % 2] })),
    );
    const [made, ...more] = replies.filter(({ status }) => status === 201);
    assert.deepEqual(more, []);
    for (const { status, body } of replies.filter((reply) => reply.status !== 201)) {
      const code = body.error.details?.[0]?.code ?? body.error.code;
      assert.match(`${status} ${code}`, /^422 (mandate_exists|payment_method_of_other_customer)$/);
    }
    assert.equal((await here.told()).length, 1);
    assert.ok(owners.includes(made?.body.customer_id));
  });

  it('accept and cancel it: both take place, in their order', async () => {
    const { id, customer_id } = await here.pending();
    const acceptance = await here.online();
    const replies = await atCustomer(
      customer_id,
      () => here.accept(id, acceptance),
      () => here.cancel(id),
    );
    assert.equal(statuses(replies), '200 200');
    assert.equal((await here.get(id)).status, 'canceled');
    assert.deepEqual(await here.told(), [
      'mandate.created pending',
      'mandate.activated active',
      'mandate.canceled canceled',
    ]);
  });

  it('cancel and accept it: the acceptance comes too late', async () => {
    const { id, customer_id } = await here.pending();
    const acceptance = await here.online();
    const [canceled, accepted] = await atCustomer(
      customer_id,
      () => here.cancel(id),
      () => here.accept(id, acceptance),
    );
    assert.equal(statuses([canceled, accepted]), '200 422');
    assert.equal(accepted.body.error.code, 'invalid_state');
    const { status, acceptance: evidence } = await here.get(id);
    assert.deepEqual([status, evidence], ['canceled', null]);
  });

  it('end it in five ways at once: it ends once, with one event', async () => {
    for (let round = 0; round < 5; round++) {
      const { id, customer_id, payment_method_id } = await here.active();
      const before = (await here.told()).length;
      await Promise.all([
        here.cancel(id),
        here.payerCancels(id),
        stage.merchant.detach(payment_method_id),
        stage.request('DELETE', `/customers/${customer_id}`),
        here.cancel(id, { reason: 'again' }),
      ]);
      assert.deepEqual((await here.told()).slice(before), ['mandate.canceled canceled']);
    }
  });

  it('cancel it before a confirm: nothing is charged', async () => {
    const { id, customer_id, payment_method_id: payment_method } = await here.active();
    const intent = await stage.merchant.intent({ customer_id });
    const confirm = () => stage.request('POST', `/payment_intents/${intent.id}/confirm`, { payment_method });
    const [canceled, confirmed] = await atCustomer(customer_id, () => here.cancel(id), confirm);
    assert.equal(statuses([canceled, confirmed]), '200 422');
    assert.equal(confirmed.body.error.code, 'mandate_unavailable');
    assert.deepEqual(stage.ledger.requests, []);
  });

  it('cancel it after a confirm has begun: the debit does not go to the bank, and none follows', async () => {
    const { id, customer_id, payment_method_id: payment_method } = await here.active();
    const intent = await stage.merchant.intent({ customer_id });
    const confirm = () => stage.request('POST', `/payment_intents/${intent.id}/confirm`, { payment_method });
    const [confirmed, canceled] = await atCustomer(customer_id, confirm, () => here.cancel(id));
    assert.deepEqual([confirmed.body.status, canceled.status], ['processing', 200]);
    const { body: stopped } = await stage.request('GET', `/payment_intents/${intent.id}`);
    assert.deepEqual([stopped.status, stopped.last_payment_error.code], ['failed', 'mandate_unavailable']);
    assert.equal((await here.charge(payment_method)).body.error.code, 'mandate_unavailable');
    assert.deepEqual(stage.ledger.requests, []);
  });

  it('create one while the account is detached: either it is refused, or it ends with the account', async () => {
    const first = await stage.merchant.customer();
    const account = await here.account(first.id);
    const [detached, refused] = await atCustomer(
      first.id,
      () => stage.request('POST', `/payment_methods/${account}/detach`),
      () => here.create({ payment_method_id: account }),
    );
    assert.equal(statuses([detached, refused]), '200 422');
    const second = await stage.merchant.customer();
    const other = await here.account(second.id);
    const [created, then] = await atCustomer(
      second.id,
      () => here.create({ payment_method_id: other }),
      () => stage.request('POST', `/payment_methods/${other}/detach`),
    );
    assert.equal(statuses([created, then]), '201 200');
    assert.equal((await here.get(created.body.id)).status_reason, 'payment_method_detached');
  });

  it('accept one while the customer is deleted: either it comes too late, or it ends with the customer', async () => {
    const acceptance = await here.online();
    const late = await here.pending();
    const remove = (id: string) => () => stage.request('DELETE', `/customers/${id}`);
    const [, refused] = await atCustomer(late.customer_id, remove(late.customer_id), () =>
      here.accept(late.id, acceptance),
    );
    assert.deepEqual([refused.status, refused.body.error.code], [422, 'invalid_state']);
    const early = await here.pending();
    await atCustomer(early.customer_id, () => here.accept(early.id, acceptance), remove(early.customer_id));
    assert.equal((await here.get(early.id)).status_reason, 'customer_deleted');
  });

  it('charge a plan’s payment and cancel the mandate at the same time: nothing goes to the bank, whichever is first, and nothing deadlocks', async () => {
    for (let round = 0; round < 10; round++) {
      const { clock, payer } = await stage.merchant.customerOnClock('2027-01-29T00:00:00.000Z');
      const { id } = await here.active({ payment_method_id: await here.account(payer.id) });
      const plan = await stage.merchant.activePlan({ customer_id: payer.id, start_date: '2027-01-29' });
      const [, canceled] = await Promise.all([stage.collectAll(plan.id, '2027-01-29T00:00:00Z'), here.cancel(id)]);
      assert.equal(canceled.status, 200);
      // A debit that was accepted at the same moment is stopped at its hand-over, at the latest.
      await stage.collectAll(plan.id, '2027-01-29T06:00:00Z');
      const [payment] = await stage.merchant.payments(plan.id);
      const { last_debited_at } = await here.get(id);
      assert.deepEqual([payment?.status, last_debited_at], ['failed', null]);
      assert.deepEqual(stage.ledger.requests, []);
      await stage.merchant.deleteClock(clock.id);
    }
  });
});
