import assert from 'node:assert/strict';
import { realNow } from '../../src/platform/real-time.ts';
import { monday, useDebits } from '../support/debits.ts';
import { useStage } from '../support/stage.ts';
import { stuckBySubject } from '../support/stuck.ts';

const minute = 60_000;
const hour = 60 * minute;

describe('bank debits that are stuck by what PostgreSQL knows', () => {
  const stage = useStage({ isDamaged: true });
  const debits = useDebits(stage);
  const ago = (milliseconds: number) => new Date(realNow().getTime() - milliseconds);
  const stuckOf = async (id: string) => (await stuckBySubject(stage.db.sql, id)).bank_debit_overdue;

  afterEach('the rest of the tests sees nothing of this one', async () => {
    await stage.db.sql`update bank_debits set next_at = null`;
    await stage.db.sql`update payment_plans set next_debit_at = null`;
  });

  /** A payer in real time. */
  async function payer() {
    const customer = (await stage.merchant.customer()).id;
    const account = await debits.account(customer);
    await debits.active({ payment_method_id: account });
    return { customer, account };
  }
  async function debitOf(intentOrPlan: string): Promise<string> {
    const [row] = await stage.db.sql<{ attempt_id: string }[]>`
      select attempt_id from bank_debits
      where payment_intent_id = ${intentOrPlan} or payment_plan_id = ${intentOrPlan}`;
    return row?.attempt_id ?? assert.fail('no debit');
  }
  const due = (attemptId: string, at: Date) =>
    stage.db.sql`update bank_debits set next_at = ${at} where attempt_id = ${attemptId}`;

  it('has one that was not handed over five minutes after its cut-off, and says how to free it', async () => {
    const { id: intent, biller_id } = await debits.debit(await payer());
    const id = await debitOf(intent);
    assert.equal(await stuckOf(id), undefined);
    await due(id, ago(4 * minute));
    assert.equal(await stuckOf(id), undefined);
    const since = ago(6 * minute);
    await due(id, since);
    const stuck = await stuckOf(id);
    assert.ok(stuck);
    assert.deepEqual(
      { ...stuck, remedy: '' },
      {
        kind: 'bank_debit_overdue',
        subject_id: id,
        biller_id,
        livemode: false,
        since: since.toISOString(),
        why: `the debit of ${intent} was not handed to the bank at its cut-off`,
        remedy: '',
        workflow_id: `bank-debit/${id}`,
      },
    );
    assert.ok(stuck.remedy.includes(`npm run --silent ops -- recheck ${id} `), stuck.remedy);
  });

  it('has one of a plan, which the plan’s workflow takes further', async () => {
    const { customer } = await payer();
    const today = ago(0).toISOString().slice(0, 10);
    const { id: plan } = await debits.plan({ customer }, undefined, { start_date: today });
    const id = await debitOf(plan);
    await due(id, ago(6 * minute));
    const stuck = await stuckOf(id);
    assert.equal(stuck?.workflow_id, `payment-plan/${plan}`);
    assert.ok(stuck?.remedy.includes(`npm run --silent ops -- recheck ${plan} `), stuck?.remedy);
  });

  it('has one whose bank has been silent for a day, though it is asked again and again', async () => {
    const { id: intent } = await debits.debit(await payer());
    const id = await debitOf(intent);
    await stage.db.sql`update payment_attempts set outcome = 'submitted' where id = ${id}`;
    const expectedAt = (at: Date) =>
      stage.db.sql`update bank_debits set expected_result_at = ${at}, next_at = ${ago(-hour)} where attempt_id = ${id}`;
    await expectedAt(ago(23 * hour));
    assert.equal(await stuckOf(id), undefined);
    const expected = ago(25 * hour);
    await expectedAt(expected);
    const stuck = await stuckOf(id);
    assert.equal(
      stuck?.why,
      `the bank has not reported on the debit of ${intent}, which was expected at ${expected.toISOString()}`,
    );
    assert.equal(stuck?.since, expected.toISOString());
  });

  it('has one that was not asked about at the end of its return window', async () => {
    const { id: intent } = await debits.debit(await payer());
    const id = await debitOf(intent);
    await stage.db.sql`update payment_attempts set outcome = 'succeeded', settled_at = now() where id = ${id}`;
    const at = ago(hour);
    await due(id, at);
    assert.equal(
      (await stuckOf(id))?.why,
      `the bank was not asked at ${at.toISOString()} about the debit of ${intent}`,
    );
  });

  it('has none on a test clock while its time stands still', async () => {
    const { id: intent } = await debits.debit(await debits.payer(monday.replace('2027', '2021')));
    const id = await debitOf(intent);
    const [row] = await stage.db.sql<{ due: boolean }[]>`
      select next_at < now() as due from bank_debits where attempt_id = ${id}`;
    assert.equal(row?.due, true, 'by real time it would be');
    assert.equal(await stuckOf(id), undefined);
  });
});
