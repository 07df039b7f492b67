import assert from 'node:assert/strict';
import { fallsDueAt, letRetryFallDue } from '../../lab/due-dates.ts';
import { rowKinds } from '../../src/operations/stuck/kinds.ts';
import { findStuck } from '../../src/operations/stuck/reading/find-stuck.ts';
import { realNow } from '../../src/platform/real-time.ts';
import { useStage } from '../support/stage.ts';
import { stuckBySubject } from '../support/stuck.ts';

const minute = 60_000;
const day = 24 * 60 * minute;

describe('what is stuck by what PostgreSQL knows', () => {
  const stage = useStage({ isDamaged: true });
  const ago = (milliseconds: number) => new Date(realNow().getTime() - milliseconds);
  const inAYear = ago(-365 * day)
    .toISOString()
    .slice(0, 10);

  const stuckOf = (subjectId: string | null, later = 0) => stuckBySubject(stage.db.sql, subjectId, later);
  const kinds = async (subjectId: string | null, later = 0) => Object.keys(await stuckOf(subjectId, later)).sort();

  afterEach('the rest of the tests sees nothing of this one', async () => {
    const { sql } = stage.db;
    await sql`delete from workflow_intents`;
    await sql`delete from reconciliations`;
    await sql`update payment_plans set state = 'closed', next_due_at = null, next_attempt_at = null where state = 'active'`;
    await sql`update payment_intents set scheduled_at = null where scheduled_at is not null`;
  });

  it('names each kind once, in snake case, with a sentence and the time after which it counts', () => {
    const names = rowKinds.map(({ kind }) => kind);
    assert.deepEqual([...new Set(names)], names);
    for (const { kind, meaning, after } of rowKinds) {
      assert.match(kind, /^[a-z]+(_[a-z]+)*$/);
      assert.match(meaning, /^[A-Z].*\.$/);
      assert.ok(Number.isInteger(after) && after >= 0);
    }
  });

  it('finds a plan five minutes after its payment was due, says which slot, and how to free it', async () => {
    const { merchant, db } = stage;
    const payer = await merchant.payer();
    const { id, biller_id } = await merchant.activePlan({ customer_id: payer.id, start_date: inAYear });
    await db.sql`update payment_plans set activated_at = ${ago(day)}, ${fallsDueAt(db.sql, ago(4 * minute))} where id = ${id}`;
    assert.deepEqual(await kinds(id), []);
    const due = ago(6 * minute);
    await db.sql`update payment_plans set activated_at = ${ago(day)}, ${fallsDueAt(db.sql, due)} where id = ${id}`;
    const { plan_overdue: stuck } = await stuckOf(id);
    assert.ok(stuck);
    assert.deepEqual(
      { ...stuck, remedy: '' },
      {
        kind: 'plan_overdue',
        subject_id: id,
        biller_id,
        livemode: false,
        since: due.toISOString(),
        why: 'payment 1 (slot 0) is due and was not attempted',
        remedy: '',
        workflow_id: `payment-plan/${id}`,
      },
    );
    assert.ok(stuck.remedy.includes(`npm run --silent ops -- recheck ${id} `), stuck.remedy);
  });

  it('finds a subscription five minutes after its step was due, and says which', async () => {
    const { merchant, db } = stage;
    const payer = await merchant.payer();
    const { subscriptions } = merchant.client;
    const items = [{ name: 'Membership', unit_amount_cents: 4900 }];
    const terms = {
      customer_id: payer.id,
      name: 'Membership',
      currency: 'AUD',
      frequency_type: 'monthly',
      items,
    } as const;
    const { id } = await subscriptions.create(terms);
    await subscriptions.start(id);
    assert.deepEqual(await kinds(id), []);
    const due = ago(6 * minute);
    await db.sql`update subscriptions set next_period_at = ${due}, updated_at = ${ago(day)} where id = ${id}`;
    const { subscription_overdue: stuck } = await stuckOf(id);
    assert.match(String(stuck?.why), /^it is active, and its next step was not taken: period 2/);
    assert.deepEqual([stuck?.since, stuck?.workflow_id], [due.toISOString(), `subscription/${id}`]);
    await db.sql`update subscriptions set next_period_at = null, next_attempt_at = ${due} where id = ${id}`;
    assert.match(String((await stuckOf(id)).subscription_overdue?.why), /^the retry of its unpaid period was not made/);
  });

  it('counts what had passed when a plan was activated from the activation', async () => {
    const { merchant } = stage;
    const { id } = await merchant.activePlan({ start_date: ago(0).toISOString().slice(0, 10) });
    assert.equal((await stuckOf(id, 4 * minute)).plan_overdue, undefined);
    assert.ok((await stuckOf(id, 6 * minute)).plan_overdue);
  });

  it('reports of an overdue retry how often the slot has failed, and why', async () => {
    const { merchant, db } = stage;
    const payer = await merchant.payer();
    const today = realNow().toISOString().slice(0, 10);
    const metadata = { _sandbox_outcome: 'decline' };
    const { id } = await merchant.activePlan({ customer_id: payer.id, start_date: today, metadata });
    await stage.collect(id, realNow());
    assert.deepEqual(await kinds(id), []);
    const past = ago(6 * minute);
    await letRetryFallDue(db.sql, id, 0, past);
    await db.sql`update payment_plans set activated_at = ${ago(day)} where id = ${id}`;
    assert.equal(
      (await stuckOf(id)).plan_overdue?.why,
      'the retry of payment 1 (slot 0) was not made; it has failed 1 times, last with insufficient_funds',
    );
  });

  it('does not call a plan on a test clock overdue while its time stands still', async () => {
    const { merchant, db } = stage;
    const {
      payer,
      plan: { id },
    } = await merchant.planOnClock('2020-01-10T00:00:00Z', { start_date: '2020-02-10' });
    const intent = await merchant.intent({
      customer_id: payer.id,
      payment_method: payer.default_payment_method ?? (await merchant.card(payer.id)),
      scheduled_payment_date: '2020-02-11',
    });
    const [row] = await db.sql<{ due: boolean }[]>`select wake_at < now() as due from payment_plans where id = ${id}`;
    assert.equal(row?.due, true, 'by real time it would be');
    assert.deepEqual(
      [await kinds(id, day), await kinds(intent.id, day)],
      [['workflow_intents_waiting'], ['workflow_intents_waiting']],
    );
  });

  it('finds a scheduled payment whose date has come', async () => {
    const { merchant } = stage;
    const payer = await merchant.customer();
    const intent = await merchant.intent({
      customer_id: payer.id,
      payment_method: await merchant.card(payer.id),
      scheduled_payment_date: ago(-2 * day)
        .toISOString()
        .slice(0, 10),
    });
    assert.equal((await kinds(intent.id)).includes('scheduled_payment_overdue'), false);
    const { scheduled_payment_overdue: stuck } = await stuckOf(intent.id, 3 * day);
    assert.ok(stuck?.remedy.includes(`ops -- recheck ${intent.id}`));
    assert.equal(stuck?.workflow_id, `scheduled-payment/${intent.id}`);
  });

  it('finds a payment and a refund without an outcome for ten seconds', async () => {
    const { merchant, ledger } = stage;
    const payer = await merchant.customer();
    const method = await merchant.card(payer.id);
    const make = () => merchant.intent({ customer_id: payer.id, payment_method: method });
    const paid = await make();
    await stage.request('POST', `/payment_intents/${paid.id}/confirm`);
    const intent = await make();
    const down = async () => {
      throw new Error('the processor is down');
    };
    ledger.beforeAnswer = down;
    ledger.beforeRefundAnswer = down;
    await stage.request('POST', `/payment_intents/${intent.id}/confirm`);
    await stage.request('POST', `/payment_intents/${paid.id}/refunds`);
    const [refund] = await stage.db.sql<{ id: string }[]>`select id from refunds where payment_intent_id = ${paid.id}`;
    assert.ok(refund);
    assert.deepEqual([await kinds(intent.id), await kinds(refund.id)], [[], []]);
    const [payment, back] = [await stuckOf(intent.id, minute), await stuckOf(refund.id, minute)];
    assert.match(payment.payment_processing?.why ?? '', /^attempt 1 \(confirm\) has no outcome/);
    assert.match(back.refund_processing?.why ?? '', new RegExp(`^the refund of ${paid.id} has no outcome`));
    ledger.reset();
    await stage.request('POST', `/payment_intents/${intent.id}/confirm`);
  });

  it('finds the plan behind a payment without an answer, so that its workflow can be looked at', async () => {
    const { merchant, ledger } = stage;
    const payer = await merchant.payer();
    const today = realNow().toISOString().slice(0, 10);
    const { id } = await merchant.activePlan({ customer_id: payer.id, start_date: today });
    ledger.beforeAnswer = async () => {
      throw new Error('the processor is down');
    };
    await assert.rejects(stage.collect(id, realNow()), /processor is down/);
    const [slot] = await merchant.payments(id);
    const { payment_processing: stuck } = await stuckOf(slot?.payment_intent_id ?? '', 3 * minute);
    assert.equal(stuck?.workflow_id, `payment-plan/${id}`);
    assert.ok(
      stuck.remedy.includes(`then npm run --silent ops -- recheck ${id}. If it never knows the outcome: `),
      stuck.remedy,
    );
    assert.match(stuck.remedy, /ops -- settle att_\w+ --as OUTCOME --evidence TEXT\.$/);
    ledger.reset();
    await stage.collect(id, realNow());
    assert.deepEqual(await kinds(slot?.payment_intent_id ?? '', 3 * minute), []);
  });

  it('finds a clock that advances for 45 seconds, with what is still due', async () => {
    const { merchant } = stage;
    const { clock, plan } = await merchant.planOnClock('2027-01-10T00:00:00Z', { start_date: '2027-01-11' });
    await merchant.beginAdvance(clock.id, '2027-01-12T00:00:00Z');
    assert.equal((await kinds(clock.id, minute / 2)).includes('advance_slow'), false);
    const { advance_slow: stuck } = await stuckOf(clock.id, 3 * minute);
    assert.equal(stuck?.why, `on its way to 2027-01-12T00:00:00.000Z: still to collect: 1, such as ${plan.id}`);
    assert.ok(stuck.remedy.startsWith(`npm run --silent ops -- retry-advance ${clock.id} `));
    await stage.carryOut(clock.id);
    assert.equal((await kinds(clock.id, 3 * minute)).includes('advance_slow'), false);
  });

  it('reports a failed clock for a day, with its reason', async () => {
    const { merchant, db } = stage;
    const clock = await merchant.clock('2027-01-10T00:00:00Z');
    await merchant.beginAdvance(clock.id, '2027-01-12T00:00:00Z');
    await db.sql`update test_clocks set status = 'failed', target_time = null, failure_reason = 'it broke' where id = ${clock.id}`;
    await db.sql`
      update clock_advances set status = 'failed', failure_reason = 'it broke', finished_at = now()
      where test_clock_id = ${clock.id}`;
    assert.equal((await stuckOf(clock.id)).clock_failed?.why, 'it broke');
    assert.equal((await kinds(clock.id, day + minute)).includes('clock_failed'), false);
  });

  it('finds outbox entries that were not dispatched for a minute, and why not', async () => {
    const { merchant, db } = stage;
    const { id } = await merchant.activePlan({ start_date: inAYear });
    assert.deepEqual(await kinds(id), []);
    assert.equal((await stuckOf(id, 2 * minute)).workflow_intents_waiting?.why, 'no process dispatches it');
    await db.sql`update workflow_intents set attempts = 7, last_error = 'no connection' where subject_id = ${id}`;
    const { workflow_intents_waiting: stuck } = await stuckOf(id, 2 * minute);
    assert.deepEqual([stuck?.why, stuck?.workflow_id], ['tried 7 times: no connection', `payment-plan/${id}`]);
  });

  it('reports what the last comparison with Temporal has found, and that the next one is late', async () => {
    const { sql } = stage.db;
    assert.deepEqual(await kinds(null, day), [], 'none was made yet');
    const made = (at: Date, missing: number) => sql`
      insert into reconciliations (started_at, finished_at, missing, orphaned, stale, examples)
      values (${at}, ${at}, ${missing}, 0, 1, '{}')`;
    await made(ago(2 * minute), 3);
    const { workflows_differ: differ } = await stuckOf(null);
    assert.match(differ?.why ?? '', /^3 missing, 0 orphaned, 1 stale: /);
    assert.match(differ?.remedy ?? '', /npm run --silent reconcile/);
    await sql`update reconciliations set missing = 0, stale = 0`;
    assert.deepEqual(await kinds(null), []);
    const { comparison_late: late } = await stuckOf(null, 15 * minute);
    assert.match(late?.remedy ?? '', /npm run worker/);
  });

  it('shows the hundred that wait longest, and counts all', async () => {
    const { merchant, db } = stage;
    const { id } = await merchant.activePlan({ start_date: inAYear });
    await db.sql`
      insert into payment_plans (id, biller_id, livemode, customer_id, name, state, frequency_type, frequency_period,
        recurring_amount_cents, until_further_notice, currency, start_date, failure_behaviour, next_due_at, activated_at,
        created_at, updated_at, agreed_recurring_cents)
      select left(id, -4) || lpad(n::text, 4, '0'), biller_id, livemode, customer_id, name, state, frequency_type, frequency_period,
        recurring_amount_cents, until_further_notice, currency, (now() at time zone 'UTC')::date, failure_behaviour,
        now() - make_interval(mins => 10 + n), ${ago(day)}, created_at, updated_at, agreed_recurring_cents
      from payment_plans, generate_series(1, 150) n where id = ${id}`;
    const report = (await findStuck(db.sql, rowKinds, realNow())).find(({ kind }) => kind === 'plan_overdue');
    assert.deepEqual(
      [report?.count, report?.found.length, report?.found[0]?.subject_id?.slice(-4)],
      [150, 100, '0150'],
    );
  });
});
