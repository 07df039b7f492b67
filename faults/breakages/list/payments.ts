// A processor, a plan, a clock and workflows are broken.
import type { PaymentsClient } from '@payments-service/client';
import type { TransactionSql } from 'postgres';
import { eventually } from '../../../lab/eventually.ts';
import { makeActivePlan, makePayer, makePlan } from '../../../lab/payer.ts';
import { realNow } from '../../../src/platform/real-time.ts';
import { today } from '../../alert-drill/breakages/breakage.ts';
import type { Scene } from '../../scene.ts';
import type { Breakage, Course } from '../course.ts';
import { runOps, stuck } from '../places.ts';

/** Whether the first payment of the plan succeeded, once. */
export async function isPaid({ paymentPlans }: PaymentsClient, planId: string): Promise<boolean> {
  const { data } = await paymentPlans.listPayments(planId);
  const attempts = data.flatMap((payment) => payment.attempts);
  return (
    data.length === 1 &&
    data[0]?.status === 'paid' &&
    attempts.filter((one) => one.outcome === 'succeeded').length === 1
  );
}

/** Whether `ops stuck` no longer names the object. */
export async function isFree({ service }: Scene, id: string): Promise<boolean> {
  return !(await runOps(service.dataDir, ['stuck'])).text.includes(id);
}

/** A plan on a test clock, due on the day before that to which `advance` moves the clock. */
export async function planOnClock(scene: Scene, course: Course) {
  const { sandbox } = scene;
  const { id: clockId } = await sandbox.testClocks.create({ frozen_time: '2027-01-04T00:00:00Z' });
  course.onRepair(() => sandbox.testClocks.delete(clockId));
  const { customerId } = await makePayer(sandbox, { test_clock: clockId });
  const planId = await makeActivePlan(sandbox, { customer_id: customerId, start_date: '2027-01-05' });
  return {
    clockId,
    planId,
    advance: () => sandbox.testClocks.advance(clockId, { frozen_time: '2027-01-06T00:00:00Z' }),
    async isAdvanced(): Promise<boolean> {
      const { status } = await sandbox.testClocks.get(clockId);
      return status === 'ready' && (await isPaid(sandbox, planId)) && isFree(scene, clockId);
    },
  };
}

/** A plan of the sandbox that waits for a date of its calendar years ahead. */
function waitingPlan({ sandbox, payers }: Scene): Promise<string> {
  return makeActivePlan(sandbox, { customer_id: payers.sandbox.customerId, start_date: '2099-01-01' });
}

/** These constraints refuse what is broken here by SQL. The service must still find it. */
function withoutConstraints({ sql }: Scene): Promise<unknown> {
  return sql.unsafe(`
    alter table payment_plans drop constraint if exists payment_plans_has_next_date,
      drop constraint if exists payment_plans_next_date_of_calendar;
    alter table payment_intents drop constraint if exists payment_intents_slot_fkey`);
}

/** The payment of the first slot. */
async function intentOf({ paymentPlans }: PaymentsClient, planId: string): Promise<string> {
  const find = async () => (await paymentPlans.listPayments(planId)).data[0]?.payment_intent_id;
  return eventually('the slot is open', find, { everyMs: 250 });
}

/** Lets a trigger refuse the plan's payments. Returns what takes it away. */
async function poison({ sql }: Scene, planId: string): Promise<() => Promise<unknown>> {
  await sql.unsafe(`
    create or replace function poison() returns trigger language plpgsql as $$
    begin
      if new.payment_plan_id = '${planId}' then raise exception 'a row of this plan cannot be written'; end if;
      return new;
    end $$;
    create trigger poison before insert on payment_plan_slots for each row execute function poison()`);
  return () => sql.unsafe('drop trigger if exists poison on payment_plan_slots');
}

/** A plan whose rows were changed by SQL is found, and corrected by the command that is named. */
async function corrected(scene: Scene, course: Course, id: string, reason: RegExp): Promise<void> {
  const { dataDir } = scene.service;
  await course.find(stuck(dataDir, 'plan_inconsistent', id), reason);
  await course.followOps(dataDir);
  await course.free(() => isFree(scene, id));
}

export const paymentBreakages: readonly Breakage<Scene>[] = [
  {
    name: 'processor-silent',
    what: 'the live processor does not respond (SIGSTOP), and a live plan falls due',
    moneyWaits: true,
    async run(scene, course) {
      const { standIn, live, payers, service } = scene;
      const plan = await makePlan(live, { customer_id: payers.live.customerId, start_date: today() });
      standIn.process.freeze();
      course.onRepair(() => standIn.process.thaw());
      course.broken();
      await live.paymentPlans.activate(plan.id);
      await course.find(stuck(service.dataDir, 'payment_processing', await intentOf(live, plan.id)), /processor/);
      await course.cause('the processor is continued', () => standIn.process.thaw());
      await course.followOps(service.dataDir);
      await course.free(async () => (await isPaid(live, plan.id)) && isFree(scene, plan.id));
    },
  },
  {
    name: 'plan-poisoned',
    what: 'a trigger refuses the payment of a plan',
    moneyWaits: true,
    async run(scene, course) {
      const { sandbox, payers, service } = scene;
      const { id } = await makePlan(sandbox, { customer_id: payers.sandbox.customerId, start_date: today() });
      const cure = await poison(scene, id);
      course.onRepair(cure);
      course.broken();
      await sandbox.paymentPlans.activate(id);
      await course.find(stuck(service.dataDir, 'workflow_stalled', id), /a row of this plan cannot be written/);
      await course.cause('the trigger is dropped', cure);
      await course.followOps(service.dataDir);
      await course.free(async () => (await isPaid(sandbox, id)) && isFree(scene, id));
    },
  },
  {
    name: 'clock-advancing',
    what: 'a session in PostgreSQL holds the row of a plan on a test clock, and the clock is advanced',
    async run(scene, course) {
      const { service, sql } = scene;
      const { planId, advance, isAdvanced } = await planOnClock(scene, course);
      const release = await hold(sql, (tx) => tx`select from payment_plans where id = ${planId} for update`);
      course.onRepair(() => release().catch(() => {})); // its session was ended
      course.broken();
      await advance();
      await course.find(stuck(service.dataDir, 'database_locked'), /idle in transaction/);
      await course.followSql(sql);
      await course.free(isAdvanced);
    },
  },
  {
    name: 'tables-locked',
    what: 'a session in PostgreSQL holds the tables of intents, plans and the outbox',
    moneyWaits: true,
    async run(scene, course) {
      const { sandbox, service, sql } = scene;
      const planId = await makeActivePlan(sandbox, {
        customer_id: scene.payers.sandbox.customerId,
        start_date: '2099-01-01',
      });
      const release = await hold(
        sql,
        (tx) => tx`lock table payment_intents, payment_plans, workflow_intents in access exclusive mode`,
      );
      course.onRepair(() => release().catch(() => {})); // its session was ended
      course.broken();
      await course.find(stuck(service.dataDir, 'database_locked'), /holds a lock on payment_intents, payment_plans, /);
      await course.followSql(sql);
      await course.free(async () => (await runOps(service.dataDir, ['stuck'])).text === 'Nothing is stuck.');
      await course.free(async () => (await sandbox.paymentPlans.get(planId)).state === 'active');
    },
  },
  {
    name: 'next-date-null',
    what: 'the next date of a plan is null (the constraint was dropped)',
    async run(scene, course) {
      await withoutConstraints(scene);
      const id = await waitingPlan(scene);
      await scene.sql`update payment_plans set next_due_at = null where id = ${id}`;
      course.broken();
      await corrected(scene, course, id, /its next date is missing/);
    },
  },
  {
    name: 'next-date-past',
    what: 'the next date of a plan is an hour ago, years before its calendar has one (the constraint was dropped)',
    async run(scene, course) {
      await withoutConstraints(scene);
      const id = await waitingPlan(scene);
      const past = new Date(realNow().getTime() - 3_600_000);
      await scene.sql`update payment_plans set next_due_at = ${past} where id = ${id}`;
      course.broken();
      await corrected(scene, course, id, /its next date is .*, but payment 1 \(slot 0\) falls due at 2099/);
      const { data } = await scene.sandbox.paymentPlans.listPayments(id);
      if (data.length > 0) throw new Error('something was charged');
    },
  },
  {
    name: 'scheduled-past',
    what: 'the instant of a scheduled payment is moved an hour into the past, a month before its date, and `ops recheck`',
    moneyWaits: true,
    async run(scene, course) {
      const { sandbox, sql, payers, service } = scene;
      const inAMonth = new Date(realNow().getTime() + 30 * 86_400_000).toISOString().slice(0, 10);
      const { customerId: customer_id, methodId: payment_method } = payers.sandbox;
      const payment = { amount: 1_500, currency: 'AUD', customer_id, payment_method } as const;
      const { id } = await sandbox.paymentIntents.create({ ...payment, scheduled_payment_date: inAMonth });
      const [row] = await sql<{ scheduled_at: Date }[]>`select scheduled_at from payment_intents where id = ${id}`;
      const setTo = (at: Date | null) => sql`update payment_intents set scheduled_at = ${at} where id = ${id}`;
      await setTo(new Date(realNow().getTime() - 3_600_000));
      course.broken();
      await runOps(service.dataDir, ['recheck', id]);
      await course.find(
        stuck(service.dataDir, 'workflow_stalled', id),
        /but its date is \d{4}-\d\d-\d\d, which begins at/,
      );
      await course.cause('the row is restored', () => setTo(row?.scheduled_at ?? null));
      await course.followOps(service.dataDir);
      await course.free(() => isFree(scene, id));
      const { status } = await sandbox.paymentIntents.get(id);
      if (status !== 'requires_payment_method') throw new Error(`something was charged: it is ${status}`);
    },
  },
  {
    name: 'slot-deleted',
    what: 'the row of a slot whose payment waits for its retry is deleted (the foreign key was dropped)',
    async run(scene, course) {
      await withoutConstraints(scene);
      const { sandbox, sql, payers } = scene;
      const metadata = { _sandbox_outcome: 'decline' };
      const terms = { customer_id: payers.sandbox.customerId, start_date: today(), metadata };
      const id = await makeActivePlan(sandbox, terms);
      await course.free(async () => (await sandbox.paymentPlans.get(id)).next_attempt_at !== null);
      await sql`delete from payment_plan_slots where payment_plan_id = ${id}`;
      course.broken();
      await corrected(scene, course, id, /payment 1 \(slot 0\) has a payment, but its row is lost/);
    },
  },
  {
    name: 'workflow-terminated',
    what: 'the workflow of a plan is terminated',
    async run(scene, course) {
      const id = await waitingPlan(scene);
      const handle = scene.temporal.workflow.getHandle(`payment-plan/${id}`);
      await course.free(async () => (await handle.describe()).status.name === 'RUNNING');
      await handle.terminate('by hand');
      course.broken();
      await course.find(stuck(scene.service.dataDir, 'workflow_ended', id), /was terminated/);
      await course.followOps(scene.service.dataDir);
      await course.free(async () => (await handle.describe()).status.name === 'RUNNING' && isFree(scene, id));
    },
  },
];

/** Takes a lock in a transaction of its own. Returns what ends it. */
async function hold(
  sql: Scene['sql'],
  lock: (tx: TransactionSql) => PromiseLike<unknown>,
): Promise<() => Promise<unknown>> {
  let end = () => {};
  const ended = new Promise<void>((resolve) => {
    end = resolve;
  });
  let holding: Promise<unknown> = Promise.resolve();
  await new Promise<void>((resolve, reject) => {
    holding = sql.begin(async (tx) => {
      await tx`set local idle_in_transaction_session_timeout = 0`;
      await lock(tx);
      resolve();
      await ended;
    });
    holding.catch(reject);
  });
  return () => {
    end();
    return holding;
  };
}
