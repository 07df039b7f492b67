import assert from 'node:assert/strict';
import { describe, it } from 'mocha';
import {
  claimDeliveries,
  endpointKeyOf,
  listDue,
  listWaitingBatches,
  noteStart,
} from '../../src/db/webhook-batches.ts';
import { type Id, newId } from '../../src/domain/ids.ts';
import { batchIdOf } from '../../src/messages/workflow-types.ts';
import { sampleBacklogs } from '../../src/operations/samples.ts';
import { enqueue } from '../../src/platform/postgres/outbox.ts';
import { atomically } from '../../src/platform/postgres/transaction.ts';
import { realNow } from '../../src/platform/real-time.ts';
import { startEntry } from '../../src/services/wake.ts';
import { useDatabase } from '../support/database.ts';
import { batchIdAt, commitEvents, makeCall, makeEndpoint, makePrompt } from '../support/webhooks.ts';

describe('the deliveries in the outbox', () => {
  const db = useDatabase();
  afterEach('empty the outbox', () => db.sql`delete from workflow_intents`);
  const claim = (options: Partial<Parameters<typeof claimDeliveries>[2]> = {}) =>
    claimDeliveries(db.sql, 60_000, { livemode: null, after: '', ...options });
  const batches = (underWay: string[] = [], livemode: boolean | null = null) =>
    listWaitingBatches(db.sql, { livemode, underWay });

  async function endpoint({ isPrompt = false } = {}): Promise<string> {
    const { id } = await makeEndpoint(db.sql, await makeCall(db.sql), 'http://127.0.0.1:9/');
    if (isPrompt) await makePrompt(db.sql, id);
    return id;
  }
  const batchOf = (endpointId: string) => batchIdAt(db.sql, endpointId);

  it('are for the batch of their biller and mode if the endpoint responds promptly and does not fail', async () => {
    const [prompt, failing, unknown] = [
      await endpoint({ isPrompt: true }),
      await endpoint({ isPrompt: true }),
      await endpoint(),
    ];
    await db.sql`update webhook_endpoints set failing_since = now() where id = ${failing}`;
    for (const id of [prompt, failing, unknown]) await commitEvents(db.sql, id, 3);
    const found = await batches();
    assert.deepEqual(
      found.map(({ workflow_id, livemode, attempts }) => [workflow_id, livemode, attempts]),
      [[await batchOf(prompt), false, 0]],
    );
    assert.equal((await claim()).entries.length, 6);
    assert.equal((await batches([await batchOf(prompt)])).length, 0);
    assert.equal((await batches([], true)).length, 0);
  });

  it('are read by their batch endpoint by endpoint: 50 of each that is not busy, in the order of the events', async () => {
    const one = await endpoint({ isPrompt: true });
    const ids = await commitEvents(db.sql, one, 70);
    const [row] = await db.sql<
      [{ biller_id: Id<'biller'> }]
    >`select biller_id from webhook_endpoints where id = ${one}`;
    const other = await makeEndpoint(
      db.sql,
      await makeCall(db.sql, { billerId: row.biller_id }),
      'http://127.0.0.1:9/2',
    );
    await makePrompt(db.sql, other.id);
    await commitEvents(db.sql, other.id, 10);
    const batchId = await batchOf(one);
    const key = endpointKeyOf(ids[0] ?? '');
    const [first] = (await listDue(db.sql, batchId, [])).filter(({ endpointKey }) => endpointKey === key);
    assert.deepEqual(
      first?.deliveries.map(({ id }) => id),
      ids.slice(0, 50),
    );
    assert.deepEqual(
      (await listDue(db.sql, batchId, [key])).map(({ entries }) => entries.length),
      [10],
    );
  });

  it('wait for no dispatch to an operator while their batch is started, and do if it cannot be', async () => {
    await commitEvents(db.sql, await endpoint({ isPrompt: true }), 2);
    const waiting = async () => (await sampleBacklogs(db.sql, realNow())).outbox_entries;
    const [batch] = await batches();
    assert.ok(batch);
    assert.equal(await waiting(), 0);
    await noteStart(db.sql, batch, 'Temporal is away');
    assert.equal(await waiting(), 1);
    assert.equal((await batches())[0]?.attempts, 1);
    await noteStart(db.sql, batch, null);
    assert.equal(await waiting(), 0);
  });

  it('are claimed with 20 of each endpoint at most', async () => {
    for (const id of [await endpoint(), await endpoint()]) await commitEvents(db.sql, id, 30);
    const { entries } = await claim();
    assert.equal(entries.length, 40);
    assert.ok(entries.every(({ about }) => about !== null));
  });

  it('are claimed on from the last endpoint that was looked at, so that one with thousands keeps no other waiting', async () => {
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

  it('are claimed in one mode alone, and if they are not there', async () => {
    const lost = newId('webhook_delivery');
    await atomically(db.sql, (tx) =>
      enqueue(tx, [startEntry('webhookDelivery', { id: lost, livemode: true })], realNow()),
    );
    await commitEvents(db.sql, await endpoint(), 2);
    const live = await claim({ livemode: true });
    assert.deepEqual(
      live.entries.map(({ subject_id, about }) => [subject_id, about]),
      [[lost, null]],
    );
    assert.equal((await claim({ livemode: false })).entries.length, 2);
  });

  it('are claimed by one of concurrent callers, and again when a claim is over', async () => {
    await commitEvents(db.sql, await endpoint(), 20);
    const claims = await Promise.all([claim(), claim()]);
    assert.equal(claims.flatMap(({ entries }) => entries).length, 20);
    await db.sql`update workflow_intents set available_at = now() - interval '1 second'`;
    const { entries } = await claim();
    assert.deepEqual([entries.length, entries[0]?.attempts], [20, 2]);
  });

  for (const [title, isPrompt] of [
    ['are claimed at once behind 100,000 of another endpoint', false],
    ['are read by their batch at once behind 100,000 of another endpoint of the biller', true],
  ] as const) {
    it(title, async function () {
      this.timeout(60_000);
      const call = await makeCall(db.sql);
      const [flooded, quiet] = [
        await makeEndpoint(db.sql, call, 'http://127.0.0.1:9/'),
        await makeEndpoint(db.sql, call, 'http://127.0.0.1:9/'),
      ];
      if (isPrompt) await makePrompt(db.sql, flooded.id, quiet.id);
      const [first = ''] = await commitEvents(db.sql, flooded.id, 1);
      await db.sql`
        insert into workflow_intents (workflow_id, workflow_type, subject_id, livemode, start, created_at, available_at)
        select workflow_id, workflow_type, 'whd_' || lpad(n::text, 22, '0') || ${endpointKeyOf(first)}, false, true, now(), now()
        from workflow_intents, generate_series(1, 100000) n where subject_id = ${first}`;
      await db.sql`analyze workflow_intents`;
      await commitEvents(db.sql, quiet.id, 3);
      const find = () => (isPrompt ? listDue(db.sql, batchIdOf(call), [endpointKeyOf(first)]) : claim());
      await find();
      const begun = performance.now();
      const found = await find();
      const ms = performance.now() - begun;
      assert.ok(Array.isArray(found) ? found.length > 0 : found.entries.length > 0);
      assert.ok(ms < 500, `${ms} ms`);
    });
  }
});
