import assert from 'node:assert/strict';
import { describe, it } from 'mocha';
import { addMs } from '../../src/domain/instants.ts';
import { enableByOperator } from '../../src/operations/endpoint-recovery.ts';
import { InvalidState, NotFound, ValidationFailed } from '../../src/services/errors.ts';
import {
  pingWebhookEndpoint,
  replayWebhookDeliveries,
  retryWebhookDelivery,
} from '../../src/services/webhooks/deliveries.ts';
import {
  deleteWebhookEndpoint,
  getWebhookEndpoint,
  updateWebhookEndpoint,
} from '../../src/services/webhooks/endpoints.ts';
import { giveUpDelivery } from '../../src/services/webhooks/operator-commands.ts';
import { useDatabase } from '../support/database.ts';
import { tester } from '../support/factories.ts';
import {
  deliveryOf,
  makeCall,
  makeEndpoint,
  makeEvent,
  useDeliveries,
  useReceiver,
  webhookDeps,
} from '../support/webhooks.ts';

const hour = 3_600_000;
const day = 24 * hour;

describe('a webhook delivery', () => {
  const db = useDatabase();
  const receiver = useReceiver();
  const the = useDeliveries(db, receiver);

  describe('to an endpoint that is gone', () => {
    it('disables it at 410, ends what waits for it and tells the other endpoints', async () => {
      const { endpoint, id } = await the.made();
      const waiting = await deliveryOf(db.sql, await makeEvent(db.sql, the.call), endpoint.id);
      const other = await makeEndpoint(db.sql, the.call, `${receiver.url}/other`);
      receiver.answer = (_request, response) => response.writeHead(410).end();
      assert.equal((await the.attempt(id))?.status, 'failed');

      const after = await getWebhookEndpoint(db.sql, the.call, endpoint.id);
      assert.deepEqual([after.status, after.disabled_reason], ['disabled', 'gone']);
      for (const each of [id, waiting]) {
        const delivery = await the.read(each);
        assert.deepEqual([delivery.status, delivery.failure_reason], ['failed', 'endpoint disabled']);
      }
      const told = await db.sql`
        select d.endpoint_id, e.data->>'id' as about, e.data->>'secret' as secret
        from events e join webhook_deliveries d on d.event_id = e.id
        where e.event_type = 'webhook_endpoint.disabled' and e.biller_id = ${the.call.billerId}`;
      assert.deepEqual([...told], [{ endpoint_id: other.id, about: endpoint.id, secret: null }]);
    });

    it('disables it once, without a deadlock, when all of its deliveries hear 410 while it is deleted', async () => {
      const { endpoint } = await the.made();
      const events = await Promise.all(Array.from({ length: 30 }, () => makeEvent(db.sql, the.call)));
      const ids = await Promise.all(events.map((eventId) => deliveryOf(db.sql, eventId, endpoint.id)));
      receiver.answer = (_request, response) => response.writeHead(410).end();
      const remove = () => deleteWebhookEndpoint(db.sql, the.call, endpoint.id);
      const made = await Promise.all(ids.map((id, index) => (index === 15 ? remove() : the.attempt(id))));
      assert.equal(made.length, 30);
      const rows = await db.sql`
        select status, count(*)::integer as n from webhook_deliveries where endpoint_id = ${endpoint.id} group by 1`;
      assert.deepEqual([...rows], [{ status: 'failed', n: 31 }]);
      const [told] = await db.sql`
        select count(*)::integer as n from events
        where event_type = 'webhook_endpoint.disabled' and subject_id = ${endpoint.id}`;
      assert.ok(told?.n <= 1);
    });

    it('disables it after five days of nothing but failure, and not when it has answered in between', async () => {
      receiver.answer = the.fail;
      const { endpoint, id } = await the.made();
      await the.attempt(id);
      const state = async () => (await getWebhookEndpoint(db.sql, the.call, endpoint.id)).disabled_reason;
      const next = async () => {
        const eventId = await makeEvent(db.sql, { ...the.call, now: the.now });
        return the.attempt(await deliveryOf(db.sql, eventId, endpoint.id));
      };
      the.pass(4 * day);
      receiver.answer = undefined;
      assert.equal((await next())?.status, 'delivered');
      receiver.answer = the.fail;
      the.pass(2 * day);
      await next();
      assert.equal(await state(), null);
      the.pass(5 * day - 1);
      await next();
      assert.equal(await state(), null);
      the.pass(1);
      assert.equal((await next())?.status, 'failed');
      assert.equal(await state(), 'failing');
    });

    it('ends when the endpoint is deleted or disabled, without another POST', async () => {
      const deleted = await the.made();
      await deleteWebhookEndpoint(db.sql, the.call, deleted.endpoint.id);
      assert.equal((await the.read(deleted.id)).failure_reason, 'endpoint deleted');
      const disabled = await the.made();
      await updateWebhookEndpoint(db.sql, the.call, disabled.endpoint.id, { status: 'disabled' }, webhookDeps);
      assert.equal((await the.read(disabled.id)).failure_reason, 'endpoint disabled');
      // Made pending behind the endpoint's back, as by a fan-out that was under way at that moment.
      await db.sql`
        update webhook_deliveries set status = 'pending', failure_reason = null, finished_at = null
        where id in (${deleted.id}, ${disabled.id})`;
      assert.equal((await the.attempt(deleted.id))?.lastAnswer, 'endpoint deleted');
      assert.equal((await the.attempt(disabled.id))?.lastAnswer, 'endpoint disabled');
      assert.equal(receiver.received.length, 0);
      assert.equal((await the.read(deleted.id)).status, 'failed');
    });

    it('stays ended, with the attempt on record, when the endpoint is deleted while it answers with an error', async () => {
      const { endpoint, id } = await the.made();
      receiver.answer = async (_request, response) => {
        await deleteWebhookEndpoint(db.sql, the.call, endpoint.id);
        response.writeHead(500).end();
      };
      assert.equal((await the.attempt(id))?.status, 'failed');
      const delivery = await the.read(id);
      assert.deepEqual([delivery.failure_reason, delivery.attempts.length], ['endpoint deleted', 1]);
    });
  });

  describe('retried by hand', () => {
    const intentOf = async (id: string) => {
      const [row] = await db.sql`
        select start, signal from workflow_intents where subject_id = ${id} order by id desc limit 1`;
      return row;
    };

    it('begins a fresh series when it had failed, and its old attempts stay', async () => {
      const { id } = await the.made();
      receiver.answer = the.fail;
      for (let after = 0; after < 10; after++) await the.attempt(id, after);
      assert.equal((await the.read(id)).status, 'failed');
      const retried = await retryWebhookDelivery(db.sql, { ...the.call, now: the.now }, id);
      assert.deepEqual([retried.status, retried.failure_reason], ['pending', null]);
      assert.deepEqual(await intentOf(id), { start: true, signal: 'retryNow' });
      const progress = await the.attempt(id);
      assert.deepEqual([progress?.status, progress?.attempts, progress?.waitMs], ['pending', 11, 5000]);
      receiver.answer = undefined;
      assert.equal((await the.attempt(id, 11))?.status, 'delivered');
      assert.equal((await the.read(id)).attempts.length, 12);
    });

    it('is due at once when it was waiting, and goes on with its series', async () => {
      const { id } = await the.made();
      receiver.answer = the.fail;
      await the.attempt(id);
      await the.attempt(id, 1);
      await retryWebhookDelivery(db.sql, { ...the.call, now: the.now }, id);
      const progress = await the.attempt(id);
      assert.deepEqual([progress?.attempts, progress?.waitMs], [3, 30 * 60_000]);
    });

    it('is sent again when it had been delivered', async () => {
      const { id } = await the.made();
      await the.attempt(id);
      await retryWebhookDelivery(db.sql, the.call, id);
      assert.equal((await the.attempt(id))?.status, 'delivered');
      assert.equal(receiver.received.length, 2);
    });

    it('is refused while the endpoint is disabled or deleted, and to strangers', async () => {
      const { endpoint, id } = await the.made();
      await assert.rejects(retryWebhookDelivery(db.sql, await makeCall(db.sql), id), NotFound);
      await assert.rejects(retryWebhookDelivery(db.sql, { ...the.call, livemode: true }, id), NotFound);
      await updateWebhookEndpoint(db.sql, the.call, endpoint.id, { status: 'disabled' }, webhookDeps);
      await assert.rejects(retryWebhookDelivery(db.sql, the.call, id), InvalidState);
      await deleteWebhookEndpoint(db.sql, the.call, endpoint.id);
      await assert.rejects(retryWebhookDelivery(db.sql, the.call, id), InvalidState);
    });

    it('can be given up by an operator', async () => {
      const { id } = await the.made();
      await giveUpDelivery(db.sql, id, the.now);
      await assert.rejects(
        giveUpDelivery(db.sql, id, the.now),
        /^CommandRefused: Nothing to give up: the delivery is failed/,
      );
      const delivery = await the.read(id);
      assert.deepEqual([delivery.status, delivery.failure_reason], ['failed', 'given up by an operator']);
    });
  });

  describe('in a replay', () => {
    it('is made for what failed, what waits, and what was never sent, and with "all" for what was delivered', async () => {
      const since = new Date(the.now.getTime() - 1000).toISOString();
      const { endpoint, id: delivered } = await the.made();
      await the.attempt(delivered);
      const deliveryOfNext = async () => deliveryOf(db.sql, await makeEvent(db.sql, the.call), endpoint.id);
      const failed = await deliveryOfNext();
      const waiting = await deliveryOfNext();
      await giveUpDelivery(db.sql, failed, the.now);
      receiver.answer = the.fail;
      await the.attempt(waiting);
      await updateWebhookEndpoint(db.sql, the.call, endpoint.id, { status: 'disabled' }, webhookDeps);
      const missed = await makeEvent(db.sql, the.call);
      await makeEvent(db.sql, await makeCall(db.sql));
      await assert.rejects(replayWebhookDeliveries(db.sql, the.call, endpoint.id, { since }), InvalidState);
      await updateWebhookEndpoint(db.sql, the.call, endpoint.id, { status: 'enabled' }, webhookDeps);

      const later = { ...the.call, now: addMs(the.now, 1000) };
      const replayed = await replayWebhookDeliveries(db.sql, later, endpoint.id, { since });
      assert.deepEqual(replayed, { enqueued: 3, hasMore: false, lastEventId: missed });
      const pending = await db.sql<{ id: string }[]>`
        select id from webhook_deliveries where endpoint_id = ${endpoint.id} and status = 'pending' order by id`;
      assert.deepEqual(
        pending.map((row) => row.id),
        [failed, waiting, await deliveryOf(db.sql, missed, endpoint.id)],
      );
      the.now = later.now;
      receiver.reset();
      for (const { id } of pending) assert.equal((await the.attempt(id))?.status, 'delivered');
      assert.deepEqual(receiver.received.at(-1)?.headers['webhook-id'], missed);

      assert.equal((await replayWebhookDeliveries(db.sql, later, endpoint.id, { since })).enqueued, 0);
      const all = { since, status: 'all' as const };
      assert.equal((await replayWebhookDeliveries(db.sql, later, endpoint.id, all)).enqueued, 4);
    });

    it('takes 10,000 events at a time, the oldest first, and goes on after the last of them', async () => {
      await makeEvent(db.sql, the.call);
      const endpoint = await makeEndpoint(db.sql, the.call, receiver.url);
      const { billerId, now } = the.call;
      const recordedAt = new Date(now.getTime() - hour);
      const [{ last: before }] = await db.sql<[{ last: number }]>`
        with counter as (
          update event_sequences set last_sequence = last_sequence + 10003
          where biller_id = ${billerId} and not livemode
          returning last_sequence - 10003 as last
        ), made as (
          insert into events (id, biller_id, livemode, sequence, event_type, subject_id, data, created_at, recorded_at)
          select 'evt_' || lpad(n::text, 32, '0'), ${billerId}, false, last + n, 'payment_plan.closed', ${endpoint.id},
            '{}', ${recordedAt}, ${recordedAt}
          from counter, generate_series(1, 10003) n
        )
        select last from counter`;
      const eventAt = async (sequence: number) => {
        const [event] = await db.sql`
          select id from events where biller_id = ${billerId} and not livemode and sequence = ${sequence}`;
        return event?.id;
      };
      const all = { since: recordedAt.toISOString(), until: recordedAt.toISOString(), status: 'all' as const };
      const first = await replayWebhookDeliveries(db.sql, the.call, endpoint.id, all);
      const last = await eventAt(before + 10_000);
      assert.deepEqual(first, { enqueued: 10_000, hasMore: true, lastEventId: last });
      const rest = { ...all, starting_after: last };
      assert.deepEqual(await replayWebhookDeliveries(db.sql, the.call, endpoint.id, rest), {
        enqueued: 3,
        hasMore: false,
        lastEventId: await eventAt(before + 10_003),
      });
      const nothing = { ...all, starting_after: await eventAt(before + 10_003) };
      assert.deepEqual(await replayWebhookDeliveries(db.sql, the.call, endpoint.id, nothing), {
        enqueued: 0,
        hasMore: false,
        lastEventId: null,
      });
      const foreign = { ...all, starting_after: await makeEvent(db.sql, await makeCall(db.sql)) };
      await assert.rejects(replayWebhookDeliveries(db.sql, the.call, endpoint.id, foreign), ValidationFailed);
      await db.sql`delete from webhook_deliveries where endpoint_id = ${endpoint.id}`;
    });

    it('takes what was recorded so far, also by a process whose clock is ahead', async () => {
      const endpoint = await makeEndpoint(db.sql, the.call, receiver.url);
      await db.sql`update webhook_endpoints set status = 'disabled', disabled_reason = 'failing' where id = ${endpoint.id}`;
      const since = new Date(the.now.getTime() - hour);
      const ahead = addMs(the.now, 1_000);
      const eventId = await makeEvent(db.sql, { ...the.call, now: ahead });
      const origin = { by: tester, now: the.now };
      assert.deepEqual(await enableByOperator(db.sql, endpoint.id, origin), { deliveries: 1, hasMore: false });
      await the.attempt(await deliveryOf(db.sql, eventId, endpoint.id));
      const all = { since: since.toISOString(), status: 'all' as const };
      const range = { ...all, until: the.now.toISOString() };
      assert.equal((await replayWebhookDeliveries(db.sql, the.call, endpoint.id, range)).enqueued, 0);
      assert.equal((await replayWebhookDeliveries(db.sql, the.call, endpoint.id, all)).enqueued, 1);
    });

    it('keeps to the range and to what the endpoint subscribes to', async () => {
      const endpoint = await makeEndpoint(db.sql, the.call, receiver.url, ['payment_plan.*']);
      const at = (hours: number) => addMs(the.now, hours * hour);
      const recorded = async (hours: number, type: 'payment_plan.closed' | 'refund.failed' = 'payment_plan.closed') => {
        const eventId = await makeEvent(db.sql, { ...the.call, now: at(hours) }, { type });
        if (type === 'payment_plan.closed') {
          await giveUpDelivery(db.sql, await deliveryOf(db.sql, eventId, endpoint.id), at(hours));
        }
        return eventId;
      };
      await recorded(-3);
      const wanted = await recorded(-2);
      await recorded(-2, 'refund.failed');
      await recorded(-1);
      const range = { since: at(-2).toISOString(), until: at(-1.5).toISOString() };
      assert.equal((await replayWebhookDeliveries(db.sql, the.call, endpoint.id, range)).enqueued, 1);
      assert.equal((await the.read(await deliveryOf(db.sql, wanted, endpoint.id))).status, 'pending');
    });
  });

  describe('of a ping', () => {
    it('goes to the endpoint alone, whatever it subscribes to', async () => {
      await makeEndpoint(db.sql, the.call, `${receiver.url}/other`);
      const endpoint = await makeEndpoint(db.sql, the.call, `${receiver.url}/pinged`, ['refund.failed']);
      const delivery = await pingWebhookEndpoint(db.sql, the.call, endpoint.id);
      assert.deepEqual([delivery.event_type, delivery.status], ['webhook_endpoint.ping', 'pending']);
      assert.equal((await the.attempt(delivery.id))?.status, 'delivered');
      assert.deepEqual(
        receiver.received.map(({ path }) => path),
        ['/pinged'],
      );
      const [count] = await db.sql`
        select count(*)::integer as n from webhook_deliveries where event_id = ${delivery.event_id}`;
      assert.equal(count?.n, 1);
    });

    it('is refused to a disabled endpoint', async () => {
      const endpoint = await makeEndpoint(db.sql, the.call, receiver.url);
      await updateWebhookEndpoint(db.sql, the.call, endpoint.id, { status: 'disabled' }, webhookDeps);
      await assert.rejects(pingWebhookEndpoint(db.sql, the.call, endpoint.id), InvalidState);
    });
  });
});
