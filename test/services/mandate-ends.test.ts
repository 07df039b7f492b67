import assert from 'node:assert/strict';
import { describe, it } from 'mocha';
import { withoutClock } from '../../src/domain/instants.ts';
import type { ReturnReason } from '../../src/domain/schemes/scheme-profile.ts';
import { realNow } from '../../src/platform/real-time.ts';
import { transact } from '../../src/services/events.ts';
import { endEvent, endMandateAfterReturn } from '../../src/services/mandates/mandate-ends.ts';
import { useDebtor } from '../support/debtor.ts';
import { useStage } from '../support/stage.ts';

describe('a debit that the bank refuses or takes back', () => {
  const stage = useStage();
  const here = useDebtor(stage);

  /** What the result of a debit does in its transaction. */
  const returned = (id: string, reason: ReturnReason) => {
    const now = realNow();
    return transact(stage.db.sql, { requestId: null, now }, (tx) =>
      endMandateAfterReturn(tx, id, reason, withoutClock(now)),
    );
  };

  for (const [reason, status] of [
    ['account_invalid', 'failed'],
    ['account_closed', 'failed'],
    ['account_holder_deceased', 'failed'],
    ['payment_stopped', 'canceled'],
    ['debit_disputed', 'canceled'],
  ] as const) {
    it(`because of ${reason} ends the mandate as ${status}, with one event, once`, async () => {
      const { id } = await here.active();
      assert.deepEqual([await returned(id, reason), await returned(id, reason)], [true, false]);
      const mandate = await here.get(id);
      assert.deepEqual([mandate.status, mandate.status_reason], [status, reason]);
      const [event, ...more] = await stage.merchant.events({ event_type: `mandate.${status}` });
      assert.deepEqual([event?.data, more], [mandate, []]);
    });
  }

  it('leaves the mandate active for a lack of funds, and sends nothing about it', async () => {
    const { id } = await here.active();
    assert.equal(await returned(id, 'insufficient_funds'), false);
    assert.equal((await here.get(id)).status, 'active');
  });

  it('does not end a mandate again that has ended otherwise, nor one that was deleted', async () => {
    const { id } = await here.active();
    await here.cancel(id);
    assert.equal(await returned(id, 'account_closed'), false);
    assert.equal((await here.get(id)).status_reason, 'requested');
    assert.equal(await returned('mdt_00000000000000000000000000000000', 'account_closed'), false);
  });

  it('has no event before the mandate has ended', async () => {
    const { id } = await here.active();
    const [row] = await stage.db.sql`select * from mandates where id = ${id}`;
    assert.throws(() => endEvent(row as Parameters<typeof endEvent>[0]), TypeError);
  });
});
