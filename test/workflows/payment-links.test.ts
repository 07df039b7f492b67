import assert from 'node:assert/strict';
import { WorkflowNotFoundError } from '@temporalio/client';
import { describe, it } from 'mocha';
import { eventually } from '../../lab/eventually.ts';
import { commands } from '../../src/messages/updates.ts';
import { statusQuery } from '../../src/messages/workflow-status.ts';
import { workflowIdOf } from '../../src/messages/workflow-types.ts';
import { findMismatches } from '../../src/operations/reconciler/reconciler.ts';
import { repair } from '../../src/operations/reconciler/repair.ts';
import { realNow } from '../../src/platform/real-time.ts';
import { useDebits } from '../support/debits.ts';
import { useService } from '../support/service.ts';

const invoice = { name: 'Invoice 1042', amount: 2500, currency: 'AUD' } as const;
const inSeconds = (seconds: number) => new Date(Number(realNow()) + seconds * 1000).toISOString();

describe('a payment link that Temporal drives', () => {
  const service = useService({ isAlone: true });
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

  it('expires in one workflow task, and so does a session: neither is woken by what it has done itself', async () => {
    const { client } = await service.merchant();
    const link = await client.paymentLinks.create({ ...invoice, expires_at: inSeconds(2) });
    const session = await client.checkoutSessions.create(invoice);
    const soon = new Date(Number(realNow()) + 2_000);
    await service.db.sql`
      update checkout_sessions set expires_at = ${soon}, wake_at = ${soon} where id = ${session.id}`;
    await eventually('it has its workflow', () => statusOf(session.id).catch(() => null));
    await handleOf(session.id).signal('poke');
    for (const { id } of [link, session]) {
      await eventually('its workflow ends', async () => (await statusOf(id).catch(() => '')) === 'COMPLETED');
      const { events } = await handleOf(id).fetchHistory();
      const steps = (events ?? []).map((event) =>
        Object.keys(event).find(
          (name) => name.endsWith('EventAttributes') && event[name as keyof typeof event] !== null,
        ),
      );
      const expiry = steps.slice(steps.lastIndexOf('timerFiredEventAttributes') + 1);
      assert.deepEqual(
        expiry.filter((step) => /^workflow(Task|ExecutionSignaled)/.test(step ?? '')),
        ['Scheduled', 'Started', 'Completed'].map((step) => `workflowTask${step}EventAttributes`),
      );
    }
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

  it('expires on a clock in an advance at its own instant, without a workflow, thirty of three customers', async () => {
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
    const [first = ''] = ids;
    await assert.rejects(handleOf(first).describe(), WorkflowNotFoundError);
  });

  it('expires on a clock between the steps of the debits of its payer, who has given a mandate', async () => {
    const merchant = await service.merchant();
    const debits = useDebits({ merchant, request: merchant.request });
    const payer = await debits.payer('2027-03-01T00:00:00Z');
    const { id: debit } = await debits.debit(payer, 'late_dishonour');
    for (const day of [2, 3, 10]) {
      const expires_at = `2027-03-${String(day).padStart(2, '0')}T00:00:00Z`;
      await merchant.client.paymentLinks.create({ ...invoice, customer_id: payer.customer, expires_at });
    }
    await merchant.client.checkoutSessions.create({ ...invoice, customer_id: payer.customer });
    await merchant.advance(payer.clock, '2027-03-20T00:00:00Z');
    assert.deepEqual((await merchant.manifests(payer.clock)).at(-1)?.links_expired, 3);
    const events = await merchant.events({ test_clock: payer.clock });
    const story = events
      .filter(({ event_type: type, data }) => data.id === debit || /expired/.test(type))
      .map(({ event_type: type, created_at: at }) => `${at.slice(5, 13)} ${type}`);
    assert.deepEqual(story.slice(-6), [
      '03-02T00 payment_link.expired',
      '03-02T00 checkout_session.expired',
      '03-02T22 payment_intent.succeeded',
      '03-03T00 payment_link.expired',
      '03-07T22 payment_intent.returned',
      '03-10T00 payment_link.expired',
    ]);
  });

  it('fails the advance of its clock if it cannot be ended, with a reason that names it', async () => {
    const merchant = await service.merchant();
    const { clock, payer } = await merchant.customerOnClock('2027-01-04T09:00:00Z');
    const terms = { customer_id: payer.id, expires_at: '2027-01-05T09:00:00Z' };
    const { id } = await merchant.client.paymentLinks.create({ ...invoice, ...terms });
    await service.db.sql.unsafe(
      `alter table payment_links add constraint broken check (id <> '${id}' or status <> 'expired')`,
    );
    await merchant.beginAdvance(clock.id, '2027-01-06T09:00:00Z');
    const { status, failure_reason: reason } = await merchant.stopped(clock.id);
    await service.db.sql`alter table payment_links drop constraint broken`;
    assert.equal(status, 'failed');
    assert.match(reason ?? '', new RegExp(`^${id}: new row .* violates check constraint "broken"`));
  });

  it('has a workflow on a clock only from a version before: the reconciler lets it look, and it ends', async () => {
    const merchant = await service.merchant();
    const { clock, payer } = await merchant.customerOnClock('2027-01-04T09:00:00Z');
    // In the version before, a link on a clock had a workflow, as one in real time still has.
    const { id } = await merchant.client.paymentLinks.create({ ...invoice, expires_at: inSeconds(3_600) });
    await eventually('its workflow waits', async () => {
      const shown = await handleOf(id)
        .query(statusQuery)
        .catch(() => null);
      return shown?.waitsFor === 'its expiry';
    });
    await service.db.sql`
      update payment_links set customer_id = ${payer.id}, test_clock_id = ${clock.id},
        expires_at = '2027-01-06T09:00:00Z', wake_at = '2027-01-06T09:00:00Z'
      where id = ${id}`;
    const [side] = service.sides;
    const found = (await findMismatches(service.db.sql, side)).filter(({ subjectId }) => subjectId === id);
    assert.deepEqual(
      found.map(({ problem }) => problem),
      ['orphaned'],
    );
    await repair(service.db.sql, service.sides, found);
    await eventually('its workflow ends', async () => (await statusOf(id)) === 'COMPLETED');
    assert.equal((await merchant.client.paymentLinks.get(id)).status, 'open');
    // A process of that version starts one when it makes or changes a link.
    const startedAgain = await service.temporal.workflow.start('paymentLink', {
      workflowId: workflowIdOf('paymentLink', id),
      taskQueue: service.taskQueue,
      args: [id],
    });
    await startedAgain.result();
    await merchant.advance(clock.id, '2027-01-07T09:00:00Z');
    assert.equal((await merchant.client.paymentLinks.get(id)).expired_at, '2027-01-06T09:00:00.000Z');
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
