import assert from 'node:assert/strict';
import { describe, it } from 'mocha';
import type { ChargeOutcome } from '../../src/domain/charge-outcome.ts';
import { addMs, customerInstant } from '../../src/domain/instants.ts';
import { realNow } from '../../src/platform/real-time.ts';
import { sandboxProcessor } from '../../src/processors/sandbox.ts';
import { recoverCharges } from '../../src/services/payments/payment-confirmation.ts';
import { recoverRefunds } from '../../src/services/payments/refunds.ts';
import { collectDuePayment } from '../../src/services/plans/plan-collection.ts';
import { frozen, usePayer } from '../support/payer.ts';
import { assertAccounted } from './account.ts';
import { door } from './barriers.ts';

/** Later than anything that a living process has open. */
const muchLater = () => addMs(realNow(), 600_000);

describe('a process that was frozen while it asked the processor, and writes when others have gone on,', () => {
  const here = usePayer({ isAlone: true });
  const { stage } = here;

  /** Freezes the caller that asks the processor next. Returns what lets it continue. */
  function freezeNext() {
    const frozenAt = door();
    let isFirst = true;
    stage.ledger.beforeAnswer = async () => {
      if (!isFirst) return;
      isFirst = false;
      await frozenAt.pass();
    };
    return frozenAt;
  }
  /** Everything of this biller that a late write could spoil. */
  const allRows = async () => {
    const { sql } = stage.db;
    const mine = sql`biller_id = ${stage.keys.biller.id}`;
    return {
      intents: [...(await sql`select * from payment_intents where ${mine} order by id`)],
      attempts: [
        ...(await sql`
          select a.* from payment_attempts a join payment_intents i on i.id = a.payment_intent_id
          where i.${mine} order by a.id`),
      ],
      plans: [...(await sql`select * from payment_plans where ${mine} order by id`)],
      slots: [
        ...(await sql`
          select s.* from payment_plan_slots s join payment_plans p on p.id = s.payment_plan_id
          where p.${mine} order by p.id, s.slot`),
      ],
      refunds: [...(await sql`select * from refunds where ${mine} order by id`)],
      events: [...(await sql`select sequence, event_type from events where ${mine} order by sequence`)],
      told: [...(await sql`select id, workflow_id, signal from workflow_intents order by id`)],
    };
  };
  /** Lets the late one go on, and makes sure that its write changes nothing. */
  async function assertRefused<T>(late: ReturnType<typeof door>, work: Promise<T>): Promise<T> {
    const before = await allRows();
    late.open();
    const answer = await work;
    assert.deepEqual(await allRows(), before);
    await assertAccounted(stage);
    return answer;
  }
  const intent = (more: object = {}) => stage.merchant.intent({ customer_id: here.customer, ...more });
  const confirm = (id: string) =>
    stage.request('POST', `/payment_intents/${id}/confirm`, { payment_method: here.card });
  const declineFirst = { metadata: { _sandbox_outcome: 'decline,succeed' } };

  it('changes nothing of a confirm that housekeeping has finished, and returns its outcome', async () => {
    const { id } = await intent();
    const late = freezeNext();
    const confirming = confirm(id);
    await late.arrived;
    await recoverCharges(stage.db.sql, stage.charging, muchLater());
    assert.equal((await stage.request('POST', `/payment_intents/${id}/refunds`, { amount: 400 })).status, 201);
    const { status, body } = await assertRefused(late, confirming);
    assert.deepEqual([status, body.status, body.total_refunded_amount], [200, 'succeeded', 400]);
    assert.equal(stage.ledger.taken.size, 1);
  });

  it('does not turn a payment that was tried again, with success, into the failure that it has seen', async () => {
    const { id } = await intent(declineFirst);
    const late = freezeNext();
    const confirming = confirm(id);
    await late.arrived;
    await recoverCharges(stage.db.sql, stage.charging, muchLater());
    assert.equal((await confirm(id)).body.status, 'succeeded');
    assert.equal((await assertRefused(late, confirming)).body.status, 'succeeded');
  });

  it('does not bring a payment back that was canceled', async () => {
    const { id } = await intent(declineFirst);
    const late = freezeNext();
    const confirming = confirm(id);
    await late.arrived;
    await recoverCharges(stage.db.sql, stage.charging, muchLater());
    assert.equal((await stage.request('POST', `/payment_intents/${id}/cancel`)).status, 200);
    assert.equal((await assertRefused(late, confirming)).body.status, 'canceled');
  });

  it('changes nothing of a scheduled payment that another worker has made, and a client confirmed then', async () => {
    const { id } = await intent({ ...declineFirst, payment_method: here.card, scheduled_payment_date: '2027-01-11' });
    const late = freezeNext();
    const collect = () => stage.collectScheduled(id, '2027-01-11T00:00:00Z');
    const collecting = collect();
    await late.arrived;
    await collect();
    assert.equal((await stage.merchant.getIntent(id)).status, 'failed');
    assert.equal((await confirm(id)).body.status, 'succeeded');
    await assertRefused(late, collecting);
  });

  it('changes nothing of a plan that was tried again, suspended, resumed and paid since', async () => {
    const { id } = await here.plan({ ...declineFirst, total_amount_cents: 1000 });
    await stage.merchant.move(id, 'activate');
    const late = freezeNext();
    const collecting = stage.collect(id, frozen);
    await late.arrived;
    await stage.collect(id, frozen);
    await stage.merchant.move(id, 'suspend');
    await stage.merchant.move(id, 'resume');
    await stage.collectAll(id, frozen);
    assert.equal((await stage.merchant.getPlan(id)).state, 'closed');
    await assertRefused(late, collecting);
  });

  it('changes nothing of a plan whose processor tells it another outcome than the first', async () => {
    const { id } = await here.plan();
    await stage.merchant.move(id, 'activate');
    const late = freezeNext();
    const lying = {
      sandbox: {
        ...sandboxProcessor,
        charge: async (...args: Parameters<typeof stage.ledger.charge>): Promise<ChargeOutcome> => {
          await stage.ledger.charge(...args);
          return { kind: 'requires_action' };
        },
      },
      live: null,
    };
    const collecting = collectDuePayment(stage.db.sql, { ...stage.charging, processors: lying }, id, {
      at: customerInstant(frozen),
      now: realNow(),
    });
    await late.arrived;
    await stage.collect(id, frozen);
    await assertRefused(late, collecting);
  });

  it('gives money back once when housekeeping has finished its refund, and answers that refund', async () => {
    const { id } = await intent();
    await confirm(id);
    const late = door();
    const refund = stage.ledger.refund.bind(stage.ledger);
    let asked = 0;
    stage.ledger.refund = async (request) => {
      asked += 1;
      const outcome = await refund(request);
      if (asked === 1) await late.pass();
      return outcome;
    };
    try {
      const refunding = stage.request('POST', `/payment_intents/${id}/refunds`, {});
      await late.arrived;
      await recoverRefunds(stage.db.sql, stage.processors, muchLater());
      const { status, body } = await assertRefused(late, refunding);
      assert.deepEqual([status, body.status, asked], [201, 'succeeded', 2]);
      assert.equal((await stage.merchant.getIntent(id)).total_refunded_amount, 1000);
    } finally {
      stage.ledger.refund = refund;
    }
  });
});
