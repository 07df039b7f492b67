import assert from 'node:assert/strict';
import { describe, it } from 'mocha';
import { usePayer } from '../support/payer.ts';

describe('the events of the API', () => {
  const here = usePayer();
  const { stage } = here;
  const list = async (query = '') => (await stage.request('GET', `/events?${query}`)).body;

  it('have the envelope, rise by one from 1 in their sequence, and are listed newest first', async () => {
    const id = await here.active();
    const { data, has_more } = await list();
    assert.equal(has_more, false);
    const told = data.map((event: { sequence: number; event_type: string }) => `${event.sequence} ${event.event_type}`);
    assert.deepEqual(told, ['3 payment_intent.succeeded', '2 payment_plan.activated', '1 test_clock.created']);
    const [, activated] = data;
    const { id: eventId, request_id, data: plan, ...rest } = activated;
    assert.match(eventId, /^evt_[0-9A-Za-z]{32}$/);
    assert.match(request_id, /^req_[0-9A-Za-z]{32}$/);
    assert.deepEqual([plan.id, plan.state], [id, 'active']);
    assert.deepEqual(rest, {
      event_type: 'payment_plan.activated',
      created_at: '2027-01-10T00:00:00.000Z',
      livemode: false,
      biller_id: stage.keys.biller.id,
      test_clock: here.clock,
      sequence: 2,
    });
    assert.deepEqual((await stage.request('GET', `/events/${eventId}`)).body, activated);
  });

  it('are filtered by type and by clock, and paged', async () => {
    for (let n = 0; n < 3; n++) await here.active();
    const types = async (query: string) =>
      (await list(query)).data.map((event: { event_type: string }) => event.event_type);
    assert.deepEqual(await types('event_type=payment_plan.activated'), Array(3).fill('payment_plan.activated'));
    assert.equal((await types(`test_clock=${here.clock}`)).length, 7);
    assert.deepEqual([await types('test_clock=clk_none'), await types('event_type=nothing.at_all')], [[], []]);
    const first = await list('limit=4');
    assert.deepEqual([first.data.length, first.has_more], [4, true]);
    const rest = await list(`starting_after=${first.data[3].id}`);
    assert.deepEqual([rest.data.length, rest.has_more], [3, false]);
  });

  it('never carry a client secret or an account number', async () => {
    const account_number = '918273645';
    const payment_method_data = { bsb_number: '000-000', account_name: 'Jo', account_number };
    const debit = { type: 'au_becs_debit', payment_method_data, customer_reference: here.customer };
    const method = (await stage.request('POST', '/payment_methods', debit)).body.payment_method.id;
    const intent = await stage.merchant.intent({
      amount: 500,
      customer_id: here.customer,
      payment_method: method,
    });
    await stage.request('POST', `/payment_intents/${intent.id}/confirm`, {});
    const { text } = await stage.request('GET', '/events');
    assert.equal(
      text.includes('client_secret') || text.includes(String(intent.client_secret)) || text.includes(account_number),
      false,
    );
    assert.ok(text.includes(intent.id));
  });
});
