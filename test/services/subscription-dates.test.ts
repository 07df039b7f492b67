import assert from 'node:assert/strict';
import { findViolations } from '../../src/operations/invariants/invariants.ts';
import { realNow } from '../../src/platform/real-time.ts';
import { listAudit } from '../../src/services/accounts/audit.ts';
import { executeSubscriptionCommand } from '../../src/services/subjects/operator-commands.ts';
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

  it('are found if they are a period’s and its calendar does not give them', async () => {
    const id = await subscriber.started();
    await stage.db.sql`update subscription_periods set end_date = '2027-02-09' where subscription_id = ${id}`;
    assert.match(
      (await wrong()).join(),
      /period 1 is from 2027-01-10 to 2027-02-09, but its calendar gives 2027-01-10 to 2027-02-10/,
    );
    await stage.db.sql`update subscription_periods set end_date = '2027-02-10' where subscription_id = ${id}`;
  });

  it('that its calendar does not give stall it: no period begins and nothing is charged, until a recheck', async () => {
    const id = await subscriber.started();
    await stage.db.sql`update subscriptions set next_period_at = '2027-01-10' where id = ${id}`;
    await assert.rejects(stage.collectSubscription(id, '2027-01-10T09:00:00Z'), {
      message:
        'its next period or its end is set to 2027-01-10T00:00:00.000Z, but its periods give 2027-02-10T00:00:00.000Z. ' +
        `Nothing is collected and no period begins before that is corrected: npm run --silent ops -- recheck ${id}.`,
    });
    assert.deepEqual(await subscriber.periods(id), ['1 2027-01-10 2027-02-10 paid 4900']);
    await recheck(id);
    await stage.collectSubscriptionAll(id, '2027-02-10T00:00:00Z');
    assert.equal((await subscriber.periods(id)).length, 2);
  });

  it('stall it if dunning does not give that of a retry: it is not charged again before a recheck sets the date', async () => {
    const { id, retryAt } = await pastDue();
    const early = new Date(Date.parse(retryAt) - 4 * 3_600_000);
    await stage.db
      .sql`update subscription_periods set next_attempt_at = ${early} where subscription_id = ${id} and number = 2`;
    await stage.db.sql`update subscriptions set next_attempt_at = ${early} where id = ${id}`;
    const taken = stage.ledger.taken.size;
    await assert.rejects(
      stage.collectSubscription(id, early.toISOString()),
      new RegExp(`the retry of period 2 is set to ${early.toISOString()}, but dunning gives ${retryAt}\\. Nothing is`),
    );
    assert.match((await wrong()).join(), /the retry of period 2 is set to/);
    assert.match(await recheck(id), new RegExp(`retry of period 2, attempt 2, at ${retryAt}`));
    assert.deepEqual(await wrong(), []);
    assert.equal(stage.ledger.taken.size, taken);
    await stage.collectSubscriptionAll(id, retryAt);
    assert.equal((await subscriber.get(id)).state, 'active');
  });

  it('are no error for a retry that a biller asked for: it is made at that instant', async () => {
    const { id } = await pastDue();
    assert.equal((await subscriber.ask(id, 'retry_now')).state, 'active');
    assert.deepEqual(await wrong(), []);
  });

  it('stall it if its calendar does not give those of the current period, and the reason names a back-up', async () => {
    const id = await subscriber.started();
    await stage.db.sql`update subscription_periods set end_date = '2027-02-08' where subscription_id = ${id}`;
    await assert.rejects(
      stage.collectSubscription(id, '2027-02-10T00:00:00Z'),
      /period 1 is from 2027-01-10 to 2027-02-08, but .* restore the period from a back-up, then npm run --silent ops/,
    );
    await stage.db.sql`update subscription_periods set end_date = '2027-02-10' where subscription_id = ${id}`;
  });

  /** Its second period was declined once. */
  async function pastDue(): Promise<{ id: string; retryAt: string }> {
    const metadata = { _sandbox_outcome_by_period: 'succeed;decline,succeed' };
    const id = await subscriber.started({ metadata });
    await subscriber.here.advance('2027-02-10T00:00:00Z');
    const { state, next_attempt_at: retryAt } = await subscriber.get(id);
    assert.equal(state, 'past_due');
    return { id, retryAt: new Date(retryAt).toISOString() };
  }
});
