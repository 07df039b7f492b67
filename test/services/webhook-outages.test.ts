import assert from 'node:assert/strict';
import { afterEach, before, beforeEach, describe, it } from 'mocha';
import { type Link, openLink } from '../../faults/net/link.ts';
import { openPool, type Pool } from '../../src/platform/postgres/connection.ts';
import { attemptDelivery } from '../../src/services/webhooks/attempt.ts';
import { useDatabase } from '../support/database.ts';
import { useDeliveries, useReceiver } from '../support/webhooks.ts';

describe('an attempt of a delivery when the database goes away during its response', () => {
  const db = useDatabase();
  const receiver = useReceiver();
  const the = useDeliveries(db, receiver);
  let url: URL;
  let link: Link;
  let sql: Pool;

  before(() => {
    url = new URL(db.url);
  });
  beforeEach(async () => {
    link = await openLink('postgres', Number(url.port));
    const linked = new URL(db.url);
    linked.port = String(link.port);
    sql = openPool(linked.href, { max: 2, name: 'test' });
  });
  afterEach(async () => {
    await sql.end({ timeout: 1 });
    await link.close();
  });

  it('is recorded when the database is back, and not made again', async () => {
    const { id } = await the.made();
    receiver.answer = (_request, response) => {
      link.refuse();
      setTimeout(() => link.heal(), 600);
      response.writeHead(429, { 'retry-after': '120' }).end();
    };
    const progress = await attemptDelivery(sql, the.deps, id, null);
    assert.deepEqual([progress?.status, progress?.attempts], ['pending', 1]);
    assert.ok((progress?.waitMs ?? 0) >= 120_000, `the next one is made after ${progress?.waitMs} ms`);
    assert.equal(receiver.received.length, 1);
    assert.deepEqual(
      (await the.read(id)).attempts.map(({ status_code }) => status_code),
      [429],
    );
  });

  it('fails in the end, so that it is made again, when the database stays away', async function () {
    this.timeout(30_000);
    const { id } = await the.made();
    receiver.answer = (_request, response) => {
      link.refuse();
      response.end();
    };
    await assert.rejects(attemptDelivery(sql, the.deps, id, null), { code: /^ECONNRESET|^CONNECTION_/ });
    assert.equal((await the.read(id)).attempts.length, 0);
  });
});
