import assert from 'node:assert/strict';
import { type Client, QueryNotRegisteredError } from '@temporalio/client';
import type { Stall } from '../../src/messages/workflow-status.ts';
import { explain } from '../../src/operations/stuck/explain.ts';
import type { Stuck } from '../../src/operations/stuck/find-stuck.ts';

const stuck: Stuck = {
  kind: 'workflow_stalled',
  subject_id: 'pp_1',
  biller_id: null,
  livemode: null,
  since: null,
  why: 'an effect cannot be carried out',
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
    assert.equal(why, 'an effect cannot be carried out; stalled: slot 0: no such word');
    assert.equal(since, '2027-01-05T00:00:00.000Z');
  });

  it('is left out if the workflow has recovered meanwhile', async () => {
    assert.deepEqual(await explained(() => ({ stalled: null })), stuck);
  });

  it('is unknown if the worker runs a former version, which has no such query', async () => {
    const { why } = await explained(() => {
      throw new QueryNotRegisteredError('Workflow did not register a handler for status', 3);
    });
    assert.match(why ?? '', /; its reason is unknown: a worker of a former version runs it/);
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
