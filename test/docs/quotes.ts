// The tests of the walk "a new subject". `new-subject.test.ts` runs them on the copy that has the new kind. Here it
// does not exist, so these are only names.
import assert from 'node:assert/strict';
import { describe, it } from 'mocha';
import { eventually } from '../../lab/eventually.ts';
import { createCollectionActivities } from '../../src/activities/collection-activities.ts';
import type { WorkflowType } from '../../src/messages/workflow-types.ts';
import { sendCommand, startOver } from '../../src/operations/operator-commands.ts';
import { findMismatches } from '../../src/operations/reconciler/reconciler.ts';
import { sampleBacklogs } from '../../src/operations/samples.ts';
import { stuckDefinitions } from '../../src/operations/stuck/definitions.ts';
import { findStuck } from '../../src/operations/stuck/find-stuck.ts';
import { stuckKinds } from '../../src/operations/stuck/stuck.ts';
import { realNow } from '../../src/platform/real-time.ts';
import { startEntry } from '../../src/services/wake.ts';
import type { Merchant } from '../support/merchant.ts';
import { useService } from '../support/service.ts';

const quoteType: string = 'quote';
const dayMs = 86_400_000;

describe('quotes', () => {
  const service = useService({ isAlone: true });

  async function quoteFor(merchant: Merchant, customerId: string, lapsesAt: string): Promise<string> {
    const body = { customer_id: customerId, amount: 2500, lapses_at: lapsesAt };
    const reply = await merchant.request('POST', '/quotes', body);
    assert.equal(reply.status, 201, JSON.stringify(reply.body));
    return String(reply.body.id);
  }
  async function quoteInRealTime(lapsesAt: Date): Promise<{ merchant: Merchant; id: string }> {
    const merchant = await service.merchant();
    const { id: customer } = await merchant.customer();
    return { merchant, id: await quoteFor(merchant, customer, lapsesAt.toISOString()) };
  }
  const tomorrow = () => new Date(realNow().getTime() + dayMs);
  const handleOf = (id: string) => service.temporal.workflow.getHandle(`quote/${id}`);
  const statusOf = async (id: string) =>
    (await service.db.sql<{ status: string }[]>`select status from quotes where id = ${id}`)[0]?.status;
  const isRunning = (id: string) =>
    handleOf(id)
      .describe()
      .then(
        ({ status }) => status.name === 'RUNNING',
        () => false,
      );
  const pageOf = async (id: string): Promise<string> => {
    const metadata = await handleOf(id).query<{ currentDetails?: string }>('__temporal_workflow_metadata');
    return metadata.currentDetails ?? '';
  };

  it('lapse when their test clock passes their time, as the dry run of the advance has shown', async () => {
    const merchant = await service.merchant();
    const { clock, payer } = await merchant.customerOnClock('2027-01-04T00:00:00Z');
    const id = await quoteFor(merchant, payer.id, '2027-01-11T00:00:00Z');
    const target = { frozen_time: '2027-01-12T00:00:00Z' };
    const path = `/test_helpers/test_clocks/${clock.id}`;
    const dryRun = await merchant.request('POST', `${path}/advance`, { ...target, dry_run: true });
    await merchant.advance(clock.id, target.frozen_time);
    const effects = await merchant.request('GET', `${path}/effects`);
    const shown = (list: unknown) =>
      (list as { object_id: string; event_type: string; at: string }[]).map((it) => [
        it.object_id,
        it.event_type,
        it.at,
      ]);
    const expected = [[id, 'quote.lapsed', '2027-01-11T00:00:00.000Z']];
    assert.deepEqual([shown(dryRun.body.effects), shown(effects.body.data)], [expected, expected]);
    const listed = await merchant.request('GET', '/quotes');
    assert.deepEqual((listed.body.data as { status: string }[])[0]?.status, 'lapsed');
    assert.match(await pageOf(id), /^### Quote: lapsed, on a test clock$/m);
  });

  it('lapse in real time, with an event', async () => {
    const { merchant, id } = await quoteInRealTime(new Date(realNow().getTime() + 1_000));
    await eventually('it has lapsed', async () => (await statusOf(id)) === 'lapsed');
    const events = await merchant.events({ event_type: 'quote.lapsed' });
    assert.deepEqual(
      events.map(({ data }) => [data.id, data.status]),
      [[id, 'lapsed']],
    );
  });

  it('show operators what they wait for, and are rechecked by them', async () => {
    const lapsesAt = tomorrow();
    const { id } = await quoteInRealTime(lapsesAt);
    await eventually('its workflow runs', () => isRunning(id));
    await eventually('its page says what it waits for', async () =>
      /^Waits for \*\*its end\*\*/m.test(await pageOf(id)),
    );
    const page = await pageOf(id);
    assert.match(page, /^### Quote: open$/m);
    assert.ok(page.includes(`Lets quote ${id} lapse at its time.`) && page.includes('`GET /api/v1/quotes`'), page);
    const operations = { sql: service.db.sql, sides: service.sides, by: { kind: 'command_line', id: 'ada' } as const };
    const result = await sendCommand(operations, id, { name: 'recheck' });
    assert.equal(result, `Read again: open; next is its end, at ${lapsesAt.toISOString()}.`);
    const audited = await service.db.sql`select action from audit_log where subject_id = ${id}`;
    assert.deepEqual(
      audited.map(({ action }) => action),
      ['quote.rechecked'],
    );
    assert.match(await startOver(operations, id), /^quote\/qt_\w+ was ended, and is started again\.$/);
  });

  it('are missed by the reconciler without a workflow, and stuck when they are overdue', async () => {
    const { id } = await quoteInRealTime(tomorrow());
    await eventually('its workflow runs', () => isRunning(id));
    await handleOf(id).terminate('lost');
    const missing = await findMismatches(service.db.sql, service.sides[0]);
    assert.deepEqual(
      missing.map(({ workflowType, subjectId, problem }) => [workflowType, subjectId, problem]),
      [['quote', id, 'missing']],
    );
    const due = new Date(realNow().getTime() - 3_600_000);
    await service.db.sql`update quotes set wake_at = ${due} where id = ${id}`;
    const reports = await findStuck(service.db.sql, stuckDefinitions, realNow());
    const [stuck] = reports.find(({ kind }) => kind === 'quote_overdue')?.found ?? [];
    assert.deepEqual(
      [stuck?.subject_id, stuck?.workflow_id, stuck?.why],
      [id, `quote/${id}`, 'its time is over, and it has not lapsed'],
    );
    assert.deepEqual((await sampleBacklogs(service.db.sql, realNow())).oldest_due_at, due);
    await service.db.sql`delete from quotes where id = ${id}`;
  });

  it('end with their test clock, and so do their workflows', async () => {
    const merchant = await service.merchant();
    const { clock, payer } = await merchant.customerOnClock('2027-01-04T00:00:00Z');
    const id = await quoteFor(merchant, payer.id, '2027-01-11T00:00:00Z');
    await eventually('its workflow runs', () => isRunning(id));
    await merchant.deleteClock(clock.id);
    await eventually('its workflow has ended', async () => !(await isRunning(id)));
    assert.match(await pageOf(id), /^### Quote: deleted/m);
  });

  it('are known to the outbox, the activities and the kinds of stuck', () => {
    const { workflowId, start } = startEntry(quoteType as WorkflowType, { id: 'qt_1', livemode: false });
    assert.deepEqual([workflowId, start], ['quote/qt_1', true]);
    const activities = createCollectionActivities({
      sql: service.db.sql,
      processors: { sandbox: null as never, live: null },
    });
    assert.deepEqual(
      Object.keys(activities).filter((name) => name.endsWith('Quote')),
      ['readQuote', 'lapseQuote', 'pressQuote'],
    );
    assert.ok(stuckKinds.includes('quote_overdue'));
  });
});
