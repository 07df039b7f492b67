import assert from 'node:assert/strict';
import { describe, it } from 'mocha';
import { claimDeliveries, endpointKeyOf, maxInBatch } from '../../src/db/webhook-batches.ts';
import { newId } from '../../src/domain/ids.ts';
import { enqueue } from '../../src/platform/postgres/outbox.ts';
import { atomically } from '../../src/platform/postgres/transaction.ts';
import { realNow } from '../../src/platform/real-time.ts';
import { startEntry } from '../../src/services/wake.ts';
import { useDatabase } from '../support/database.ts';
import { commitEvents, makeCall, makeEndpoint } from '../support/webhooks.ts';

describe('a claim of deliveries', () => {
  const db = useDatabase();
  afterEach('empty the outbox', () => db.sql`delete from workflow_intents`);
  const claim = (options: Partial<Parameters<typeof claimDeliveries>[2]> = {}) =>
    claimDeliveries(db.sql, 60_000, { livemode: null, busy: [], after: '', ...options });

  async function endpoint({ isPrompt = true } = {}): Promise<string> {
    const { id } = await makeEndpoint(db.sql, await makeCall(db.sql), 'http://127.0.0.1:9/');
    await db.sql`update webhook_endpoints set responds_promptly = ${isPrompt} where id = ${id}`;
    return id;
  }

  it('takes up to 200 of an endpoint that responds promptly, in the order of the events, and lets them travel', async () => {
    const ids = await commitEvents(db.sql, await endpoint(), 230);
    const { entries } = await claim();
    assert.deepEqual(
      entries.map(({ subject_id }) => subject_id),
      ids.slice(0, maxInBatch),
    );
    assert.ok(entries.every(({ may_travel }) => may_travel));
    assert.equal((await claim()).entries.length, 30);
    assert.equal((await claim()).entries.length, 0);
  });

  it('takes 20 of an endpoint that is not known to respond promptly, or fails, and lets none travel', async () => {
    await commitEvents(db.sql, await endpoint({ isPrompt: false }), 30);
    const failing = await endpoint();
    await db.sql`update webhook_endpoints set failing_since = now() where id = ${failing}`;
    await commitEvents(db.sql, failing, 30);
    const { entries } = await claim();
    assert.deepEqual([entries.length, entries.filter(({ may_travel }) => may_travel).length], [40, 0]);
  });

  it('lets only those travel that have had no attempt in their present series', async () => {
    const ids = await commitEvents(db.sql, await endpoint(), 4);
    const [attempted = '', ended = '', again = ''] = ids;
    await db.sql`update webhook_deliveries set attempt_count = 1 where id = ${attempted}`;
    await db.sql`
      update webhook_deliveries
      set status = 'failed', failure_reason = 'test', next_attempt_at = null, finished_at = now() where id = ${ended}`;
    await db.sql`update webhook_deliveries set attempt_count = 3, series_start = 3 where id = ${again}`;
    const { entries } = await claim();
    assert.deepEqual(
      entries.map(({ may_travel }) => may_travel),
      [false, false, true, true],
    );
  });

  it('passes over endpoints that are busy', async () => {
    const [busy, free] = [await endpoint(), await endpoint()];
    const [first = ''] = await commitEvents(db.sql, busy, 10);
    const others = await commitEvents(db.sql, free, 3);
    const { entries } = await claim({ busy: [endpointKeyOf(first)] });
    assert.deepEqual(
      entries.map(({ subject_id }) => subject_id),
      others,
    );
  });

  it('goes on after the last endpoint that it looked at, so that one with thousands keeps no other waiting', async () => {
    const [one, other] = [await endpoint(), await endpoint()];
    const counts = new Map<string, number>();
    for (const id of [one, other]) await commitEvents(db.sql, id, 450);
    let after = '';
    for (let round = 0; round < 2; round++) {
      const { entries, lastKey } = await claim({ after });
      after = lastKey ?? '';
      for (const { about } of entries) {
        const endpointId = about?.endpointId ?? '';
        counts.set(endpointId, (counts.get(endpointId) ?? 0) + 1);
      }
    }
    assert.equal(counts.size, 2, [...counts].join());
  });

  it('takes the entries of its mode alone, and those whose delivery is not there', async () => {
    const lost = newId('webhook_delivery');
    await atomically(db.sql, (tx) =>
      enqueue(tx, [startEntry('webhookDelivery', { id: lost, livemode: true })], realNow()),
    );
    await commitEvents(db.sql, await endpoint(), 2);
    const live = await claim({ livemode: true });
    assert.deepEqual(
      live.entries.map(({ subject_id, about, may_travel }) => [subject_id, about, may_travel]),
      [[lost, null, false]],
    );
    assert.equal((await claim({ livemode: false })).entries.length, 2);
  });

  it('gives concurrent callers different entries, and takes them again when a claim is over', async () => {
    await commitEvents(db.sql, await endpoint(), 40);
    const claims = await Promise.all([claim(), claim()]);
    assert.equal(claims.flatMap(({ entries }) => entries).length, 40);
    await db.sql`update workflow_intents set available_at = now() - interval '1 second'`;
    const { entries } = await claim();
    assert.deepEqual([entries.length, entries[0]?.attempts], [40, 2]);
  });

  it('finds the few of an endpoint at once behind 100,000 of another', async function () {
    this.timeout(60_000);
    const [flooded, quiet] = [await endpoint(), await endpoint()];
    const [first = ''] = await commitEvents(db.sql, flooded, 1);
    await db.sql`
      insert into workflow_intents (workflow_id, workflow_type, subject_id, livemode, start, created_at, available_at)
      select 'webhook-delivery/' || id, 'webhookDelivery', id, false, true, now(), now()
      from (select 'whd_' || lpad(n::text, 22, '0') || ${endpointKeyOf(first)} as id from generate_series(1, 100000) n) ids`;
    await db.sql`analyze workflow_intents`;
    await commitEvents(db.sql, quiet, 3);
    await claim({ busy: [endpointKeyOf(first)] });
    await commitEvents(db.sql, quiet, 3);
    const begun = performance.now();
    const { entries } = await claim({ busy: [endpointKeyOf(first)] });
    const ms = performance.now() - begun;
    assert.equal(entries.length, 3);
    assert.ok(ms < 500, `${ms} ms`);
  });
});
