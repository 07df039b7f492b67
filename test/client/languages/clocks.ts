import assert from 'node:assert/strict';
import { it } from 'mocha';
import { eventually } from '../../../lab/eventually.ts';
import { selectOpenAdvance } from '../../../src/db/test-clocks.ts';
import { realNow } from '../../../src/platform/real-time.ts';
import { failAdvance } from '../../../src/services/test-clocks/clock-advance.ts';
import { useStage } from '../../support/stage.ts';
import { useFront } from '../front.ts';
import { type Driver, useDriver } from './driver.ts';

const frozen = '2027-01-10T00:00:00.000Z';
const target = '2027-01-12T00:00:00.000Z';

/** What the clients of all languages do with test clocks, while the test itself carries out the advance. */
export function itWaitsForClocks(driver: Driver): void {
  const stage = useStage();
  const front = useFront(stage.api);
  const client = useDriver(driver, () => ({ url: front.url, key: stage.keys.sandboxSecret }));
  const advanceAndWait = (id: string, options = {}, to = target) =>
    client.attempt({
      resource: 'test_clocks',
      method: 'advance_and_wait',
      arguments: [id, { frozen_time: to }],
      options,
    });

  async function acceptedAdvance(clockId: string) {
    return eventually('the advance is accepted', () => selectOpenAdvance(stage.db.sql, clockId));
  }

  it('waits until every effect of an advance is committed, in one request', async () => {
    const { id } = await stage.merchant.clock(frozen);
    const waiting = advanceAndWait(id, { idempotency_key: 'k1' });
    await acceptedAdvance(id);
    await stage.carryOut(id);
    const { result } = await waiting;
    assert.deepEqual([result.status, new Date(result.frozen_time).toISOString()], ['ready', target]);
    const [advance, ...reads] = front.seen.map(({ headers }) => headers);
    assert.equal(advance?.['idempotency-key'], 'k1');
    assert.ok(reads.length >= 1);
    for (const { prefer } of reads) assert.equal(prefer, 'wait=60');
  });

  it('raises the refusal of a target that is too far, with the latest possible one', async () => {
    const { id } = await stage.merchant.clock(frozen);
    const { error } = await advanceAndWait(id, {}, '2028-01-01T00:00:00Z');
    assert.deepEqual([error.name, error.code], ['ApiError', 'advance_bound_exceeded']);
    assert.equal(error.max_frozen_time, '2027-03-13T00:00:00.000Z');
  });

  it('raises the reason if the clock has failed', async () => {
    const { id } = await stage.merchant.clock(frozen);
    const waiting = advanceAndWait(id);
    await failAdvance(stage.db.sql, await acceptedAdvance(id), 'the ledger is closed', realNow());
    const { error } = await waiting;
    assert.deepEqual([error.name, error.failure_reason], ['TestClockError', 'the ledger is closed']);
    assert.equal(error.clock.status, 'failed');
    assert.equal(error.message, `The test clock ${id} has failed: the ledger is closed`);
  });

  it('gives up waiting after the total time, with the clock as it is', async () => {
    const { id } = await stage.merchant.clock(frozen);
    const began = performance.now();
    const { error } = await advanceAndWait(id, { wait_timeout: 0.4 });
    assert.deepEqual([error.name, error.clock.status, error.failure_reason], ['TestClockError', 'advancing', null]);
    assert.match(error.message, /is still advancing after 0\.4 s/);
    assert.ok(performance.now() - began < 3000);
  });

  it('allows a waiting request more time', async () => {
    const { id } = await stage.merchant.clock(frozen);
    await stage.merchant.client.testClocks.advance(id, { frozen_time: target });
    const asked = { resource: 'test_clocks', method: 'get', arguments: [id] };
    const held = await client.attempt({ ...asked, options: { wait_seconds: 1, timeout: 0.3 } });
    assert.equal(held.result.status, 'advancing');
    await stage.carryOut(id);
  });
}
