import { eventually } from '../../lab/eventually.ts';
import type { Db } from '../../src/platform/postgres/connection.ts';
import type { TestDatabase } from '../support/database.ts';
import { makeBiller, makeKey } from '../support/factories.ts';
import { createMerchant } from '../support/merchant.ts';
import type { Service } from '../support/service.ts';
import type { Stage } from '../support/stage.ts';
import type { Reality } from './agreement.ts';

interface Due {
  id: string;
  kind: 'plan' | 'intent';
  at: Date;
}

/** The API over the stage, which does at once what the workflows would do in their time; a biller of its own. */
export async function onStage(stage: Stage, zone: string): Promise<Reality> {
  const { billerId, merchant } = await newMerchant(stage.db, stage.api.url, zone);
  return {
    request: merchant.request,
    async settle() {
      for (;;) {
        const [due] = await dueWhereClocksStand(stage.db, billerId);
        if (due === undefined) return;
        if (due.kind === 'plan') await stage.collect(due.id, due.at);
        else await stage.collectScheduled(due.id, due.at);
      }
    },
    carryOut: (clockId) => stage.carryOut(clockId),
  };
}

/** The whole service with its workflows, on Temporal's skipped time; a biller of its own. */
export async function onService(service: Service, zone: string): Promise<Reality> {
  const { billerId, merchant } = await newMerchant(service.db, service.url, zone);
  return {
    request: merchant.request,
    async settle() {
      await eventually('nothing is due', () => isAtRest(service.db, billerId));
    },
    async carryOut(clockId) {
      const { status, failure_reason } = await merchant.stopped(clockId);
      if (status !== 'ready') throw new Error(`the clock is ${status}: ${failure_reason}`);
    },
  };
}

async function newMerchant(db: TestDatabase, url: string, timeZone: string) {
  const { id: billerId } = await makeBiller(db.sql, { timeZone });
  const { key } = await makeKey(db.sql, { billerId });
  return { billerId, merchant: createMerchant(url, key) };
}

/** What is to be collected before any clock is moved, in real time too, the oldest first. */
function dueWhereClocksStand({ sql }: TestDatabase, billerId: string): Promise<Due[]> {
  return sql<Due[]>`${due(sql, billerId)} order by wake_at, id`;
}

/** Whether nothing is due and nothing is under way, asked at once: the end of a charge can make another one due. */
async function isAtRest({ sql }: TestDatabase, billerId: string): Promise<boolean> {
  const rows = await sql`
    select id from (${due(sql, billerId)}) as due
    union all
    select a.id from payment_attempts a join payment_intents i on i.id = a.payment_intent_id
    where i.biller_id = ${billerId} and a.outcome = 'processing'`;
  return rows.length === 0;
}

function due(sql: Db, billerId: string) {
  return sql`
    select w.id, w.kind, w.wake_at, coalesce(k.frozen_time, w.wake_at) as at
    from (
      select id, 'plan' as kind, wake_at, test_clock_id from payment_plans where biller_id = ${billerId}
      union all
      select i.id, 'intent', i.scheduled_at, c.test_clock_id
      from payment_intents i left join customers c on c.id = i.customer_id
      where i.biller_id = ${billerId}
    ) as w
    left join test_clocks k on k.id = w.test_clock_id
    where k.status is distinct from 'advancing' and w.wake_at <= coalesce(k.frozen_time, now())`;
}
