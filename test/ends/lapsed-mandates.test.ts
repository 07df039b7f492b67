import assert from 'node:assert/strict';
import { describe, it } from 'mocha';
import { beginLife } from '../pairs/lives.ts';
import { useInvariants } from '../support/database.ts';
import { useStage } from '../support/stage.ts';
import { paymentsAtEnds } from './payments-at-ends.ts';

describe('a mandate that lapses', () => {
  const stage = useStage();
  useInvariants(stage.db);

  it('does to the next payments what one that is canceled does', async () => {
    const { id: clock } = await stage.merchant.clock('2027-01-25T00:00:00.000Z');
    const life = beginLife(stage, clock);
    const { customer: customer_id, account, mandate } = await life.debtor();
    const good = await life.card(customer_id);
    const due = '2028-05-03';
    const plan = await life.plan({ name: 'plan', customer_id, start_date: due });
    await life.to('2027-06-01', { isForetold: false });
    const scheduled = await life.intent('scheduled', {
      ...{ customer_id, payment_method: account, scheduled_payment_date: due },
    });
    await life.to('2028-05-10', { isForetold: false });
    assert.deepEqual(await life.shows('mandates', mandate, 'status'), ['expired']);
    for (const [kind, intent] of [
      ['plan', String((await life.intentsOf(plan))[0])],
      ['scheduled', scheduled],
    ] as const) {
      assert.equal(paymentsAtEnds[kind].mandate.scheduled, 'fails');
      const { status, last_payment_error: error } = await stage.merchant.getIntent(intent);
      assert.deepEqual([status, error?.code], ['failed', 'mandate_unavailable']);
      assert.equal((await life.confirms(intent, good)).status, 'succeeded');
    }
    await life.holds();
  });
});
