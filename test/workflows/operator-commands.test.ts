import assert from 'node:assert/strict';
import { WorkflowUpdateFailedError } from '@temporalio/client';
import { ApplicationFailure } from '@temporalio/common';
import { eventually } from '../../lab/eventually.ts';
import { commandRefused } from '../../src/messages/operator-command.ts';
import { statusQuery } from '../../src/messages/workflow-status.ts';
import { workflowIdOf } from '../../src/messages/workflow-types.ts';
import { listAudit } from '../../src/services/accounts/audit.ts';
import { type Merchant, paymentLines } from '../support/merchant.ts';
import { useService } from '../support/service.ts';
import { useReceiver } from '../support/webhooks.ts';

describe('operator commands', function () {
  this.timeout(30_000);
  const receiver = useReceiver();
  const service = useService();
  afterEach(() => receiver.reset());

  const send = (workflowId: string, command: string, input?: unknown): Promise<string> =>
    service.temporal.workflow.getHandle(workflowId).executeUpdate<string, [unknown]>(command, { args: [input] });
  /** Why a command was refused: its Update has failed, with this reason. */
  const refusal = async (workflowId: string, command: string, input?: unknown): Promise<string> => {
    const error = await send(workflowId, command, input).then(
      (result) => assert.fail(`${command} was carried out: ${result}`),
      (thrown: unknown) => thrown,
    );
    assert.ok(error instanceof WorkflowUpdateFailedError && error.cause instanceof ApplicationFailure, String(error));
    assert.equal(error.cause.type, commandRefused);
    return error.cause.message;
  };
  const count = async (query: string): Promise<number> => (await service.temporal.workflow.count(query)).count;

  /** What the audit log says of an object, oldest first. */
  const audited = async (subjectId: string) =>
    (await listAudit(service.db.sql, { limit: 100 })).filter(({ subject_id }) => subject_id === subjectId).reverse();

  /** A weekly plan on a clock whose first payment has failed once, and is to be retried a day later. */
  async function retryingPlan(outcomes = 'decline') {
    const { merchant, clock, plan } = await service.planOnClock('2027-01-04T00:00:00Z', {
      start_date: '2027-01-05',
      metadata: { _sandbox_outcome: outcomes },
    });
    await merchant.advance(clock.id, '2027-01-05T12:00:00Z');
    return { merchant, clock, plan, workflowId: workflowIdOf('paymentPlan', plan.id) };
  }

  /** Makes the attempts of a plan so far so old that a command is no repetition. */
  const letMinutesPass = (planId: string) => service.db.sql`
    update payment_attempts set settled_at = settled_at - interval '2 minutes'
    where payment_intent_id in (select id from payment_intents where payment_plan_id = ${planId})`;

  const attemptsOf = async (merchant: Merchant, planId: string): Promise<number> =>
    (await merchant.payments(planId))[0]?.attempts.length ?? 0;

  it('retryNow makes the next attempt of an unpaid slot at once, and sent again within a minute it makes no other', async () => {
    const { merchant, plan, workflowId } = await retryingPlan('decline,decline,decline');
    await letMinutesPass(plan.id);
    assert.equal(
      await send(workflowId, 'retryNow', 'ada'),
      'Payment 1 (slot 0), due 2027-01-05, is being tried again: 10.00 AUD, attempt 2 of 4.',
    );
    await eventually('it is tried', async () => (await attemptsOf(merchant, plan.id)) === 2);
    const second = await refusal(workflowId, 'retryNow');
    assert.match(
      second,
      /^Nothing was done: payment 1 \(slot 0\), due 2027-01-05, was tried \d+ s ago, and failed: insufficient_funds/,
    );
    assert.equal(await attemptsOf(merchant, plan.id), 2);
    const { state, next_attempt_at } = await merchant.getPlan(plan.id);
    // The series goes on where it would be: its third attempt is three days after the first failure.
    assert.deepEqual([state, next_attempt_at], ['active', '2027-01-08T00:00:00.000Z']);
    assert.deepEqual(
      (await audited(plan.id)).map(({ action, actor, changes }) => [action, actor, changes]),
      [
        [
          'payment_plan.retried_now',
          { kind: 'operator', id: 'ada' },
          { 'slots/0/next_attempt_at': { from: '2027-01-06T00:00:00.000Z', to: '2027-01-05T12:00:00.000Z' } },
        ],
      ],
    );
  });

  it('skipSlot gives up the unpaid slot, once however often it is sent, and the calendar continues', async () => {
    const { merchant, clock, plan, workflowId } = await retryingPlan('decline,decline');
    const answers = await Promise.allSettled([
      send(workflowId, 'skipSlot', { slot: 0, by: { kind: 'command_line', id: 'ada' } }),
      send(workflowId, 'skipSlot', 0),
    ]);
    // Of two commands sent at once, either may be the first to arrive.
    const first = answers.findIndex(({ status }) => status === 'fulfilled');
    const [done, refused] = [answers[first], answers[1 - first]];
    assert.ok(done?.status === 'fulfilled' && refused?.status === 'rejected');
    assert.match(
      done.value,
      /^Payment 1 \(slot 0\), due 2027-01-05, is given up: its payment pi_\w+ is canceled\. The calendar continues\.$/,
    );
    assert.equal(
      refused.reason.cause?.message,
      'Nothing to skip: payment 1 (slot 0), due 2027-01-05, was given up before.',
    );
    await merchant.advance(clock.id, '2027-01-12T12:00:00Z');
    assert.deepEqual(paymentLines(await merchant.payments(plan.id)), [
      '0 failed 2027-01-05T00:00:00.000Z',
      '1 retrying 2027-01-12T00:00:00.000Z',
    ]);
    const [{ action, actor } = assert.fail('nothing was recorded'), ...others] = await audited(plan.id);
    const issuer = first === 0 ? { kind: 'command_line', id: 'ada' } : { kind: 'operator', id: 'web-ui' };
    assert.deepEqual([action, actor, others], ['payment_plan.slot_skipped', issuer, []]);
    const history = await service.temporal.workflow.getHandle(workflowId).fetchHistory();
    const sent = (history.events ?? []).filter(
      ({ workflowExecutionUpdateAcceptedEventAttributes: update }) =>
        update?.acceptedRequest?.input?.name === 'skipSlot',
    );
    assert.equal(sent.length, 2, 'the history of the plan has both');
  });

  it('skipSlot takes a slot number and nothing else, and says so', async () => {
    const { workflowId } = await retryingPlan();
    for (const wrong of [undefined, null, '0', -1, 1.5, { slot: 'first' }]) {
      const refused = await send(workflowId, 'skipSlot', wrong).catch((error: unknown) => error);
      assert.ok(refused instanceof WorkflowUpdateFailedError, `${wrong} was taken`);
      assert.match(String(refused.cause?.message), /^Send the number of the slot,/);
    }
    const tooLong = await send(workflowId, 'recheck', 'a'.repeat(101)).catch((error: unknown) => error);
    assert.ok(tooLong instanceof WorkflowUpdateFailedError);
  });

  it('a command that has nothing to do fails, and the Update, the page and the history say why', async () => {
    const { merchant, plan, workflowId } = await retryingPlan('decline,succeed');
    await refusal(workflowId, 'skipSlot', { slot: 9, by: 'ada' });
    const shown =
      /\*\*Last command:\*\* skip payment 10 \(slot 9\) \(operator ada\)\. Nothing to skip: payment 10 \(slot 9\) has not come yet/;
    await eventually('the page has the result', async () => {
      const metadata = await service.temporal.workflow
        .getHandle(workflowId)
        .query<{ currentDetails: string }>('__temporal_workflow_metadata');
      return shown.test(metadata.currentDetails);
    });
    assert.equal(
      await refusal(workflowId, 'skipSlot', 7),
      'Nothing to skip: payment 8 (slot 7) has not come yet; the next is payment 2 (slot 1).',
    );
    await letMinutesPass(plan.id);
    await send(workflowId, 'retryNow');
    await eventually('it is paid', async () => (await merchant.payments(plan.id))[0]?.status === 'paid');
    assert.equal(await refusal(workflowId, 'retryNow'), 'Nothing to retry: no payment of the plan waits for a retry.');
    assert.equal(
      await refusal(workflowId, 'skipSlot', 0),
      'Nothing to skip: payment 1 (slot 0), due 2027-01-05, is paid.',
    );
    assert.equal(
      await send(workflowId, 'recheck'),
      'Read again: active; next is payment 2 (slot 1), due 2027-01-12, attempt 1, at 2027-01-12T00:00:00.000Z.',
    );
    assert.deepEqual(
      (await audited(plan.id)).map(({ action, actor }) => [action, actor.id]),
      [
        ['payment_plan.retried_now', 'web-ui'],
        ['payment_plan.rechecked', 'web-ui'],
      ],
    );
  });

  it('a plan that has stalled is found by it, and recheck frees it', async () => {
    const { merchant, clock, plan } = await service.planOnClock('2027-01-04T00:00:00Z', { start_date: '2027-01-05' });
    const workflowId = workflowIdOf('paymentPlan', plan.id);
    const poison = service.db.sql.json({ _sandbox_outcome: 'no such word' });
    await service.db.sql`update payment_plans set metadata = ${poison} where id = ${plan.id}`;
    await merchant.beginAdvance(clock.id, '2027-01-06T00:00:00Z');
    await merchant.stopped(clock.id);
    const stalled = `WorkflowType="paymentPlan" and TestClockId="${clock.id}" and Stalled=true`;
    await eventually('it is found', async () => (await count(stalled)) === 1);
    const { stalled: stall, state } = await service.temporal.workflow.getHandle(workflowId).query(statusQuery);
    assert.equal(state, 'active');
    assert.match(stall?.reason ?? '', /^payment 1 \(slot 0\), due 2027-01-05, attempt 1: .*no such word/);
    assert.ok(Math.abs(Date.now() - (stall?.since ?? 0)) < 60_000, 'since is real time, also on a test clock');
    assert.match(
      await refusal(workflowId, 'skipSlot', 0),
      /^Not skipped: payment 1 \(slot 0\), due 2027-01-05, is being charged/,
    );
    const failed = await refusal(workflowIdOf('testClock', clock.id), 'retryAdvance');
    assert.match(failed, /^Nothing to advance: the clock has failed at .* and cannot be advanced again \(pp_/);
    await service.db.sql`update payment_intents set metadata = '{}' where payment_plan_id = ${plan.id}`;
    assert.match(await send(workflowId, 'recheck'), /^Read again: active; next is payment 2 \(slot 1\)/);
    await eventually('it is paid', async () => (await merchant.payments(plan.id))[0]?.status === 'paid');
    await eventually('it is found no more', async () => (await count(stalled)) === 0);
    const freed = await service.temporal.workflow.getHandle(workflowId).query(statusQuery);
    assert.equal(freed.stalled, null);
    assert.equal(freed.waitsFor, 'the due date of payment 2 (slot 1)');
    assert.equal(freed.nextDueAt, Date.parse('2027-01-12T00:00:00Z'));
    assert.match(freed.lastCommand ?? '', /^recheck \(an operator\)\. Read again: active/);
  });

  it('a command that is sent while a fresh run is due gets its result, and does not prevent the fresh run', async () => {
    const { workflowId } = await retryingPlan();
    const handle = service.temporal.workflow.getHandle(workflowId);
    const { runId } = await handle.describe();
    const [, answer] = await Promise.all([handle.signal('startFreshRun'), send(workflowId, 'recheck')]);
    assert.match(answer, /^Read again/);
    await eventually('it is in a fresh run', async () => (await handle.describe()).runId !== runId);
    assert.match(await send(workflowId, 'recheck'), /^Read again/);
  });

  it('a scheduled payment is not made before its date by any command', async () => {
    const merchant = await service.merchant();
    const payer = await merchant.customer();
    const intent = await merchant.intent({
      amount: 500,
      currency: 'AUD',
      customer_id: payer.id,
      payment_method: await merchant.card(payer.id),
      scheduled_payment_date: new Date(Date.now() + 40 * 86_400_000).toISOString().slice(0, 10),
    });
    const workflowId = workflowIdOf('scheduledPayment', intent.id);
    await eventually('it is there', () =>
      service.temporal.workflow
        .getHandle(workflowId)
        .describe()
        .catch(() => null),
    );
    const answer = await refusal(workflowId, 'retryNow');
    assert.match(answer, /^Nothing to retry: the payment is due at .*, and not made before\.$/);
    assert.equal((await merchant.getIntent(intent.id)).status, 'requires_payment_method');
    assert.match(await send(workflowId, 'recheck', 'ada'), /^Read again: scheduled/);
    assert.deepEqual(
      (await audited(intent.id)).map(({ action }) => action),
      ['payment_intent.rechecked'],
    );
  });

  it('retryAdvance resumes an advance that hangs, and the clock is shown as advancing meanwhile', async function () {
    this.timeout(60_000);
    const { merchant, clock, plan } = await service.planOnClock('2027-01-04T00:00:00Z', { start_date: '2027-01-05' });
    const workflowId = workflowIdOf('testClock', clock.id);
    assert.match(await refusal(workflowId, 'retryAdvance'), /^Nothing to advance: the clock is created/);
    await service.db.sql.begin(async (tx) => {
      await tx`select 1 from payment_plans where id = ${plan.id} for update`;
      await merchant.beginAdvance(clock.id, '2027-01-06T00:00:00Z');
      const shown = `WorkflowId="${workflowId}" and ClockStatus="advancing"`;
      await eventually('it is shown', async () => (await count(shown)) === 1, { timeoutMs: 30_000 });
      const answer = await send(workflowId, 'retryAdvance', 'ada');
      assert.match(answer, /^The advance from 2027-01-04T00:00:00.000Z to 2027-01-06T00:00:00.000Z is resumed/);
      assert.match(await send(workflowId, 'recheck'), /^Read again: the clock is advancing/);
    });
    await merchant.stopped(clock.id);
    assert.deepEqual(paymentLines(await merchant.payments(plan.id)), ['0 paid 2027-01-05T00:00:00.000Z']);
    assert.deepEqual(
      (await audited(clock.id)).map(({ action, actor }) => [action, actor.id]),
      [
        ['test_clock.advance_retried', 'ada'],
        ['test_clock.rechecked', 'web-ui'],
      ],
    );
    await eventually('it is shown as ready', async () => {
      return (await count(`WorkflowId="${workflowId}" and ClockStatus="ready"`)) === 1;
    });
  });

  it('a delivery is found by endpoint and failures, retried at once and given up, each with a result and an audit entry', async () => {
    receiver.answer = (_request, response) => {
      response.statusCode = 500;
      response.end();
    };
    const merchant = await service.merchant();
    const endpoint = await merchant.endpoint(receiver.url);
    const { id } = await merchant.ping(endpoint.id);
    const workflowId = workflowIdOf('webhookDelivery', id);
    const failing = (failures: number) =>
      count(`EndpointId="${endpoint.id}" and DeliveryState="pending" and FailedAttempts=${failures}`);
    await eventually('it is found', async () => (await failing(1)) === 1);
    assert.equal(await send(workflowId, 'retryNow', 'ada'), 'Attempt 2 is made now.');
    await eventually('it is found with two', async () => (await failing(2)) === 1);
    const [given, again] = await Promise.all([send(workflowId, 'giveUp', 'ada'), send(workflowId, 'giveUp', 'bob')]);
    assert.match(given, /^The delivery is given up \([23] attempts\)\. It can be retried later\.$/);
    assert.equal(again, given);
    const delivery = await merchant.delivery(id);
    assert.deepEqual([delivery.status, delivery.failure_reason], ['failed', 'given up by an operator']);
    const entries = await audited(id);
    assert.deepEqual(
      entries.map(({ action }) => action),
      ['webhook_delivery.retried_now', 'webhook_delivery.given_up'],
    );
    // Of two commands sent at once, the first to arrive.
    assert.match(entries[1]?.actor.id ?? '', /^(ada|bob)$/);
  });
});
