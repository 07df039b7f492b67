import assert from 'node:assert/strict';
import { setTimeout as pause } from 'node:timers/promises';
import type { Event } from '@payments-service/client';
import { describe, it } from 'mocha';
import { type InsertedEvent, insertEvents } from '../../src/db/events.ts';
import { namedId, newId } from '../../src/domain/ids.ts';
import { atomically } from '../../src/platform/postgres/transaction.ts';
import { realInstant } from '../../src/platform/real-time.ts';
import { planPaymentIntentExample } from '../../src/resources/payment-intent.ts';
import { refusal, useStage } from '../support/stage.ts';

const now = realInstant('2027-01-01T00:00:00.000Z');

describe('events, oldest first', () => {
  const stage = useStage();
  const list = (query: Record<string, string>) => stage.request('GET', `/events?${new URLSearchParams(query)}`);
  const sequencesOf = (events: Pick<Event, 'sequence'>[]) => events.map(({ sequence }) => sequence);
  const newEvent = (at = now): InsertedEvent => ({
    id: newId('event'),
    event_type: 'payment_intent.succeeded',
    subject_id: planPaymentIntentExample.id,
    customer_id: null,
    test_clock_id: null,
    data: JSON.stringify(planPaymentIntentExample),
    created_at: at,
    only_endpoint_id: null,
  });
  const tenant = () => ({ billerId: namedId('biller', stage.keys.biller.id) ?? assert.fail(), livemode: false });

  /** Writes an event whose id is drawn now, in a transaction that takes its time before and after. */
  async function write(msBefore: number, msAfter: number, at = now): Promise<void> {
    const event = newEvent(at);
    await atomically(stage.db.sql, async (tx) => {
      await pause(msBefore);
      await insertEvents(tx, tenant(), [event], { requestId: null, now });
      await pause(msAfter);
    });
  }

  it('are missed by no reader that passes the last id on, while transactions commit in another order than their ids', async () => {
    const each = 12;
    const copied: Event[] = [];
    let isWriting = true;
    const writers = Array.from({ length: 8 }, async () => {
      for (let count = 0; count < each; count += 1) await write(Math.random() * 40, Math.random() * 5);
    });
    const read = async () => {
      let last: string | undefined;
      for (let isDone = false; !isDone; ) {
        // What is committed before this page is read is on it: the last round begins after the last commit.
        isDone = !isWriting;
        const after = last === undefined ? {} : { starting_after: last };
        for await (const event of stage.merchant.client.events.list({ order: 'asc', limit: 3, ...after })) {
          copied.push(event);
          last = event.id;
        }
      }
    };
    await Promise.all([
      read(),
      Promise.all(writers).then(() => {
        isWriting = false;
      }),
    ]);
    const ids = copied.map(({ id }) => id);
    assert.deepEqual(
      sequencesOf(copied),
      Array.from({ length: 8 * each }, (_, index) => index + 1),
    );
    assert.notDeepEqual(ids, ids.toSorted(), 'no transaction committed after one with a later id');
  });

  it('are not shown beyond one whose transaction is still open, so that none appears behind a reader', async () => {
    await write(0, 0);
    let isOpen = true;
    const open = write(0, 400).then(() => {
      isOpen = false;
    });
    await pause(100);
    const later = write(0, 0);
    await pause(100);
    const { body } = await list({ order: 'asc' });
    assert.deepEqual([isOpen, sequencesOf(body.data)], [true, [1]]);
    await Promise.all([open, later]);
    const after = (await list({ order: 'asc', starting_after: body.data[0].id })).body;
    assert.deepEqual(sequencesOf(after.data), [2, 3]);
  });

  it('come in pages in the order of sequence, and after the last one there are none', async () => {
    for (let count = 0; count < 5; count += 1) await write(0, 0);
    const first = (await list({ order: 'asc', limit: '2' })).body;
    assert.deepEqual([sequencesOf(first.data), first.has_more], [[1, 2], true]);
    const second = (await list({ order: 'asc', limit: '3', starting_after: first.data[1].id })).body;
    assert.deepEqual([sequencesOf(second.data), second.has_more], [[3, 4, 5], false]);
    assert.deepEqual((await list({ order: 'asc', starting_after: second.data[2].id })).body.data, []);
    assert.deepEqual(sequencesOf((await list({ order: 'desc' })).body.data), [5, 4, 3, 2, 1]);
    assert.deepEqual(sequencesOf((await list({})).body.data), [5, 4, 3, 2, 1]);
    refusal(await list({ order: 'asc', starting_after: newId('event') }), 400);
    refusal(await list({ order: 'rising' }), 400);
  });

  it('are narrowed by created_at, from included and to excluded, in either order', async () => {
    const days = ['2027-01-01', '2027-01-03', '2027-01-02'].map((day) => realInstant(`${day}T00:00:00.000Z`));
    for (const day of days) await write(0, 0, day);
    const found = async (query: Record<string, string>) => sequencesOf((await list(query)).body.data);
    const second = '2027-01-02T00:00:00.000Z';
    assert.deepEqual(await found({ created_from: second }), [3, 2]);
    assert.deepEqual(await found({ created_from: second, order: 'asc' }), [2, 3]);
    assert.deepEqual(await found({ created_to: second }), [1]);
    assert.deepEqual(await found({ created_from: second, created_to: '2027-01-03T00:00:00Z' }), [3]);
    const [{ id }] = (await list({ order: 'asc', limit: '1' })).body.data;
    assert.deepEqual(await found({ created_from: second, order: 'asc', limit: '1', starting_after: id }), [2]);
    assert.deepEqual(refusal(await list({ created_from: '2027-01-02' }), 400), ['query/created_from invalid_format']);
  });
});
