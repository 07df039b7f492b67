import assert from 'node:assert/strict';
import { describe, it } from 'mocha';
import { eventually } from '../../lab/eventually.ts';
import { statusQuery } from '../../src/messages/workflow-status.ts';
import { workflowIdOf } from '../../src/messages/workflow-types.ts';
import { findMismatches, reconcile } from '../../src/operations/reconciler/reconciler.ts';
import { realNow } from '../../src/platform/real-time.ts';
import { listAudit } from '../../src/services/accounts/audit.ts';
import { useDebits } from '../support/debits.ts';
import { useService } from '../support/service.ts';

describe('the workflow of a bank debit in real time', () => {
  const service = useService({ isAlone: true });

  /** A payer in real time, with a bank account under an active mandate, and what tests do with its debits. */
  async function here() {
    const merchant = await service.merchant();
    const debits = useDebits({ merchant, request: merchant.request });
    const customer = (await merchant.customer()).id;
    const account = await debits.account(customer);
    await debits.active({ payment_method_id: account });
    return { merchant, debits, payer: { customer, account } };
  }
  /** The id of the debit of a payment, or of the first of a plan. */
  async function debitOf(id: string): Promise<string> {
    const [row] = await service.db.sql<{ attempt_id: string }[]>`
      select attempt_id from bank_debits where ${id} in (payment_intent_id::text, payment_plan_id::text)`;
    return row?.attempt_id ?? assert.fail('no debit');
  }
  const workflow = (id: string) => service.temporal.workflow.getHandle(workflowIdOf('bankDebit', id));
  const statusOf = async (id: string): Promise<string> => (await workflow(id).describe()).status.name;
  const runs = (id: string) =>
    eventually('its workflow runs', async () => (await statusOf(id).catch(() => '')) === 'RUNNING');
  const find = async (): Promise<string[]> => {
    const mismatches = await findMismatches(service.db.sql, service.sides[0]);
    return mismatches.map(({ problem, subjectId }) => `${problem} ${subjectId}`).sort();
  };
  const found = (lines: string[]) =>
    eventually(lines.join() || 'both agree', async () => (await find()).join() === [...lines].sort().join());
  /** As after a restart of PostgreSQL from a back-up of another time: the hand-over is due now. */
  const letFallDue = (id: string) =>
    service.db.sql`update bank_debits set next_at = ${realNow()}, hand_over_at = ${realNow()} where attempt_id = ${id}`;
  const submitted = (id: string) =>
    eventually('the bank has it', async () => {
      const [row] = await service.db.sql`select submitted_at from bank_debits where attempt_id = ${id}`;
      return row?.submitted_at !== null;
    });

  it('is started again by a comparison after it was terminated, and looks again if it waits for another instant', async () => {
    const { debits, payer } = await here();
    const id = await debitOf((await debits.debit(payer)).id);
    await runs(id);
    await found([]);
    await workflow(id).terminate();
    await found([`missing ${id}`]);
    await reconcile(service.db.sql, service.sides);
    await runs(id);
    await found([]);
    await letFallDue(id);
    await found([`stale ${id}`]);
    await reconcile(service.db.sql, service.sides);
    await submitted(id);
    await found([]);
  });

  it('is the plan’s for a debit of a plan: a recheck of the plan takes its step, and a comparison if it is late', async () => {
    const { debits, payer } = await here();
    const today = realNow().toISOString().slice(0, 10);
    const { id: plan } = await debits.plan(payer, undefined, { start_date: today });
    await eventually('it is accepted', async () => (await debits.slots(plan))[0] === '0 processing accepted');
    const id = await debitOf(plan);
    await assert.rejects(workflow(id).describe(), /workflow not found/);
    const byPlan = service.temporal.workflow.getHandle(workflowIdOf('paymentPlan', plan));
    await eventually('it waits for the hand-over', async () =>
      /^the hand-over to the bank: the debit of payment 1/.test((await byPlan.query(statusQuery)).waitsFor ?? ''),
    );
    const letPlanFallDue = (minutesAgo: number) => service.db.sql`
      with due as (
        update bank_debits set next_at = ${new Date(realNow().getTime() - minutesAgo * 60_000)}, hand_over_at = ${realNow()}
        where attempt_id = ${id} returning next_at
      )
      update payment_plans set next_debit_at = (select next_at from due) where id = ${plan}`;
    await letPlanFallDue(0);
    await byPlan.executeUpdate('recheck', { args: [undefined] });
    await submitted(id);
    await found([]);
    await letPlanFallDue(6);
    await found([`stale ${plan}`]);
    await reconcile(service.db.sql, service.sides);
    await eventually('the bank was asked', async () => {
      const [row] = await service.db.sql`select next_at > now() as asked from bank_debits where attempt_id = ${id}`;
      return row?.asked;
    });
    await found([]);
  });

  it('says what it waits for, and by recheck hands over what is due', async () => {
    const { merchant, debits, payer } = await here();
    const { id: intent } = await debits.debit(payer);
    const id = await debitOf(intent);
    await runs(id);
    const shown = async () => {
      const details = (await workflow(id).query<{ currentDetails?: string }>('__temporal_workflow_metadata'))
        .currentDetails;
      return details ?? '';
    };
    await eventually('it has read the debit', async () => /Waits for/.test(await shown()));
    assert.match(await shown(), /^### Bank debit: accepted$/m);
    assert.match(await shown(), /Waits for \*\*the hand-over to the bank\*\*, at \d{4}-\d\d-\d\d 0[56]:00:00 UTC/);
    assert.ok((await shown()).includes(`GET /api/v1/payment_intents/${intent}`), await shown());
    const recheck = () => workflow(id).executeUpdate<string, [unknown]>('recheck', { args: ['ada'] });
    assert.match(await recheck(), /^Read again: /);
    assert.equal((await merchant.getIntent(intent)).status, 'processing');
    await letFallDue(id);
    await recheck();
    await submitted(id);
    await eventually(
      'it waits for the bank',
      async () => (await workflow(id).query(statusQuery)).waitsFor === 'the result from the bank',
    );
    const audited = (await listAudit(service.db.sql, { limit: 100 })).filter(({ subject_id }) => subject_id === id);
    assert.deepEqual(
      audited.map(({ action, actor }) => [action, actor]),
      [
        ['bank_debit.rechecked', { kind: 'operator', id: 'ada' }],
        ['bank_debit.rechecked', { kind: 'operator', id: 'ada' }],
      ],
    );
  });
});
