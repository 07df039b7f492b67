import assert from 'node:assert/strict';
import { describe, it } from 'mocha';
import { eventually } from '../../lab/eventually.ts';
import { commands } from '../../src/messages/updates.ts';
import { statusQuery } from '../../src/messages/workflow-status.ts';
import { findMismatches, repair } from '../../src/operations/reconciler/reconciler.ts';
import { workflowIdOf } from '../../src/platform/postgres/outbox.ts';
import { realNow } from '../../src/platform/real-time.ts';
import { useService } from '../support/service.ts';

const invoice = { name: 'Invoice 1042', amount: 2500, currency: 'AUD' } as const;
const inSeconds = (seconds: number) => new Date(Number(realNow()) + seconds * 1000).toISOString();

describe('a payment link that Temporal drives', () => {
  const service = useService();
  const handleOf = (id: string) =>
    service.temporal.workflow.getHandle(workflowIdOf(id.startsWith('lnk_') ? 'paymentLink' : 'checkoutSession', id));
  const statusOf = async (id: string): Promise<string> => (await handleOf(id).describe()).status.name;

  it('expires in real time at its instant, with its event, and its workflow ends', async () => {
    const { client, events } = await service.merchant();
    const expires_at = inSeconds(2);
    const { id } = await client.paymentLinks.create({ ...invoice, expires_at });
    await eventually('it expires', async () => (await client.paymentLinks.get(id)).status === 'expired');
    const { expired_at: at } = await client.paymentLinks.get(id);
    const lateMs = Date.parse(at ?? '') - Date.parse(expires_at);
    assert.ok(lateMs >= 0 && lateMs < 5_000, `${lateMs} ms late`);
    assert.equal((await events({ event_type: 'payment_link.expired' })).length, 1);
    await eventually('its workflow ends', async () => (await statusOf(id)) === 'COMPLETED');
  });

  it('follows its date when that is changed, and gets a workflow when it first has one', async () => {
    const { client } = await service.merchant();
    const late = await client.paymentLinks.create({ ...invoice, expires_at: inSeconds(3_600) });
    const without = await client.paymentLinks.create(invoice);
    for (const { id } of [late, without]) await client.paymentLinks.update(id, { expires_at: inSeconds(1) });
    for (const { id } of [late, without]) {
      await eventually('it expires', async () => (await client.paymentLinks.get(id)).status === 'expired');
    }
  });

  it('shows an operator what it waits for, and can be rechecked', async () => {
    const { client } = await service.merchant();
    const expires_at = inSeconds(3_600);
    const { id } = await client.paymentLinks.create({ ...invoice, expires_at });
    await eventually('it waits', async () => {
      const status = await handleOf(id)
        .query(statusQuery)
        .catch(() => null);
      return status?.nextAt === Date.parse(expires_at) && status.waitsFor === 'its expiry';
    });
    const by = { kind: 'command_line', id: 'tester' } as const;
    const result = await handleOf(id).executeUpdate(commands.recheck, { args: [by] });
    assert.equal(result, `Read again: open; next is its expiry, at ${expires_at}.`);
    const page = await handleOf(id).query('__temporal_workflow_metadata');
    assert.match(JSON.stringify(page), /payment_links\/lnk_/);
  });

  it('ends a session with its link, and each workflow with its object', async () => {
    const { client } = await service.merchant();
    const session = await client.checkoutSessions.create(invoice);
    await eventually('its workflow runs', async () => (await statusOf(session.id).catch(() => '')) === 'RUNNING');
    await client.checkoutSessions.expire(session.id);
    await eventually('its workflow ends', async () => (await statusOf(session.id)) === 'COMPLETED');
  });

  it('expires in an advance at its own instant, thirty links of three customers in one', async () => {
    const merchant = await service.merchant();
    const clock = await merchant.clock('2027-01-04T00:00:00Z');
    const ids: string[] = [];
    for (let customers = 0; customers < 3; customers++) {
      const { id: customer_id } = await merchant.customer({ test_clock: clock.id });
      for (let day = 1; day <= 10; day++) {
        const expires_at = new Date(Date.parse('2027-01-04T09:00:00Z') + day * 86_400_000).toISOString();
        ids.push((await merchant.client.paymentLinks.create({ ...invoice, customer_id, expires_at })).id);
      }
    }
    await merchant.advance(clock.id, '2027-01-10T00:00:00Z');
    await merchant.advance(clock.id, '2027-02-04T00:00:00Z');
    assert.deepEqual(
      (await merchant.manifests(clock.id)).map(({ links_expired: count }) => count),
      [15, 15],
    );
    const links = await Promise.all(ids.map((id) => merchant.client.paymentLinks.get(id)));
    for (const { status, expired_at, expires_at } of links) {
      assert.deepEqual([status, expired_at], ['expired', expires_at]);
    }
    const { data } = await merchant.client.testClocks.listEffects(clock.id, { limit: 100 });
    assert.equal(data.length, 30);
  });

  it('gets its workflow back from the reconciler if Temporal has lost it', async () => {
    const { client } = await service.merchant();
    const { id } = await client.paymentLinks.create({ ...invoice, expires_at: inSeconds(3_600) });
    await eventually('its workflow runs', async () => (await statusOf(id).catch(() => '')) === 'RUNNING');
    await handleOf(id).terminate('lost');
    const [side] = service.sides;
    await eventually('it is missed', async () => {
      const mismatches = await findMismatches(service.db.sql, side);
      const missing = mismatches.filter(({ subjectId }) => subjectId === id);
      if (missing.length === 0) return false;
      assert.equal(missing[0]?.problem, 'missing');
      await repair(service.db.sql, service.sides, missing);
      return true;
    });
    await eventually('its workflow runs again', async () => (await statusOf(id)) === 'RUNNING');
  });
});
