import assert from 'node:assert/strict';
import { beforeEach, describe, it } from 'mocha';
import { isId, newId } from '../../src/domain/ids.ts';
import type { Tx } from '../../src/platform/postgres/connection.ts';
import { onEntriesCommitted } from '../../src/platform/postgres/outbox.ts';
import { atomically, dryRun } from '../../src/platform/postgres/transaction.ts';
import { realInstant } from '../../src/platform/real-time.ts';
import { page } from '../../src/resources/common.ts';
import { type EventQuery, eventBody, presentEvent } from '../../src/resources/event.ts';
import { BadRequest, NotFound } from '../../src/services/errors.ts';
import {
  getEvent,
  listEvents,
  type NewEvent,
  positionHere,
  record,
  recordedEvents,
  transact,
} from '../../src/services/events.ts';
import type { RequestContext } from '../../src/services/request-context.ts';
import { deleteWebhookEndpoint, updateWebhookEndpoint } from '../../src/services/webhooks/endpoints.ts';
import { useDatabase } from '../support/database.ts';
import { makeCall, makeEndpoint, makeEvent, webhookDeps } from '../support/webhooks.ts';

describe('events', () => {
  const db = useDatabase(50);
  let call: RequestContext;

  beforeEach(async () => {
    call = await makeCall(db.sql);
  });

  const anEvent = (overrides: Partial<NewEvent> = {}): NewEvent => ({
    billerId: call.billerId,
    livemode: call.livemode,
    type: 'payment_plan.activated',
    subjectId: newId('payment_plan'),
    customerId: null,
    testClockId: null,
    at: realInstant('2027-01-01T00:00:00.000Z'),
    data: { id: 'x' },
    ...overrides,
  });
  const sequences = async () =>
    (
      await db.sql<{ sequence: number }[]>`
        select sequence from events where biller_id = ${call.billerId} and livemode = ${call.livemode} order by sequence`
    ).map((row) => row.sequence);

  it('are numbered without a gap by fifty transactions at once, some of which roll back', async () => {
    const outcomes = await Promise.allSettled(
      Array.from({ length: 50 }, (_, index) =>
        transact(db.sql, call, async (tx) => {
          await tx`select pg_sleep(random() * 0.01)`;
          record(tx, ...(index % 3 === 0 ? [anEvent(), anEvent(), anEvent()] : [anEvent()]));
          if (index % 5 === 0) throw new Error('rolled back');
        }),
      ),
    );
    assert.equal(outcomes.filter((outcome) => outcome.status === 'rejected').length, 10);
    const committed = Array.from({ length: 50 }, (_, index) => index).filter((index) => index % 5 !== 0);
    const expected = committed.reduce((sum, index) => sum + (index % 3 === 0 ? 3 : 1), 0);
    assert.deepEqual(
      await sequences(),
      Array.from({ length: expected }, (_, index) => index + 1),
    );
  });

  it('are numbered in the order given within one change', async () => {
    const types = ['payment_intent.succeeded', 'payment_plan.closed', 'payment_plan.suspended'] as const;
    const ids = await transact(db.sql, call, async (tx) => record(tx, ...types.map((type) => anEvent({ type }))));
    const events = await Promise.all(ids.map((id) => getEvent(db.sql, call, id)));
    assert.deepEqual(
      events.map((event) => [event.sequence, event.event_type]),
      types.map((type, index) => [index + 1, type]),
    );
  });

  it('stand in the position that was taken for them, with what its work records', async () => {
    const types = ['payment_intent.failed', 'payment_intent.restricted', 'payment_plan.suspended'] as const;
    const [failed, restricted, suspended] = types.map((type) => anEvent({ type }));
    assert.ok(failed && restricted && suspended);
    const since = await transact(db.sql, call, async (tx) => {
      record(tx, anEvent());
      const position = positionHere(tx);
      record(tx, suspended);
      position.record(failed);
      await position.during(async () => {
        const inner = positionHere(tx);
        record(tx, anEvent());
        inner.record(restricted);
      });
      record(tx, anEvent());
      return position.idsSince();
    });
    const rows = await db.sql<{ id: string; event_type: string }[]>`
      select id, event_type from events where biller_id = ${call.billerId} order by sequence`;
    const other = 'payment_plan.activated';
    const inOrder = [other, types[0], types[1], other, types[2], other];
    assert.deepEqual([rows.map((row) => row.event_type), rows.slice(1).map(({ id }) => id)], [inOrder, since]);
  });

  it('are recorded once when their transaction is run again', async () => {
    let tries = 0;
    await transact(db.sql, call, async (tx) => {
      record(tx, anEvent());
      tries += 1;
      if (tries === 1) await tx`do $$ begin raise sqlstate '40001'; end $$`;
    });
    assert.deepEqual([tries, await sequences()], [2, [1]]);
  });

  it('are written by the transaction that was opened first, with its request', async () => {
    const nested = (tx: Tx) => transact(tx, { ...call, requestId: 'req_inner' }, async () => record(tx, anEvent()));
    await transact(db.sql, call, async (tx) => {
      await nested(tx);
      const [none] = await tx`select 1 from events where biller_id = ${call.billerId}`;
      assert.equal(none, undefined);
    });
    const rows = await db.sql`select request_id from events where biller_id = ${call.billerId}`;
    assert.deepEqual([...rows], [{ request_id: call.requestId }]);
  });

  it('are known and not written in a dry run', async () => {
    const work = async (tx: Tx) => {
      record(tx, anEvent());
      return recordedEvents(tx).length;
    };
    assert.equal(await dryRun(db.sql, work), 1);
    assert.equal(await transact(db.sql, call, (tx) => dryRun(tx, work)), 1);
    assert.deepEqual(await sequences(), []);
  });

  it('fail the transaction that does not say what causes them, or that changes what two billers own', async () => {
    const change = (tx: Tx) =>
      tx`insert into event_sequences (biller_id, livemode, last_sequence) values (${call.billerId}, true, 7)`;
    await assert.rejects(
      atomically(db.sql, async (tx) => {
        await change(tx);
        record(tx, anEvent());
      }),
      /payment_plan\.activated was recorded in a transaction without an origin/,
    );
    const stranger = (await makeCall(db.sql)).billerId;
    await assert.rejects(
      transact(db.sql, call, async (tx) => {
        await change(tx);
        record(tx, anEvent(), anEvent({ billerId: stranger }));
      }),
      /one biller and mode only/,
    );
    assert.deepEqual([...(await db.sql`select 1 from event_sequences where biller_id = ${call.billerId}`)], []);
  });

  it('are numbered for each biller and mode on their own', async () => {
    const live = { ...call, livemode: true };
    const other = await makeCall(db.sql);
    for (const each of [call, call, live, other]) await makeEvent(db.sql, each);
    for (const [each, expected] of [
      [call, [2, 1]],
      [live, [1]],
      [other, [1]],
    ] as const) {
      const { rows } = await listEvents(db.sql, each, {});
      assert.deepEqual(
        rows.map((event) => event.sequence),
        expected,
      );
    }
  });

  it('keep their data byte for byte, in the table, in the API and in the webhook', async () => {
    const data = {
      z: 1,
      a: { quote: '"\\', nul: '\u0000', line: '\u2028', emoji: '😀', lone: '\ud800' },
      10: 'ten',
      2: 'two',
      list: [1.5, -0, 1e21, null, '{"not":"parsed"}', "'; drop table events; --"],
      ['__proto__']: 'own',
    };
    const id = await makeEvent(db.sql, call, { data });
    const [row] = await db.sql<{ data: string }[]>`select data::text as data from events where id = ${id}`;
    assert.equal(row?.data, JSON.stringify(data));
    const event = presentEvent(await getEvent(db.sql, call, id));
    assert.equal(JSON.stringify(event.data), JSON.stringify(data));
  });

  it('carry the same envelope by webhook and in the API', async () => {
    const at = realInstant('2030-05-06T07:08:09.010Z');
    const testClockId = newId('test_clock');
    const id = await makeEvent(db.sql, call, { type: 'test_clock.ready', testClockId, at, data: { n: 1 } });
    const row = await getEvent(db.sql, call, id);
    const event = presentEvent(row);
    assert.deepEqual(event, {
      id,
      event_type: 'test_clock.ready',
      created_at: '2030-05-06T07:08:09.010Z',
      livemode: false,
      biller_id: call.billerId,
      test_clock: testClockId,
      sequence: 1,
      request_id: call.requestId,
      data: { n: 1 },
    });
    assert.equal(eventBody(row), JSON.stringify(event));
  });

  it('go to each endpoint that subscribes to all, to their group or to their type, and to no other', async () => {
    const url = 'http://127.0.0.1:1/';
    const wanted = [
      await makeEndpoint(db.sql, call, url),
      await makeEndpoint(db.sql, call, url, ['refund.failed', 'payment_plan.*']),
      await makeEndpoint(db.sql, call, url, ['payment_plan.activated']),
    ];
    await makeEndpoint(db.sql, call, url, ['payment_plan.closed', 'payment_intent.*']);
    const disabled = await makeEndpoint(db.sql, call, url);
    await updateWebhookEndpoint(db.sql, call, disabled.id, { status: 'disabled' }, webhookDeps);
    const deleted = await makeEndpoint(db.sql, call, url);
    await deleteWebhookEndpoint(db.sql, call, deleted.id);
    await makeEndpoint(db.sql, await makeCall(db.sql), url);

    const id = await makeEvent(db.sql, call, { type: 'payment_plan.activated' });
    const rows = await db.sql<{ id: string; endpoint_id: string; status: string; workflow_id: string | null }[]>`
      select d.id, d.endpoint_id, d.status, i.workflow_id
      from webhook_deliveries d left join workflow_intents i on i.subject_id = d.id and i.start and i.signal is null
      where d.event_id = ${id}
      order by d.endpoint_id`;
    assert.deepEqual(rows.map((row) => row.endpoint_id).sort(), wanted.map((endpoint) => endpoint.id).sort());
    for (const row of rows) {
      assert.ok(isId('webhook_delivery', row.id), row.id);
      assert.equal(row.status, 'pending');
      assert.equal(row.workflow_id, `webhook-delivery/${row.id}`);
    }
  });

  it('can be for one endpoint alone, whatever it and the others subscribe to', async () => {
    await makeEndpoint(db.sql, call, 'http://127.0.0.1:1/');
    const chosen = await makeEndpoint(db.sql, call, 'http://127.0.0.1:1/', ['refund.failed']);
    const [id] = await transact(db.sql, call, async (tx) => record(tx, anEvent({ onlyEndpointId: chosen.id })));
    const rows = await db.sql`select endpoint_id from webhook_deliveries where event_id = ${id ?? ''}`;
    assert.deepEqual([...rows], [{ endpoint_id: chosen.id }]);
  });

  it('wake the dispatcher after the commit when there is something to deliver, and only then', async () => {
    let woken = 0;
    const wake = () => {
      woken += 1;
    };
    const stops = [onEntriesCommitted('deliveries', wake), onEntriesCommitted('subjects', () => assert.fail())];
    await transact(db.sql, call, async (tx) => record(tx, anEvent()));
    assert.equal(woken, 0);
    await makeEndpoint(db.sql, call, 'http://127.0.0.1:1/');
    await transact(db.sql, call, async (tx) => record(tx, anEvent()));
    assert.equal(woken, 1);
    await transact(db.sql, call, async (tx) => record(tx));
    assert.equal(woken, 1);
    for (const stop of stops) stop();
  });

  it('are listed newest first, by type and by test clock, in pages', async () => {
    const clock = newId('test_clock');
    const ids = [];
    for (const type of ['payment_plan.activated', 'payment_plan.closed', 'payment_plan.closed'] as const) {
      ids.unshift(await makeEvent(db.sql, call, { type, testClockId: type === 'payment_plan.closed' ? clock : null }));
    }
    const listed = async (query: EventQuery) => page(await listEvents(db.sql, call, query), presentEvent);
    const idsOf = ({ data }: { data: { id: string }[] }) => data.map((event) => event.id);
    assert.deepEqual(idsOf(await listed({})), ids);
    assert.deepEqual(idsOf(await listed({ event_type: 'payment_plan.closed' })), ids.slice(0, 2));
    assert.deepEqual(idsOf(await listed({ test_clock: clock })), ids.slice(0, 2));
    const first = await listed({ limit: 2 });
    assert.deepEqual([idsOf(first), first.has_more], [ids.slice(0, 2), true]);
    const second = await listed({ limit: 2, starting_after: ids[1] });
    assert.deepEqual([idsOf(second), second.has_more], [ids.slice(2), false]);
  });

  it('are not found by another biller or in the other mode, as item or as cursor', async () => {
    const id = await makeEvent(db.sql, call);
    for (const stranger of [await makeCall(db.sql), { ...call, livemode: true }]) {
      await assert.rejects(getEvent(db.sql, stranger, id), NotFound);
      await assert.rejects(listEvents(db.sql, stranger, { starting_after: id }), BadRequest);
    }
  });
});
