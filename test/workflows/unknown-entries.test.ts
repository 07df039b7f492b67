import assert from 'node:assert/strict';
import { eventually } from '../../lab/eventually.ts';
import { newId } from '../../src/domain/ids.ts';
import { deleteUnknownEntry } from '../../src/operations/unknown-entries.ts';
import { atomically } from '../../src/platform/postgres/transaction.ts';
import { listAudit } from '../../src/services/accounts/audit.ts';
import { CommandRefused } from '../../src/services/command-refused.ts';
import { tester } from '../support/factories.ts';
import { useService } from '../support/service.ts';
import { stuckBySubject } from '../support/stuck.ts';

describe('outbox entries of a type that this version does not know', function () {
  this.timeout(60_000);
  const service = useService({ isAlone: true });
  const operations = () => ({ sql: service.db.sql, sides: service.sides, by: tester });

  /**
   * Entries older than all others, as a newer version or a hand leaves them. Returns the id and subject of the first.
   */
  async function insert(type: string, count: number): Promise<{ id: string; subjectId: string }> {
    const subjects = Array.from({ length: count }, () => newId('payment_plan'));
    const [first] = await service.db.sql<{ id: number; subject_id: string }[]>`
      insert into workflow_intents (workflow_id, workflow_type, subject_id, livemode, start, created_at, available_at)
      select 'payment-plan/' || id, ${type}, id, false, true, now() - interval '1 hour', now() - interval '1 hour'
      from unnest(${subjects}::text[]) id
      returning id, subject_id`;
    assert.ok(first !== undefined);
    return { id: String(first.id), subjectId: first.subject_id };
  }

  it('hold up none behind them, however many they are: a plan is paid at once, and they stay as they were', async () => {
    const { sql } = service.db;
    const types = ['paymentHologram', 'webhookBundle', 'toString'];
    for (const type of types) await insert(type, 2_000);
    const merchant = await service.merchant();
    const { id } = await merchant.activePlan({ start_date: new Date().toISOString().slice(0, 10) });
    await eventually('it is paid', async () => (await merchant.payments(id))[0]?.status === 'paid', {
      timeoutMs: 10_000,
    });
    const left = await sql`
      select workflow_type, count(*)::integer as count, max(attempts) as attempts from workflow_intents
      group by workflow_type order by workflow_type collate "C"`;
    assert.deepEqual(
      [...left],
      types.sort().map((type) => ({ workflow_type: type, count: 2_000, attempts: 0 })),
    );
    await sql`delete from workflow_intents`;
  });

  it('are named each with the command that deletes it, and not as waiting for Temporal', async () => {
    const { sql } = service.db;
    const { id, subjectId } = await insert('paymentHologram', 1);
    const stuck = await stuckBySubject(sql, subjectId);
    assert.deepEqual(Object.keys(stuck), ['workflow_intent_unknown']);
    const { why = '', remedy = '' } = stuck.workflow_intent_unknown ?? {};
    assert.match(why, new RegExp(`^entry ${id} is for a workflow of the type "paymentHologram"`));
    assert.match(
      remedy,
      new RegExp(`ops -- delete-entry ${id}, and, if the object is there, .* recheck ${subjectId}\\.$`),
    );

    assert.equal(await deleteUnknownEntry(operations(), id), `Entry ${id} for payment-plan/${subjectId} is deleted.`);
    assert.deepEqual(await stuckBySubject(sql, subjectId), {});
    const [audited] = await listAudit(sql, { limit: 1 });
    assert.deepEqual([audited?.action, audited?.subject_id], ['outbox_entry.deleted', subjectId]);
    assert.deepEqual(audited?.changes.workflow_type, { from: 'paymentHologram', to: null });
  });

  it('alone are deleted by that command: one that is dispatched is refused, and so is one that is gone', async () => {
    const { sql } = service.db;
    await service.stopDispatcher();
    const { id } = await insert('paymentPlan', 1);
    for (const refused of [id, '999999', 'pp_1', ''])
      await assert.rejects(deleteUnknownEntry(operations(), refused), CommandRefused, refused);
    const [kept] = await atomically(sql, (tx) => tx`delete from workflow_intents where id = ${id} returning id`);
    assert.equal(String(kept?.id), id);
  });
});
