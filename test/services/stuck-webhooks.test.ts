import assert from 'node:assert/strict';
import { addMs } from '../../src/domain/instants.ts';
import { findFailingLately } from '../../src/operations/stuck/stuck.ts';
import { type RealInstant, realNow } from '../../src/platform/real-time.ts';
import { attemptDelivery } from '../../src/services/webhooks/attempt.ts';
import { useDatabase } from '../support/database.ts';
import { stuckBySubject } from '../support/stuck.ts';
import { makeEvent, useDeliveries, useReceiver } from '../support/webhooks.ts';

const minute = 60_000;
const day = 24 * 60 * minute;

describe('what is stuck of webhooks', () => {
  const db = useDatabase();
  const receiver = useReceiver();
  const ago = (milliseconds: number) => addMs(realNow(), -milliseconds);
  const told = (subjectId: string | null, later = 0) => stuckBySubject(db.sql, subjectId, later);
  const kinds = async (subjectId: string | null, later = 0) => Object.keys(await told(subjectId, later)).sort();
  const harness = useDeliveries(db, receiver);
  const attemptAt = (id: string, now: RealInstant) =>
    attemptDelivery(db.sql, { ...harness.deps, now: () => now }, id, null);

  it('finds an endpoint whose deliveries are not made: how many, and the oldest', async () => {
    const { sql } = db;
    const { endpoint, id } = await harness.made();
    await makeEvent(sql, harness.call);
    assert.deepEqual(await kinds(endpoint.id), []);
    const { delivery_backlog: stuck } = await told(endpoint.id, 6 * minute);
    const why = new RegExp(
      `^2 due and not attempted, the oldest is ${id}; they go to ${receiver.url}; nothing was sent there yet; ` +
        'the next attempt is at 20',
    );
    assert.match(stuck?.why ?? '', why);
    assert.doesNotMatch(stuck?.why ?? '', /hook/, 'a path may hold secrets');
    assert.ok(stuck?.remedy.includes(`ops -- retry-delivery ${id}`));
    assert.equal(stuck?.workflow_id, `webhook-delivery/${id}`);
  });

  it('finds a receiver that has only failed for a day, and one that was disabled for it', async () => {
    const { sql } = db;
    const { endpoint, id } = await harness.made();
    receiver.answer = harness.fail;
    await attemptAt(id, realNow());
    assert.equal((await kinds(endpoint.id, day - minute)).includes('endpoint_failing'), false);
    const lately = async (later: number) =>
      (await findFailingLately(sql, ago(-later))).filter((one) => one.id === endpoint.id);
    const [{ pending, last_error, origin } = {}] = await lately(day - minute);
    assert.deepEqual([pending, last_error, origin], [1, 'status 500', receiver.url], 'known before it is stuck');
    assert.deepEqual(await lately(day + minute), []);
    const { endpoint_failing: failing } = await told(endpoint.id, day + minute);
    const news = `to ${receiver.url}; the last attempt, at \\S+Z: status 500`;
    assert.match(failing?.why ?? '', new RegExp(`^1 waiting: ${news}; the next attempt is at 20\\S+Z$`));
    assert.ok(failing?.remedy.endsWith(`npm run --silent ops -- retry-delivery ${endpoint.id}.`));

    await attemptDelivery(sql, { ...harness.deps, now: () => ago(-6 * day) }, id, 1);
    const { endpoint_failing: disabled } = await told(endpoint.id, 7 * day);
    assert.match(disabled?.why ?? '', new RegExp(`^disabled after days of failure: ${news}; no attempt follows$`));
    assert.ok(disabled?.remedy.includes(`ops -- enable-endpoint ${endpoint.id}`));
    assert.equal((await kinds(endpoint.id, 37 * day)).includes('endpoint_failing'), false, 'not for ever');
  });

  it('leaves an endpoint alone that its receiver or its biller has given up', async () => {
    const { sql } = db;
    const { endpoint, id } = await harness.made();
    receiver.answer = (_request, response) => response.writeHead(410).end();
    await attemptAt(id, realNow());
    const [row] = await sql`select disabled_reason from webhook_endpoints where id = ${endpoint.id}`;
    assert.equal(row?.disabled_reason, 'gone');
    assert.deepEqual(await kinds(endpoint.id, 2 * day), []);
  });
});
