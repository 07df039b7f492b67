import assert from 'node:assert/strict';
import { describe, it } from 'mocha';
import { disputeOverdue } from '../../src/operations/stuck/kinds/disputes.ts';
import { findKind } from '../../src/operations/stuck/reading/find-stuck.ts';
import { type RealInstant, realNow } from '../../src/platform/real-time.ts';
import { postEvents } from '../../src/services/ledger/follower.ts';
import { closeDisputesInRealTime } from '../../src/services/payments/disputes.ts';
import { chargeHook } from '../../src/services/subjects/charge-hook.ts';
import { useDebits } from '../support/debits.ts';
import { makeKey } from '../support/factories.ts';
import { refusal, rowCounts, useStage } from '../support/stage.ts';

const day = 86_400_000;

describe('disputes of the sandbox', () => {
  const stage = useStage();
  const debits = useDebits(stage);

  async function get(path: string) {
    const reply = await stage.request('GET', path);
    assert.equal(reply.status, 200, reply.text);
    return reply.body;
  }
  const dispute = (id: string, body: object = {}) =>
    stage.request('POST', `/test_helpers/payment_intents/${id}/dispute`, body);
  async function opened(id: string, result?: 'won' | 'lost') {
    const reply = await dispute(id, result === undefined ? {} : { result });
    assert.equal(reply.status, 200, reply.text);
    return reply.body;
  }
  const refund = (id: string, amount?: number) =>
    stage.request('POST', `/payment_intents/${id}/refunds`, amount === undefined ? {} : { amount });

  /** A customer with a card on a new clock at this time, or in real time. */
  async function payer(frozenTime: string | null = '2027-03-01T10:00:00Z') {
    if (frozenTime === null) {
      const { id } = await stage.merchant.customer();
      return { clock: '', customer: id, card: await stage.merchant.card(id) };
    }
    const { clock, payer: customer } = await stage.merchant.customerOnClock(frozenTime);
    return { clock: clock.id, customer: customer.id, card: await stage.merchant.card(customer.id) };
  }

  async function paid({ customer, card }: { customer: string; card: string }, amount = 10_000, terms: object = {}) {
    const { id, status } = await stage.merchant.intent({
      amount,
      customer_id: customer,
      payment_method: card,
      confirm: true,
      ...terms,
    });
    assert.equal(status, 'succeeded');
    return id;
  }

  /** What happened on a clock from its disputes on, such as `2027-03-01T10:00 dispute.opened`, payouts left out. */
  async function story(clock: string): Promise<string[]> {
    const events = await stage.merchant.events({ test_clock: clock });
    const from = events.findIndex(({ event_type: type }) => type.startsWith('dispute.'));
    return events
      .slice(from)
      .filter(({ event_type: type }) => !/^(payout|test_clock)\./.test(type))
      .map(({ created_at: at, event_type: type }) => `${at.slice(0, 16)} ${type}`);
  }

  async function rows(clock: string, query = ''): Promise<string[]> {
    const { data } = await get(`/balance_transactions?test_clock=${clock}${query}`);
    return data
      .map(
        ({ type, reporting_category: category, gross, fee, net }: Record<string, unknown>) =>
          `${type} ${category} ${gross} ${fee} ${net}`,
      )
      .reverse();
  }

  it('hold the payment at once, and the books say so', async () => {
    const its = await payer();
    const id = await paid(its);
    const open = await opened(id);
    assert.deepEqual(
      [open.payment_intent_id, open.customer_id, open.amount, open.currency, open.status, open.closes_at],
      [id, its.customer, 10_000, 'AUD', 'needs_response', null],
    );
    assert.deepEqual([open.closed_at, open.test_clock, open.created_at], [null, its.clock, '2027-03-01T10:00:00.000Z']);
    assert.deepEqual(await get(`/disputes/${open.id}`), open);
    await stage.advance(its.clock, '2027-03-12T10:00:00Z');
    assert.deepEqual(await story(its.clock), ['2027-03-01T10:00 dispute.opened']);
    assert.deepEqual(await rows(its.clock), ['payment charge 10000 205 9795', 'dispute dispute -10000 0 -10000']);
    assert.deepEqual((await get(`/balance?test_clock=${its.clock}`)).data, [
      { currency: 'AUD', in_flight: 0, pending: 0, available: -205, held: 10_000, credit: 0 },
    ]);
    const intent = await stage.merchant.getIntent(id);
    assert.deepEqual([intent.status, intent.net_collected_amount], ['succeeded', 10_000]);
    const [row] = (await get(`/balance_transactions?test_clock=${its.clock}&source=${open.id}`)).data;
    assert.deepEqual([row.type, row.payment_intent_id, row.customer_id], ['dispute', id, its.customer]);
  });

  it('are won ten days later, and give the money back', async () => {
    const its = await payer();
    const id = await paid(its);
    const { id: disputeId, closes_at } = await opened(id, 'won');
    assert.equal(closes_at, '2027-03-11T10:00:00.000Z');
    await stage.advance(its.clock, '2027-03-11T09:59:59Z');
    assert.equal((await get(`/disputes/${disputeId}`)).status, 'needs_response');
    await stage.advance(its.clock, '2027-03-15T10:00:00Z');
    const won = await get(`/disputes/${disputeId}`);
    assert.deepEqual([won.status, won.closed_at], ['won', '2027-03-11T10:00:00.000Z']);
    assert.deepEqual(await story(its.clock), ['2027-03-01T10:00 dispute.opened', '2027-03-11T10:00 dispute.won']);
    assert.deepEqual(await rows(its.clock, `&source=${disputeId}`), [
      'dispute dispute -10000 0 -10000',
      'dispute_reversal dispute_reversal 10000 0 10000',
    ]);
    const intent = await stage.merchant.getIntent(id);
    assert.deepEqual([intent.status, intent.net_collected_amount], ['succeeded', 10_000]);
    refusal(await dispute(id), 422, 'invalid_state');
    assert.equal((await refund(id)).body.status, 'succeeded');
  });

  it('are lost ten days later: the payment is returned in full, without a second row and without its fee', async () => {
    const its = await payer();
    const id = await paid(its);
    const { id: disputeId } = await opened(id, 'lost');
    await stage.advance(its.clock, '2027-03-15T10:00:00Z');
    assert.equal((await get(`/disputes/${disputeId}`)).status, 'lost');
    assert.deepEqual(await story(its.clock), [
      '2027-03-01T10:00 dispute.opened',
      '2027-03-11T10:00 dispute.lost',
      '2027-03-11T10:00 payment_intent.returned',
    ]);
    assert.deepEqual(await rows(its.clock), ['payment charge 10000 205 9795', 'dispute dispute -10000 0 -10000']);
    assert.deepEqual((await get(`/balance?test_clock=${its.clock}`)).data, [
      { currency: 'AUD', in_flight: 0, pending: 0, available: -205, held: 0, credit: 0 },
    ]);
    const intent = await stage.merchant.getIntent(id);
    assert.deepEqual(
      [intent.status, intent.total_returned_amount, intent.net_collected_amount, intent.last_payment_error?.code],
      ['returned', 10_000, 0, 'payment_disputed'],
    );
    const [returned] = await stage.merchant.events({ event_type: 'payment_intent.returned' });
    const { attempt, reason, bank_code, will_retry, dispute_id, returned_amount } = returned?.data ?? {};
    assert.deepEqual(
      [attempt, reason, bank_code, will_retry, dispute_id, returned_amount],
      [1, 'payment_disputed', null, false, disputeId, 10_000],
    );
    for (const action of ['confirm', 'cancel', 'refunds']) {
      refusal(await stage.request('POST', `/payment_intents/${id}/${action}`, {}), 422, 'invalid_state');
    }
    refusal(await dispute(id), 422, 'invalid_state');
  });

  it('hold what refunds have left, and what is lost adds up with them to the payment', async () => {
    const its = await payer();
    const id = await paid(its);
    await refund(id, 2_500);
    assert.equal((await opened(id, 'lost')).amount, 7_500);
    await stage.advance(its.clock, '2027-03-12T10:00:00Z');
    const intent = await stage.merchant.getIntent(id);
    assert.deepEqual(
      [intent.total_refunded_amount, intent.total_returned_amount, intent.net_collected_amount],
      [2_500, 7_500, 0],
    );
    assert.deepEqual(await rows(its.clock, `&payment_intent_id=${id}`), [
      'payment charge 10000 205 9795',
      'refund refund -2500 0 -2500',
      'dispute dispute -7500 0 -7500',
    ]);
    const statement = await get(`/customers/${its.customer}/statement?from=2027-03-01&to=2027-03-31`);
    assert.deepEqual(
      statement.totals.map(({ collected, refunded, returned, owed }: Record<string, number>) => [
        collected,
        refunded,
        returned,
        owed,
      ]),
      [[10_000, 2_500, 7_500, 10_000]],
    );
  });

  it('are refused of a payment that was refunded in full, has not succeeded or is a bank debit', async () => {
    const its = await payer(null);
    const refunded = await paid(its);
    await refund(refunded);
    const untried = await stage.merchant.intent({ customer_id: its.customer });
    const { id: debit } = await debits.debit(await debits.payer(), 'settled');
    const before = await rowCounts(stage);
    for (const id of [refunded, untried.id, debit]) {
      for (const body of [{}, { result: 'won' }, { result: 'lost' }])
        refusal(await dispute(id, body), 422, 'invalid_state');
    }
    assert.deepEqual(await rowCounts(stage), before);
    refusal(await dispute(refunded, { result: 'draw' }), 400);
    refusal(await dispute(refunded, { results: 'won' }), 400);
    assert.equal((await dispute('pi_sandbox_none')).status, 404);
  });

  it('of a debit that has settled are refused too: its bank takes it back', async () => {
    const debtor = await debits.payer();
    const { id } = await debits.debit(debtor, 'settled');
    await stage.advance(debtor.clock, '2027-03-02T22:00:00.000Z');
    const refused = await dispute(id);
    refusal(refused, 422, 'invalid_state');
    assert.match(refused.text, /bank_result/);
  });

  it('get their result by a second call, ten days from then; a third is refused', async () => {
    const its = await payer();
    const id = await paid(its);
    const open = await opened(id);
    refusal(await dispute(id), 422, 'invalid_state');
    await stage.advance(its.clock, '2027-03-05T00:00:00Z');
    const told = await opened(id, 'lost');
    assert.deepEqual([told.id, told.status, told.closes_at], [open.id, 'needs_response', '2027-03-15T00:00:00.000Z']);
    for (const body of [{}, { result: 'won' }, { result: 'lost' }])
      refusal(await dispute(id, body), 422, 'invalid_state');
    await stage.advance(its.clock, '2027-03-16T00:00:00Z');
    assert.equal((await get(`/disputes/${open.id}`)).status, 'lost');
  });

  it('keep the payment from being refunded while they are open, at once with the opening too', async () => {
    const its = await payer(null);
    const id = await paid(its);
    const [disputed, refunded] = await Promise.all([dispute(id), refund(id)]);
    const outcome = [disputed.status, refunded.status].join(' ');
    assert.ok(['200 422', '422 201'].includes(outcome), outcome);
    const other = await paid(its);
    await opened(other);
    const before = await rowCounts(stage);
    refusal(await refund(other), 422, 'invalid_state');
    refusal(await refund(other, 1), 422, 'invalid_state');
    assert.deepEqual(await rowCounts(stage), before);
  });

  it('of several that are opened at once are one', async () => {
    const id = await paid(await payer(null));
    const replies = await Promise.all([dispute(id, { result: 'won' }), dispute(id, { result: 'won' }), dispute(id)]);
    const taken = replies.filter(({ status }) => status === 200);
    assert.ok(taken.length === 1 || taken.length === 2, replies.map(({ text }) => text).join());
    const { data } = await get(`/disputes?payment_intent_id=${id}`);
    assert.deepEqual(new Set(taken.map(({ body }) => body.id)), new Set([data[0].id]));
    assert.equal(data.length, 1);
  });

  it('close in real time by housekeeping, once, however many processes do it', async () => {
    const [won, lost, open] = await Promise.all(
      (['won', 'lost', undefined] as const).map(async (result) => opened(await paid(await payer(null)), result)),
    );
    const close = (at: RealInstant) => closeDisputesInRealTime(stage.db.sql, chargeHook, at);
    const later = (days: number) => new Date(realNow().getTime() + days * day) as RealInstant;
    await close(later(9));
    assert.equal((await get(`/disputes/${won.id}`)).status, 'needs_response');
    await Promise.all([close(later(11)), close(later(11)), close(later(11))]);
    const statusOf = async ({ id }: { id: string }) => (await get(`/disputes/${id}`)).status;
    assert.deepEqual(await Promise.all([won, lost, open].map(statusOf)), ['won', 'lost', 'needs_response']);
    assert.equal((await stage.merchant.events({ event_type: 'dispute.won' })).length, 1);
    assert.equal((await stage.merchant.events({ event_type: 'payment_intent.returned' })).length, 1);
    await postEvents(stage.db.sql, { billerId: stage.keys.biller.id, livemode: false });
    const [balance] = (await get('/balance')).data;
    assert.equal(balance.held, 10_000);
  });

  it('that cannot be closed stay open as they were, hold up no other, and are closed later', async () => {
    const its = await payer(null);
    const start_date = realNow().toISOString().slice(0, 10);
    const terms = { customer_id: its.customer, payment_instrument_id: its.card, start_date };
    const plan = await stage.merchant.activePlan(terms);
    await stage.collect(plan.id, realNow());
    const [first] = await stage.merchant.payments(plan.id);
    const broken = await opened(first?.payment_intent_id ?? '', 'lost');
    const other = await opened(await paid(await payer(null)), 'lost');
    const at = new Date(realNow().getTime() + 11 * day) as RealInstant;
    const dying: typeof chargeHook = async (tx, charge) => {
      const recorder = await chargeHook(tx, charge);
      if (charge.paymentPlanId === null || recorder === null) return recorder;
      return { ...recorder, returned: () => Promise.reject(new Error('the process dies')) };
    };
    const statusOf = async ({ id }: { id: string }) => (await get(`/disputes/${id}`)).status;
    await assert.rejects(closeDisputesInRealTime(stage.db.sql, dying, at), AggregateError);
    assert.deepEqual([await statusOf(broken), await statusOf(other)], ['needs_response', 'lost']);
    assert.equal((await stage.merchant.getIntent(broken.payment_intent_id)).status, 'succeeded');
    const stuck = async () => (await findKind(stage.db.sql, disputeOverdue, at)).found;
    assert.ok(
      (await stuck()).some(({ subject_id: id }) => id === broken.id),
      'ops stuck names it',
    );
    await closeDisputesInRealTime(stage.db.sql, chargeHook, at);
    assert.ok((await stuck()).every(({ subject_id: id }) => id !== broken.id));
    assert.equal(await statusOf(broken), 'lost');
    const { state, collected_amount_cents: collected } = await stage.merchant.getPlan(plan.id);
    assert.deepEqual([state, collected], ['suspended', 0]);
  });

  it('after a payout leave less than nothing, and no payout before that is made up', async () => {
    const its = await payer();
    const id = await paid(its);
    await stage.advance(its.clock, '2027-03-04T10:00:00Z');
    await opened(id, 'lost');
    await paid(its, 2_000);
    await stage.advance(its.clock, '2027-03-20T00:00:00Z');
    const payouts = (await get(`/payouts?test_clock=${its.clock}`)).data;
    assert.deepEqual(
      payouts.map(({ amount, paid_out_on }: Record<string, unknown>) => [amount, paid_out_on]),
      [[9_795, '2027-03-03']],
    );
    const [balance] = (await get(`/balance?test_clock=${its.clock}`)).data;
    assert.deepEqual([balance.held, balance.available], [0, -10_000 + 2_000 - 65]);
  });

  it('that are won are paid out again', async () => {
    const its = await payer();
    const id = await paid(its);
    await opened(id, 'won');
    await stage.advance(its.clock, '2027-03-20T00:00:00Z');
    const payouts = (await get(`/payouts?test_clock=${its.clock}`)).data;
    assert.deepEqual(
      payouts.map(({ amount, paid_out_on }: Record<string, unknown>) => [amount, paid_out_on]),
      [[9_795, '2027-03-12']],
    );
  });

  it('suspend a plan when they are lost, which takes what it has collected back', async () => {
    const its = await payer('2027-03-01T00:00:00Z');
    const plan = await stage.merchant.activePlan({
      customer_id: its.customer,
      payment_instrument_id: its.card,
      start_date: '2027-03-02',
    });
    await stage.advance(its.clock, '2027-03-03T00:00:00Z');
    const [first] = await stage.merchant.payments(plan.id);
    await opened(first?.payment_intent_id ?? '', 'lost');
    await stage.advance(its.clock, '2027-03-14T00:00:00Z');
    const now = await stage.merchant.getPlan(plan.id);
    assert.deepEqual(
      [now.state, now.state_reason, now.collected_amount_cents],
      ['suspended', 'payment_returned', 1_000],
    );
    assert.deepEqual(await story(its.clock), [
      '2027-03-03T00:00 dispute.opened',
      '2027-03-09T00:00 payment_intent.succeeded',
      '2027-03-13T00:00 dispute.lost',
      '2027-03-13T00:00 payment_intent.returned',
      '2027-03-13T00:00 payment_plan.suspended',
    ]);
    // The biller resumes it: what came back is collected again, and can be disputed again.
    await stage.merchant.move(plan.id, 'resume');
    await stage.advance(its.clock, '2027-03-14T01:00:00Z');
    const again = await stage.merchant.getIntent(first?.payment_intent_id ?? '');
    assert.deepEqual(
      [again.status, again.net_collected_amount, again.total_returned_amount],
      ['succeeded', 1_000, 1_000],
    );
    assert.equal((await opened(again.id, 'won')).amount, 1_000);
    assert.equal((await get(`/disputes?test_clock=${its.clock}&payment_intent_id=${again.id}`)).data.length, 2);
  });

  it('stand in the order of the time of a clock, however it is advanced, and as a dry run says', async () => {
    const stories = [];
    for (const stepDays of [14, 7, 1]) {
      const its = await payer('2027-03-01T00:00:00Z');
      const plan = await stage.merchant.activePlan({
        customer_id: its.customer,
        payment_instrument_id: its.card,
        start_date: '2027-03-01',
      });
      await stage.advance(its.clock, '2027-03-01T12:00:00Z');
      const [first] = await stage.merchant.payments(plan.id);
      await opened(first?.payment_intent_id ?? '', 'lost');
      await opened(await paid(its, 5_000), 'won');
      const foretold = await stage.request('POST', `/test_helpers/test_clocks/${its.clock}/advance`, {
        frozen_time: '2027-03-15T12:00:00Z',
        dry_run: true,
      });
      for (let at = Date.parse('2027-03-01T12:00:00Z'); at < Date.parse('2027-03-15T12:00:00Z'); ) {
        at += stepDays * day;
        await stage.advance(its.clock, new Date(at).toISOString());
      }
      const events = await stage.merchant.events({ test_clock: its.clock });
      const told = events.filter(({ event_type: type }) => !type.startsWith('test_clock.'));
      stories.push(told.map(({ created_at: at, event_type: type }) => `${at} ${type}`));
      const { data: effects } = await get(`/test_helpers/test_clocks/${its.clock}/effects?limit=100`);
      const lines = (list: { at: string; event_type: string }[]) =>
        list.map(({ at, event_type: type }) => `${at} ${type}`);
      assert.deepEqual(lines(foretold.body.effects), lines(effects), foretold.text);
      const closed = effects.filter(({ object }: { object: string }) => object === 'dispute');
      assert.deepEqual(
        closed.map(({ event_type: type, changes }: { event_type: string; changes: object }) => [type, changes]),
        [
          ['dispute.lost', { status: 'lost', amount: 1_000, currency: 'AUD', closed_at: '2027-03-11T12:00:00.000Z' }],
          ['dispute.won', { status: 'won', amount: 5_000, currency: 'AUD', closed_at: '2027-03-11T12:00:00.000Z' }],
        ],
      );
    }
    const [long, weekly, daily] = stories;
    assert.deepEqual([weekly, daily], [long, long]);
  });

  it('are listed by status, payment, customer, currency and clock, and are gone with their clock', async () => {
    const its = await payer();
    const [a, b] = [await paid(its), await paid(its, 500)];
    const [first, second] = [await opened(a), await opened(b, 'won')];
    await stage.advance(its.clock, '2027-03-12T10:00:00Z');
    const ids = async (query: string) => (await get(`/disputes?${query}`)).data.map(({ id }: { id: string }) => id);
    const clock = `test_clock=${its.clock}`;
    assert.deepEqual(await ids(''), []);
    assert.deepEqual(await ids(clock), [second.id, first.id]);
    assert.deepEqual(await ids(`${clock}&limit=1`), [second.id]);
    assert.deepEqual(await ids(`${clock}&starting_after=${second.id}`), [first.id]);
    assert.deepEqual(await ids(`${clock}&status=won`), [second.id]);
    assert.deepEqual(await ids(`${clock}&payment_intent_id=${a}`), [first.id]);
    assert.deepEqual(await ids(`${clock}&customer_id=${its.customer}&currency=AUD`), [second.id, first.id]);
    assert.deepEqual(await ids(`${clock}&currency=USD`), []);
    assert.equal((await stage.request('GET', '/disputes?status=open')).status, 400);
    assert.equal((await stage.request('GET', '/disputes?starting_after=dp_none')).status, 400);
    await stage.merchant.deleteClock(its.clock);
    assert.equal((await stage.request('GET', `/disputes/${first.id}`)).status, 404);
    assert.deepEqual(await ids(clock), []);
  });

  it('are opened with a sandbox key that may write payments only, and of its own biller only', async () => {
    const id = await paid(await payer(null));
    const stranger = await stage.stranger();
    const path = `/test_helpers/payment_intents/${id}/dispute`;
    assert.equal((await stranger.merchant.request('POST', path, {})).status, 404);
    const live = await stage.api.send('POST', `/api/v1${path}`, { key: stage.keys.liveSecret, body: {} });
    assert.equal(`${live.status} ${live.body.error.code}`, '403 sandbox_only');
    const send = (key: string) => stage.api.send('POST', `/api/v1${path}`, { key, body: {} });
    assert.equal((await send(stage.keys.sandboxPublishable)).status, 403);
    const { key: reader } = await makeKey(stage.db.sql, { billerId: stage.keys.biller.id, scopes: ['balance:read'] });
    assert.equal((await send(reader)).status, 403);
    const scopes = ['payment_intents:write'] as const;
    const { key: writer } = await makeKey(stage.db.sql, { billerId: stage.keys.biller.id, scopes: [...scopes] });
    assert.equal((await stage.api.send('GET', '/api/v1/disputes', { key: writer })).status, 403);
    assert.deepEqual((await get(`/disputes?payment_intent_id=${id}`)).data, []);
    const { id: disputeId } = (await send(writer)).body;
    assert.equal((await stage.api.send('GET', `/api/v1/disputes/${disputeId}`, { key: reader })).status, 200);
    assert.equal((await stranger.merchant.request('GET', `/disputes/${disputeId}`)).status, 404);
    assert.deepEqual((await stranger.merchant.request('GET', '/disputes')).body.data, []);
  });
});
