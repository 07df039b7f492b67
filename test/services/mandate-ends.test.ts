import assert from 'node:assert/strict';
import { describe, it } from 'mocha';
import type { ReturnReason } from '../../src/domain/schemes/scheme-profile.ts';
import { atomically } from '../../src/platform/postgres/transaction.ts';
import { realNow } from '../../src/platform/real-time.ts';
import { recordEvents } from '../../src/services/events.ts';
import { endEvent, endMandateAfterReturn } from '../../src/services/mandates/mandate-ends.ts';
import { useDebtor } from '../support/debtor.ts';
import { useStage } from '../support/stage.ts';

describe('a debit that the bank refuses or takes back', () => {
  const stage = useStage();
  const here = useDebtor(stage);

  /** What the result of a debit does in its transaction. */
  const returned = (id: string, reason: ReturnReason) =>
    atomically(stage.db.sql, async (tx) => {
      const now = realNow();
      const origin = { billerId: stage.keys.biller.id, livemode: false, requestId: null, now };
      const events = await endMandateAfterReturn(tx, id, reason, now);
      await recordEvents(tx, origin, events);
      return events.length;
    });

  for (const [reason, status] of [
    ['account_invalid', 'failed'],
    ['account_closed', 'failed'],
    ['account_holder_deceased', 'failed'],
    ['payment_stopped', 'canceled'],
    ['debit_disputed', 'canceled'],
  ] as const) {
    it(`because of ${reason} ends the mandate as ${status}, with one event, once`, async () => {
      const { id } = await here.active();
      assert.deepEqual([await returned(id, reason), await returned(id, reason)], [1, 0]);
      const mandate = await here.get(id);
      assert.deepEqual([mandate.status, mandate.status_reason], [status, reason]);
      const [event, ...more] = await stage.merchant.events({ event_type: `mandate.${status}` });
      assert.deepEqual([event?.data, more], [mandate, []]);
    });
  }

  it('for a lack of funds leaves the mandate active, and sends nothing about it', async () => {
    const { id } = await here.active();
    assert.equal(await returned(id, 'insufficient_funds'), 0);
    assert.equal((await here.get(id)).status, 'active');
  });

  it('does not end a mandate again that has ended otherwise, nor one that was deleted', async () => {
    const { id } = await here.active();
    await here.cancel(id);
    assert.equal(await returned(id, 'account_closed'), 0);
    assert.equal((await here.get(id)).status_reason, 'requested');
    assert.equal(await returned('mdt_00000000000000000000000000000000', 'account_closed'), 0);
  });

  it('has no event before the mandate has ended', async () => {
    const { id } = await here.active();
    const [row] = await stage.db.sql`select * from mandates where id = ${id}`;
    assert.throws(() => endEvent(row as Parameters<typeof endEvent>[0]), TypeError);
  });
});
