import assert from 'node:assert/strict';
import { type Client, WorkflowNotFoundError } from '@temporalio/client';
import type { Stall } from '../../src/messages/workflow-status.ts';
import { explain } from '../../src/operations/stuck/explain.ts';
import type { Stuck } from '../../src/operations/stuck/reading/find-stuck.ts';

const stuck: Stuck = {
  kind: 'workflow_stalled',
  subject_id: 'pp_1',
  biller_id: null,
  livemode: null,
  since: null,
  why: 'an effect fails',
  remedy: '',
  workflow_id: 'payment-plan/pp_1',
};

/** A client of a Temporal with one running workflow, whose worker responds to queries as `query` does. */
function temporalWith(query: () => { stalled: Stall | null }): Client {
  const typedSearchAttributes = { get: () => undefined };
  const description = { status: { name: 'RUNNING' }, raw: {}, type: 'paymentPlan', typedSearchAttributes };
  const handle = { describe: async () => description, query: async () => query() };
  return { workflow: { getHandle: () => handle } } as unknown as Client;
}

async function explained(query: () => { stalled: Stall | null }, hasWorker = true): Promise<Partial<Stuck>> {
  const report = { kind: stuck.kind, meaning: '', after_seconds: 0, count: 1, found: [stuck] };
  const [first] = await explain([report], () => ({ temporal: temporalWith(query), hasWorker }));
  return first?.found[0] ?? {};
}

describe('the reason why a workflow is stalled', () => {
  it('comes from the workflow’s own status, with the instant since when', async () => {
    const stalled = { reason: 'slot 0: no such word', since: Date.parse('2027-01-05T00:00:00Z') };
    const { why, since } = await explained(() => ({ stalled }));
    assert.equal(why, 'an effect fails; stalled: slot 0: no such word');
    assert.equal(since, '2027-01-05T00:00:00.000Z');
  });

  it('is left out if the workflow has recovered meanwhile', async () => {
    assert.deepEqual(await explained(() => ({ stalled: null })), stuck);
  });

  it('is not asked for where Temporal is away', async () => {
    const report = { kind: stuck.kind, meaning: '', after_seconds: 0, count: 1, found: [stuck] };
    const [first] = await explain([report], () => null);
    assert.deepEqual(first?.found, [stuck]);
  });

  it('is not asked for without a worker, which alone could respond', async () => {
    assert.deepEqual(await explained(() => assert.fail('it was asked'), false), stuck);
  });
});

describe('the reason why deliveries wait', () => {
  const backlog: Stuck = { ...stuck, kind: 'delivery_backlog', why: 'due', workflow_id: 'webhook-delivery/whd_1' };
  const running = { status: { name: 'RUNNING' }, raw: {}, typedSearchAttributes: { get: () => undefined } };
  const failing = { activityType: { name: 'attemptWebhookDelivery' }, attempt: 4, lastFailure: { message: 'no key' } };

  /** The reason, of a delivery whose workflow Temporal describes like this. Null: Temporal is away. */
  async function reason(describe: (() => Promise<unknown>) | null, hasWorker = true): Promise<string | undefined> {
    const report = { kind: backlog.kind, meaning: '', after_seconds: 0, count: 1, found: [backlog] };
    const temporal = { workflow: { getHandle: () => ({ describe }) } } as unknown as Client;
    const [first] = await explain([report], () => (describe === null ? null : { temporal, hasWorker }));
    return first?.found[0]?.why;
  }

  it('is that Temporal does not respond', async () => {
    assert.equal(await reason(null), 'due; Temporal does not respond, so nothing is sent');
  });

  it('is that no worker takes them', async () => {
    assert.equal(await reason(async () => running, false), 'due; no worker takes deliveries');
  });

  it('is that the oldest has no workflow, or one that does not run', async () => {
    const missing = async () => {
      throw new WorkflowNotFoundError('', backlog.workflow_id ?? '', undefined);
    };
    assert.equal(await reason(missing), 'due; it has no workflow: retry-delivery starts it');
    const ended = async () => ({ ...running, status: { name: 'TERMINATED' } });
    assert.equal(await reason(ended), 'due; its workflow does not run: retry-delivery starts it');
  });

  it('is the failure of its attempt, which is none of the receiver', async () => {
    const described = async () => ({ ...running, raw: { pendingActivities: [failing] } });
    assert.equal(await reason(described), 'due; attemptWebhookDelivery has failed 3 times and is tried again: no key');
  });

  it('is otherwise in the log of the worker', async () => {
    assert.match((await reason(async () => running)) ?? '', /a worker polls, but has not made the attempt: its log/);
  });
});
