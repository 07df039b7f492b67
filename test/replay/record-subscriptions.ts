// Records the histories of subscriptions: npx mocha test/replay/record-subscriptions.ts. See record.ts.
import assert from 'node:assert/strict';
import { letPeriodBegin } from '../../lab/due-dates.ts';
import { eventually } from '../../lab/eventually.ts';
import { workflowIdOf } from '../../src/messages/workflow-types.ts';
import { atomically } from '../../src/platform/postgres/transaction.ts';
import { realNow } from '../../src/platform/real-time.ts';
import { useService } from '../support/service.ts';
import { useRecorder } from './recorder.ts';

const items = [{ name: 'Membership', unit_amount_cents: 4900 }];
const terms = { name: 'Membership', currency: 'AUD', frequency_type: 'monthly', items } as const;

describe('recording histories of subscriptions', function () {
  this.timeout(60_000);
  const service = useService({ isAlone: true });
  const { keep, signal, send } = useRecorder(service, (name) => name.startsWith('subscription-'));

  it('records one on a clock with a trial, a decline, a pause that ends on its own and an end', async () => {
    const merchant = await service.merchant();
    const { clock, payer } = await merchant.payerOnClock('2027-01-10T00:00:00Z');
    const { subscriptions } = merchant.client;
    const metadata = { _sandbox_outcome_by_period: 'succeed;decline,succeed;succeed' };
    const { id } = await subscriptions.create({ ...terms, customer_id: payer.id, trial_days: 10, metadata });
    await subscriptions.start(id);
    for (const day of ['02-01', '03-10']) await merchant.advance(clock.id, `2027-${day}T00:00:00Z`);
    await subscriptions.pause(id, { resumes_at: '2027-04-05' });
    await merchant.advance(clock.id, '2027-04-10T00:00:00Z');
    await subscriptions.cancel(id, {});
    await merchant.advance(clock.id, '2027-05-10T00:00:00Z');
    await keep('subscription-on-a-clock-lives-from-trial-to-end', workflowIdOf('subscription', id));
  });

  it('records one on a clock whose payment is given up, which refuses a command and is charged again', async () => {
    const merchant = await service.merchant();
    const { clock, payer } = await merchant.payerOnClock('2027-01-10T00:00:00Z');
    const { subscriptions } = merchant.client;
    const metadata = { _sandbox_outcome_by_period: 'succeed;decline,decline,decline,decline,succeed' };
    const { id } = await subscriptions.create({ ...terms, customer_id: payer.id, metadata });
    await subscriptions.start(id);
    await merchant.advance(clock.id, '2027-02-20T00:00:00Z');
    // An operator has to wait a minute after an attempt. Its biller has not.
    await assert.rejects(send(workflowIdOf('subscription', id), 'retryNow'));
    await subscriptions.retry(id);
    await eventually('it is active again', async () => (await subscriptions.get(id)).state === 'active');
    await subscriptions.cancel(id, { at: 'now' });
    await keep('subscription-on-a-clock-is-given-up-and-charged-again', workflowIdOf('subscription', id));
  });

  it('records one in real time that is rechecked, renewed by its timer and canceled', async () => {
    const merchant = await service.merchant();
    const payer = await merchant.payer();
    const { subscriptions } = merchant.client;
    const { id } = await subscriptions.create({ ...terms, frequency_type: 'weekly', customer_id: payer.id });
    await subscriptions.start(id);
    const workflowId = workflowIdOf('subscription', id);
    await signal(workflowId, 'recheck');
    await send(workflowId, 'recheck');
    const due = new Date(realNow().getTime() + 1000);
    await atomically(service.db.sql, (tx) => letPeriodBegin(tx, [id], due));
    await signal(workflowId, 'recheck');
    await eventually('it is renewed', async () => (await subscriptions.get(id)).paid_periods === 2);
    await subscriptions.cancel(id, { at: 'now' });
    await keep('subscription-in-real-time-is-renewed-and-canceled', workflowId);
  });
});
