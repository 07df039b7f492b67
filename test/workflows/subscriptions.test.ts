import assert from 'node:assert/strict';
import { describe, it } from 'mocha';
import { letPeriodBegin } from '../../lab/due-dates.ts';
import { eventually } from '../../lab/eventually.ts';
import { workflowIdOf } from '../../src/messages/workflow-types.ts';
import { sendCommand } from '../../src/operations/operator-commands.ts';
import { findMismatches, reconcile } from '../../src/operations/reconciler/reconciler.ts';
import { atomically } from '../../src/platform/postgres/transaction.ts';
import { realNow } from '../../src/platform/real-time.ts';
import { listAudit } from '../../src/services/accounts/audit.ts';
import { useService } from '../support/service.ts';

describe('the workflow of a subscription', () => {
  const service = useService({ isAlone: true });
  const items = [{ name: 'Membership', unit_amount_cents: 4900 }];
  const terms = { name: 'Membership', currency: 'AUD', frequency_type: 'monthly', items } as const;
  const weekly = { ...terms, frequency_type: 'weekly' } as const;
  const statusOf = async (id: string): Promise<string> => {
    const handle = service.temporal.workflow.getHandle(workflowIdOf('subscription', id));
    return (await handle.describe()).status.name;
  };

  it('rolls a year over on a test clock, with a trial, a decline, a pause and the end', async function () {
    this.timeout(60_000);
    const merchant = await service.merchant();
    const { clock, payer } = await merchant.payerOnClock('2027-01-01T00:00:00Z');
    const { subscriptions } = merchant.client;
    const metadata = { _sandbox_outcome_by_period: 'succeed;decline,succeed;succeed' };
    const { id } = await subscriptions.create({ ...terms, customer_id: payer.id, trial_days: 31, metadata });
    assert.equal((await subscriptions.start(id)).state, 'trialing');
    await merchant.advance(clock.id, '2027-02-28T00:00:00Z');
    await merchant.advance(clock.id, '2027-04-28T00:00:00Z');
    assert.equal((await subscriptions.get(id)).paid_periods, 3);
    await subscriptions.pause(id, { resumes_at: '2027-06-15' });
    await merchant.advance(clock.id, '2027-06-20T00:00:00Z');
    await subscriptions.cancel(id, {});
    await merchant.advance(clock.id, '2027-08-01T00:00:00Z');
    const ended = await subscriptions.get(id);
    assert.deepEqual([ended.state, ended.in_effect, ended.paid_periods], ['canceled', false, 4]);
    const periods = await subscriptions.listPeriods(id).toArray();
    assert.deepEqual(
      periods.reverse().map(({ start, end, status }) => `${start} ${end} ${status}`),
      [
        '2027-01-01 2027-02-01 paid',
        '2027-02-01 2027-03-01 paid',
        '2027-03-01 2027-04-01 paid',
        '2027-04-01 2027-05-01 paid',
        '2027-06-15 2027-07-15 paid',
      ],
    );
    await eventually('its workflow has ended', async () => (await statusOf(id)) === 'COMPLETED');
    const manifests = await merchant.manifests(clock.id);
    assert.deepEqual(
      manifests.map(({ subscriptions_rolled: rolled }) => rolled),
      [1, 1, 1, 0],
    );
  });

  it('begins a period in real time, and takes an operator’s retryNow for what is unpaid', async () => {
    const merchant = await service.merchant();
    const payer = await merchant.payer();
    const { subscriptions } = merchant.client;
    const metadata = { _sandbox_outcome_by_period: 'succeed;decline,succeed' };
    const { id } = await subscriptions.create({ ...weekly, customer_id: payer.id, metadata });
    await subscriptions.start(id);
    await eventually('its workflow runs', async () => (await statusOf(id).catch(() => '')) === 'RUNNING');
    // As a week later: its second period begins now.
    await atomically(service.db.sql, (tx) => letPeriodBegin(tx, [id], realNow()));
    const operations = { sql: service.db.sql, sides: service.sides, by: { kind: 'command_line' as const, id: 'ada' } };
    assert.match(String(await sendCommand(operations, id, { name: 'recheck' })), /^Read again: (active|past_due)/);
    await eventually('it is past due', async () => (await subscriptions.get(id)).state === 'past_due');
    const attempt = await sendCommand(operations, id, { name: 'retryNow' }).catch((error: Error) => error.message);
    assert.match(String(attempt), /Send it again after a minute/);
    await service.db.sql`
      update payment_attempts set settled_at = now() - interval '2 minutes', opened_at = now() - interval '2 minutes'
      where payment_intent_id in (select id from payment_intents where subscription_id = ${id})`;
    assert.match(
      String(await sendCommand(operations, id, { name: 'retryNow' })),
      /^Period 2 is being tried again, attempt 2\.$/,
    );
    await eventually('it has recovered', async () => (await subscriptions.get(id)).state === 'active');
    const log = await listAudit(service.db.sql, { limit: 100 });
    const actions = log.filter(({ subject_id: about }) => about === id).map(({ action }) => action);
    assert.deepEqual(actions.sort(), ['subscription.rechecked', 'subscription.retried_now']);
  });

  it('is started again by a comparison after it was terminated', async () => {
    const merchant = await service.merchant();
    const payer = await merchant.payer();
    const { id } = await merchant.client.subscriptions.create({ ...terms, customer_id: payer.id });
    await merchant.client.subscriptions.start(id);
    await eventually('its workflow runs', async () => (await statusOf(id).catch(() => '')) === 'RUNNING');
    await service.temporal.workflow.getHandle(workflowIdOf('subscription', id)).terminate();
    await eventually('it is missing', async () => {
      const found = await findMismatches(service.db.sql, service.sides[0]);
      return found.some(({ problem, subjectId }) => problem === 'missing' && subjectId === id);
    });
    await reconcile(service.db.sql, service.sides);
    await eventually('its workflow runs again', async () => (await statusOf(id)) === 'RUNNING');
    await eventually('both agree', async () => {
      const found = await findMismatches(service.db.sql, service.sides[0]);
      return !found.some(({ subjectId }) => subjectId === id);
    });
  });
});
