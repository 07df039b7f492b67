import assert from 'node:assert/strict';
import { ApiError, PaymentsClient, TestClockError } from '@payments-service/client';
import { eventually } from '../../lab/eventually.ts';
import { selectOpenAdvance } from '../../src/db/test-clocks.ts';
import { realNow } from '../../src/platform/real-time.ts';
import { failAdvance } from '../../src/services/test-clocks/clock-advance.ts';
import { checkedFetch } from '../support/client.ts';
import { useService } from '../support/service.ts';
import { useStage } from '../support/stage.ts';

describe('testClocks.advanceAndWait', function () {
  this.timeout(60_000);
  const service = useService();
  const frozen = '2027-01-10T00:00:00.000Z';

  it('returns the clock when every charge of the advance is committed', async () => {
    const merchant = await service.merchant();
    const { client } = merchant;
    const clock = await merchant.clock(frozen);
    const customer = await merchant.payer({ test_clock: clock.id });
    const plan = await merchant.activePlan({ customer_id: customer.id, start_date: '2027-01-10' });
    const asked: { prefer: string | null; key: string | null }[] = [];
    const watching = new PaymentsClient({
      baseUrl: service.url,
      apiKey: merchant.key,
      fetch: (input, init) => {
        const headers = new Headers(init?.headers);
        asked.push({ prefer: headers.get('Prefer'), key: headers.get('Idempotency-Key') });
        return checkedFetch(input, init);
      },
    });
    const target = '2027-01-24T00:00:00.000Z';
    const ready = await watching.testClocks.advanceAndWait(clock.id, { frozen_time: target }, { idempotencyKey: 'k1' });
    assert.deepEqual([ready.status, ready.frozen_time, ready.id], ['ready', target, clock.id]);
    const paid = await client.paymentPlans.listPayments(plan.id);
    assert.deepEqual(
      paid.data.map(({ slot, status }) => `${slot} ${status}`),
      ['2 paid', '1 paid', '0 paid'],
    );
    assert.deepEqual(asked, [
      { prefer: null, key: 'k1' },
      { prefer: 'wait=60', key: null },
    ]);
  });

  it('throws the refusal of the service, such as for a target beyond the bound', async () => {
    const merchant = await service.merchant();
    const clock = await merchant.clock(frozen);
    const tooFar = merchant.client.testClocks.advanceAndWait(clock.id, { frozen_time: '2028-01-01T00:00:00Z' });
    await assert.rejects(tooFar, (error) => {
      assert.ok(error instanceof ApiError);
      assert.equal(error.code, 'advance_bound_exceeded');
      assert.equal(error.maxFrozenTime, '2027-03-13T00:00:00.000Z');
      return true;
    });
  });
});

describe('testClocks.advanceAndWait, while no worker carries out the advance', () => {
  const stage = useStage();
  const frozen = '2027-01-10T00:00:00.000Z';
  const target = '2027-01-12T00:00:00.000Z';

  async function clock(): Promise<string> {
    return (await stage.merchant.clock(frozen)).id;
  }

  async function isAccepted(clockId: string): Promise<void> {
    const { sql } = stage.db;
    await eventually('the advance is accepted', async () => {
      return (await sql`select 1 from clock_advances where test_clock_id = ${clockId}`).length > 0;
    });
  }

  it('keeps fetching until the clock is ready', async () => {
    const id = await clock();
    const { client } = stage.merchant;
    const waiting = client.testClocks.advanceAndWait(id, { frozen_time: target });
    await isAccepted(id);
    await stage.carryOut(id);
    assert.equal((await waiting).frozen_time, target);
  });

  it('fetches again if a response comes before the clock is ready', async () => {
    const id = await clock();
    let looks = 0;
    const hasty = new PaymentsClient({
      baseUrl: stage.api.url,
      apiKey: stage.merchant.key,
      fetch: async (input, init) => {
        const headers = new Headers(init?.headers);
        headers.delete('Prefer');
        if (init?.method === 'GET') looks += 1;
        if (looks === 2) await stage.carryOut(id);
        return checkedFetch(input, { ...init, headers });
      },
    });
    await hasty.testClocks.advanceAndWait(id, { frozen_time: target });
    assert.equal(looks, 2);
  });

  it('throws the reason if the clock has failed', async () => {
    const id = await clock();
    const waiting = stage.merchant.client.testClocks.advanceAndWait(id, { frozen_time: target });
    const rejected = assert.rejects(waiting, (error) => {
      assert.ok(error instanceof TestClockError);
      assert.equal(error.failureReason, 'the ledger is closed');
      assert.equal(error.clock.status, 'failed');
      assert.equal(error.message, `The test clock ${id} has failed: the ledger is closed`);
      return true;
    });
    await isAccepted(id);
    await fail(id, 'the ledger is closed');
    await rejected;
  });

  it('throws after the time to wait, with the clock as it is', async () => {
    const id = await clock();
    const began = performance.now();
    const waiting = stage.merchant.client.testClocks.advanceAndWait(
      id,
      { frozen_time: target },
      { waitTimeoutMs: 400 },
    );
    await assert.rejects(waiting, (error) => {
      assert.ok(error instanceof TestClockError);
      assert.deepEqual([error.clock.status, error.failureReason], ['advancing', null]);
      assert.match(error.message, /is still advancing after 400 ms/);
      return true;
    });
    assert.ok(performance.now() - began < 3000);
  });

  it('throws the reason of the signal', async () => {
    const id = await clock();
    const leaving = new AbortController();
    const waiting = stage.merchant.client.testClocks.advanceAndWait(
      id,
      { frozen_time: target },
      { signal: leaving.signal },
    );
    setTimeout(() => leaving.abort(new Error('gone home')), 100);
    await assert.rejects(waiting, { message: 'gone home' });
  });

  it('allows a waiting request more time, but never more than the total', async () => {
    const id = await clock();
    const { client } = stage.merchant;
    await client.testClocks.advance(id, { frozen_time: target });
    const held = client.testClocks.get(id, { waitSeconds: 1, timeoutMs: 300 });
    assert.equal((await held).status, 'advancing');
    await stage.carryOut(id);
  });

  async function fail(id: string, reason: string): Promise<void> {
    const advance = await selectOpenAdvance(stage.db.sql, id);
    assert.ok(advance, 'the clock is not advancing');
    await failAdvance(stage.db.sql, advance, reason, realNow());
  }
});
