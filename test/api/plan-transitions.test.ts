import assert from 'node:assert/strict';
import { describe, it } from 'mocha';
import { frozen, usePayer } from '../support/payer.ts';
import { refusal } from '../support/stage.ts';

const transitions = ['activate', 'suspend', 'resume', 'deactivate', 'close'] as const;

describe('a transition of a plan', () => {
  const here = usePayer();
  const { stage } = here;
  const post = (id: string, transition: string, body?: unknown) =>
    stage.request('POST', `/payment_plans/${id}/${transition}`, body);
  const eventsOf = async (id: string) => (await stage.merchant.events()).filter(({ data }) => data.id === id);

  async function inState(state: 'pending' | 'active'): Promise<string> {
    const { id } = await here.plan({ start_date: '2027-02-01' });
    if (state === 'active') await stage.merchant.move(id, 'activate');
    return id;
  }

  it('carries the request and the customer’s time in its event', async () => {
    const id = await inState('pending');
    const reply = await post(id, 'activate');
    const event = (await stage.merchant.events({ event_type: 'payment_plan.activated' })).at(-1);
    assert.deepEqual([event?.request_id, event?.created_at], [reply.headers.get('request-id'), frozen]);
    assert.deepEqual([event?.test_clock, reply.body.updated_at], [here.clock, frozen]);
  });

  it('pokes the plan’s workflow: activate and resume start it, the others only signal it', async () => {
    const id = await inState('pending');
    const staged: boolean[] = [];
    for (const transition of ['activate', 'suspend', 'resume', 'deactivate'] as const) {
      await stage.db.sql`delete from workflow_intents`;
      await post(id, transition);
      const rows = await stage.db.sql<{ workflow_id: string; start: boolean; signal: string }[]>`
        select workflow_id, start, signal from workflow_intents`;
      assert.deepEqual([rows.length, rows[0]?.workflow_id, rows[0]?.signal], [1, `payment-plan/${id}`, 'poke']);
      staged.push(rows[0]?.start ?? false);
    }
    assert.deepEqual(staged, [true, false, true, false]);
  });

  it('shows next_payment_date while pending and active only, and the reason of a state', async () => {
    const { id, next_payment_date } = await here.plan({ start_date: '2027-02-01' });
    const shown: unknown[] = [next_payment_date];
    for (const transition of ['activate', 'suspend', 'resume', 'close'] as const) {
      const plan = await stage.merchant.move(id, transition);
      shown.push(`${plan.next_payment_date} ${plan.state_reason}`);
    }
    assert.deepEqual(shown, ['2027-02-01', '2027-02-01 null', 'null requested', '2027-02-01 null', 'null requested']);
  });

  it('takes no body, and knows no plan of another biller', async () => {
    const id = await inState('pending');
    assert.deepEqual(refusal(await post(id, 'activate', { now: true }), 422), ['/now unknown_parameter']);
    assert.equal((await post(id, 'activate', {})).status, 200);
    const { merchant } = await stage.stranger();
    const theirs = await merchant.plan({ customer_id: (await merchant.payer()).id, start_date: '2199-01-01' });
    for (const transition of transitions) {
      for (const name of [theirs.id, 'pp_none']) refusal(await post(name, transition), 404, 'resource_missing');
    }
  });

  it('is refused while the customer’s clock advances', async () => {
    const [pending, active] = [await inState('pending'), await inState('active')];
    await stage.merchant.beginAdvance(here.clock, '2027-01-12T00:00:00Z');
    refusal(await post(pending, 'activate'), 422, 'test_clock_advancing');
    for (const transition of ['suspend', 'deactivate', 'close']) {
      refusal(await post(active, transition), 422, 'test_clock_advancing');
    }
    refusal(await stage.request('POST', `/payment_methods/${here.card}/detach`), 422, 'test_clock_advancing');
  });

  it('asked for twenty times at once happens once', async () => {
    for (let round = 0; round < 10; round++) {
      const id = await inState('pending');
      const replies = await Promise.all(Array.from({ length: 20 }, () => post(id, 'activate')));
      assert.equal(replies.filter(({ status }) => status === 200).length, 1);
      assert.equal((await eventsOf(id)).length, 1);
    }
  });
});

describe('activating a plan', () => {
  const here = usePayer();

  it('collects the first payment at once when its date has come, on a frozen clock too', async () => {
    assert.deepEqual(await here.paymentLines(await here.active()), [`0 paid ${frozen}`]);
  });

  it('waits for a first date that lies ahead', async () => {
    const id = await here.active({ start_date: '2027-01-11' });
    assert.deepEqual(await here.paymentLines(id), []);
    await here.advance('2027-01-12T00:00:00Z');
    assert.deepEqual(await here.paymentLines(id), ['0 paid 2027-01-11T00:00:00.000Z']);
  });

  it('skips what has passed but for the first payment: never a burst', async () => {
    const { id } = await here.plan();
    await here.advance('2027-02-01T00:00:00Z');
    await here.move(id, 'activate');
    const passed = ['0 paid 2027-02-01T00:00:00.000Z', '1 skipped', '2 skipped', '3 skipped'];
    assert.deepEqual(await here.paymentLines(id), passed);
    assert.equal((await here.stage.merchant.getPlan(id)).next_payment_date, '2027-02-07');
    await here.advance('2027-02-08T00:00:00Z');
    assert.deepEqual(await here.paymentLines(id), [...passed, '4 paid 2027-02-07T00:00:00.000Z']);
  });
});

describe('ending or suspending a plan between retries', () => {
  const here = usePayer();
  const { stage } = here;

  for (const transition of ['suspend', 'deactivate', 'close'] as const) {
    it(`ends the retries with ${transition}: the slot has failed, and nothing of it is tried again`, async () => {
      const id = await here.active({ metadata: { _sandbox_outcome: 'decline,succeed' } });
      assert.equal((await stage.merchant.getPlan(id)).next_attempt_at, '2027-01-11T00:00:00.000Z');
      const plan = await here.move(id, transition);
      assert.deepEqual([plan.next_attempt_at, plan.next_payment_date], [null, null]);
      await here.advance('2027-02-10T00:00:00Z');
      await stage.collect(id, '2027-02-10T00:00:00Z');
      assert.deepEqual(await here.paymentLines(id), [`0 failed ${frozen}`]);
      assert.equal(stage.ledger.requests.length, 1);
    });
  }
});

describe('resuming a plan', () => {
  const here = usePayer();
  const { stage } = here;

  it('skips the slots that passed while it was suspended, and goes on by the calendar', async () => {
    const id = await here.active();
    await here.move(id, 'suspend');
    await here.advance('2027-01-31T00:00:00Z');
    assert.deepEqual(await here.paymentLines(id), [`0 paid ${frozen}`]);
    const plan = await here.move(id, 'resume');
    assert.deepEqual([plan.next_payment_date, plan.next_attempt_at], ['2027-02-07', null]);
    assert.deepEqual(await here.paymentLines(id), [`0 paid ${frozen}`, '1 skipped', '2 skipped', '3 skipped']);
    await here.advance('2027-02-07T00:00:00Z');
    assert.deepEqual((await here.paymentLines(id)).at(-1), '4 paid 2027-02-07T00:00:00.000Z');
  });

  it('tries an unpaid slot again at once, with a fresh series of retries', async () => {
    const declines = Array.from({ length: 7 }, () => 'decline').join(',');
    const id = await here.active({ metadata: { _sandbox_outcome: `${declines},succeed` }, frequency_type: 'monthly' });
    await here.advance('2027-01-15T00:00:00Z');
    assert.equal((await stage.merchant.getPlan(id)).state_reason, 'payment_failed');
    await here.advance('2027-01-20T00:00:00Z');
    const resumed = await here.move(id, 'resume');
    assert.deepEqual([resumed.state, resumed.next_attempt_at], ['active', '2027-01-20T00:00:00.000Z']);
    assert.equal((await stage.merchant.getPlan(id)).next_attempt_at, '2027-01-21T00:00:00.000Z');
    await here.advance('2027-01-25T00:00:00Z');
    const days = ['10', '11', '13', '15', '20', '21', '23', '25'];
    assert.deepEqual(await here.paymentLines(id), [
      `0 paid ${days.map((day) => `2027-01-${day}T00:00:00.000Z`).join(' ')}`,
    ]);
  });

  it('keeps the first amount for the payment that comes first if none has come yet', async () => {
    const id = await here.active({ start_date: '2027-01-12', first_amount_cents: 5000 });
    await here.move(id, 'suspend');
    await here.advance('2027-01-15T00:00:00Z');
    await here.move(id, 'resume');
    await here.advance('2027-01-20T00:00:00Z');
    const payments = await stage.merchant.payments(id);
    assert.deepEqual(
      payments.map(({ slot, amount, status }) => [slot, amount, status]),
      [
        [0, null, 'skipped'],
        [1, 5000, 'paid'],
      ],
    );
  });
});
