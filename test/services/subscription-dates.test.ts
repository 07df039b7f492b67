import assert from 'node:assert/strict';
import { findViolations } from '../../src/operations/invariants/invariants.ts';
import { realNow } from '../../src/platform/real-time.ts';
import { listAudit } from '../../src/services/accounts/audit.ts';
import { executeSubscriptionCommand } from '../../src/services/subscriptions/operator-commands.ts';
import { useSubscriber } from '../support/subscriber.ts';

describe('the dates of a subscription', () => {
  const subscriber = useSubscriber();
  const { stage } = subscriber;
  const wrong = async () => (await findViolations(stage.db.sql)).map(({ detail }) => detail);
  const recheck = async (id: string) =>
    executeSubscriptionCommand(
      stage.db.sql,
      id,
      { name: 'recheck', by: { kind: 'command_line', id: 'ada' } },
      realNow(),
    );

  it('that do not follow from its periods are found, and corrected by a recheck, which the audit log has', async () => {
    const id = await subscriber.started();
    assert.deepEqual(await wrong(), []);
    await stage.db.sql`update subscriptions set next_period_at = '2027-01-20' where id = ${id}`;
    assert.deepEqual(await wrong(), [
      'its next period or its end is set to 2027-01-20T00:00:00.000Z, but its periods give 2027-02-10T00:00:00.000Z',
    ]);
    assert.match(await recheck(id), /next is period 2, at 2027-02-10/);
    assert.deepEqual(await wrong(), []);
    const [entry] = await listAudit(stage.db.sql, { limit: 1 });
    assert.deepEqual(entry?.changes.next_period_at, {
      from: '2027-01-20T00:00:00.000Z',
      to: '2027-02-10T00:00:00.000Z',
    });
  });

  it('are found if they are missing', async () => {
    const id = await subscriber.started({ trial_days: 10 });
    await stage.db.sql`update subscriptions set next_period_at = null, notice_at = null where id = ${id}`;
    assert.match(
      (await wrong()).join(),
      /next period or its end is set to none.*notice of the end of its trial is set to none/,
    );
    await recheck(id);
    assert.deepEqual(await wrong(), []);
  });

  it('of a period that its calendar does not give are found', async () => {
    const id = await subscriber.started();
    await stage.db.sql`update subscription_periods set end_date = '2027-02-09' where subscription_id = ${id}`;
    assert.match(
      (await wrong()).join(),
      /period 1 is from 2027-01-10 to 2027-02-09, but its calendar gives 2027-01-10 to 2027-02-10/,
    );
    await stage.db.sql`update subscription_periods set end_date = '2027-02-10' where subscription_id = ${id}`;
  });
});
