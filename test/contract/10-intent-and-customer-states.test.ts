import assert from 'node:assert/strict';
import { describe, it } from 'mocha';
import { useStage } from '../support/stage.ts';
import { debit, intent } from './bodies.ts';
import { itIsTheTable } from './tables.ts';

describe('Payment intent: states and transitions', () => {
  const stage = useStage();
  const method = async (): Promise<string> =>
    (await stage.request('POST', '/payment_methods', debit())).body.payment_method.id;
  const create = async (outcome: string): Promise<string> =>
    (await stage.request('POST', '/payment_intents', intent({ metadata: { _sandbox_outcome: outcome } }))).body.id;
  const confirm = async (id: string) =>
    (await stage.request('POST', `/payment_intents/${id}/confirm`, { payment_method: await method() })).body;
  const statusOf = async (id: string) => (await stage.merchant.getIntent(id)).status;

  itIsTheTable('intentStates', ['From'], [['requires_payment_method']]);

  it('requires_payment_method: just created, no method', async () => {
    assert.equal(await statusOf(await create('succeed')), 'requires_payment_method');
  });

  it('processing: awaiting the processor’s confirmation', async () => {
    const id = await create('succeed');
    const seen: string[] = [];
    stage.ledger.beforeAnswer = async () => {
      seen.push(await statusOf(id));
    };
    await confirm(id);
    assert.deepEqual([seen, await statusOf(id)], [['processing'], 'succeeded']);
  });

  const results: readonly (readonly [outcome: string, status: string, meaning: string])[] = [
    ['succeed', 'succeeded', 'collected'],
    ['requires_action', 'requires_action', '3D Secure challenge needed'],
    ['decline', 'failed', 'declined'],
    ['timeout', 'failed', 'the gateway did not answer'],
  ];
  for (const [outcome, status, meaning] of results) {
    it(`requires_payment_method —confirm, sandbox outcome ${outcome}→ ${status}: ${meaning}`, async () => {
      const id = await create(outcome);
      const confirmed = await confirm(id);
      assert.deepEqual([confirmed.status, await statusOf(id)], [status, status]);
    });
  }
});

describe('Customer: states and transitions', () => {
  const stage = useStage();
  const update = async (id: string, status: string) =>
    (await stage.request('PUT', `/customers/${id}`, { status })).body;

  it('active —update→ inactive', async () => {
    const { id } = await stage.merchant.customer({ status: 'active' });
    assert.equal((await update(id, 'inactive')).status, 'inactive');
  });

  it('inactive —update→ active', async () => {
    const { id } = await stage.merchant.customer({ status: 'inactive' });
    assert.equal((await update(id, 'active')).status, 'active');
  });

  it('deleting a customer returns the record with deleted_at set', async () => {
    const {
      id,
      updated_at: _,
      deleted_at,
      ...record
    } = await stage.merchant.customer({ name: 'Ada', reference: 'R-7' });
    const { status, body } = await stage.request('DELETE', `/customers/${id}`);
    assert.deepEqual([status, deleted_at], [200, null]);
    assert.ok(Date.parse(body.deleted_at));
    assert.deepEqual({ ...body, ...record }, body);
  });
});
