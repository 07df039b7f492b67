import assert from 'node:assert/strict';
import { describe, it } from 'mocha';
import { beginLife } from '../pairs/lives.ts';
import { useInvariants } from '../support/database.ts';
import { useStage } from '../support/stage.ts';
import { commonEnds, requests, testEnds } from './cells.ts';

const ask = (request: string, body?: object) => requests((id) => `/subscriptions/${id}/${request}`, body);

describe('what an end of a subscription does to its payments', () => {
  testEnds('subscription', {
    pause: ask('pause'),
    cancelAtEnd: ask('cancel', { at: 'period_end' }),
    cancelNow: ask('cancel', { at: 'now' }),
    ...commonEnds,
  });
});

describe('a detached method and the first payment of a subscription', () => {
  const stage = useStage();
  useInvariants(stage.db);

  it('leave nothing to confirm: the subscription is started again', async () => {
    const { id: clock } = await stage.merchant.clock('2027-02-01T00:00:00.000Z');
    const life = beginLife(stage, clock);
    const { customer: customer_id, account } = await life.debtor();
    const good = await life.card(customer_id);
    const gym = await life.started({ name: 'gym', customer_id, payment_instrument_id: account });
    const [intent = ''] = await life.intentsOf(gym);
    await life.detaches(account);
    assert.deepEqual(await life.shows('payment_intents', intent, 'status'), ['failed']);
    const confirm = await life.request('POST', `/payment_intents/${intent}/confirm`, { payment_method: good });
    assert.equal(confirm.body.error?.code, 'invalid_state');
    await life.ask('PUT', `/subscriptions/${gym}`, { payment_instrument_id: good });
    await life.does('subscriptions', gym, 'start');
    assert.deepEqual(await life.shows('subscriptions', gym, 'state', 'in_effect'), ['active', true]);
    await life.holds();
  });
});
