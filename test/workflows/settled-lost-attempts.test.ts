import assert from 'node:assert/strict';
import { eventually } from '../../lab/eventually.ts';
import { runScript } from '../../lab/run-program.ts';
import { dateIn } from '../../src/domain/calendar.ts';
import { withoutClock } from '../../src/domain/instants.ts';
import { findViolations } from '../../src/operations/invariants/invariants.ts';
import { realNow } from '../../src/platform/real-time.ts';
import { createHttpProcessor, type HttpProcessor } from '../../src/processors/http-processor.ts';
import { sandboxProcessor } from '../../src/processors/sandbox.ts';
import { listAudit } from '../../src/services/accounts/audit.ts';
import { CommandRefused } from '../../src/services/command-refused.ts';
import { type LostSettlement, settleLostAttempt } from '../../src/services/payments/settle-lost-attempt.ts';
import { chargeHook } from '../../src/services/subjects/charge-hook.ts';
import { tester } from '../support/factories.ts';
import { useService } from '../support/service.ts';
import { stuckBySubject } from '../support/stuck.ts';

/** The processor has made the charge, and its answers are lost until it is asked by an operator. */
const charged = { _stand_in: 'answer_lost', _stand_in_inquire: 'answer_lost' };
/** It says nothing when it is asked. */
const silent = { _stand_in: 'answer_lost', _stand_in_inquire: Array(40).fill('error_500').join(',') };
/** It has not made the charge. */
const refusing = { _stand_in: 'reset_before' };

describe('a live payment that is processing and has lost its attempt', function () {
  this.timeout(120_000);
  const service = useService({ live: true });
  let processor: HttpProcessor;
  before('ask it', () => {
    processor = createHttpProcessor(service.standIn);
  });
  after(() => processor.close());

  const settle = (settlement: Omit<LostSettlement, 'evidence'>) =>
    settleLostAttempt(
      service.db.sql,
      { processors: { sandbox: sandboxProcessor, live: processor }, hook: chargeHook },
      { ...settlement, evidence: 'statement of 3 May' },
      { by: tester, now: realNow() },
    );
  const callsOf = async (intentId: string, kind: string) =>
    (await service.standIn.calls()).filter((call) => call.kind === kind && call.payment_intent_id === intentId).length;
  const stuck = async (id: string) => (await stuckBySubject(service.db.sql, id, 60_000)).payment_processing;
  const rowOf = async (intentId: string) => {
    const [row] = await service.db.sql<{ id: string; outcome: string; reference: string | null }[]>`
      select a.id, a.outcome, r.reference
      from payment_attempts a left join payment_reservations r on r.attempt_id = a.id and r.number = 1
      where a.payment_intent_id = ${intentId} order by a.number desc limit 1`;
    return row ?? assert.fail(`${intentId} has no attempt`);
  };

  /** Deletes the rows of the last attempt by hand, some minutes after it was opened. */
  async function lose(intentId: string) {
    const { id, reference } = await rowOf(intentId);
    const { sql } = service.db;
    await sql`delete from payment_reservations where attempt_id = ${id}`;
    await sql`delete from payment_attempts where id = ${id}`;
    await sql`update payment_intents set updated_at = updated_at - interval '3 minutes', created_at = created_at - interval '3 minutes' where id = ${intentId}`;
    return { attemptId: id, reference: reference ?? assert.fail('it was not reserved') };
  }

  async function open(metadata: Record<string, string>) {
    const merchant = await service.liveMerchant();
    const payer = await merchant.customer();
    const payment_method = await merchant.card(payer.id);
    const { id } = await merchant.intent({ amount: 3400, customer_id: payer.id, payment_method, metadata });
    await assert.rejects(merchant.client.paymentIntents.confirm(id), /The payment stays processing/);
    return { merchant, id, method: payment_method };
  }

  it('cannot lose it with its payment method: PostgreSQL refuses to delete that', async () => {
    const { id, method } = await open(refusing);
    const attempt = await rowOf(id);
    await assert.rejects(
      async () => service.db.sql`delete from payment_methods where id = ${method}`,
      /payment_attempts_payment_method_id_fkey/,
    );
    assert.deepEqual(await rowOf(id), attempt);
  });

  it('is stuck with the key of the charge, and is settled by the charge that the processor has, which it can refund', async () => {
    const { merchant, id } = await open(charged);
    const { attemptId, reference } = await lose(id);
    const found = (await stuck(id)) ?? assert.fail('it is not stuck');
    assert.match(
      found.why,
      /^attempt 1 has lost its row: .*\. The processor may have taken 34\.\d\d AUD under the key /,
    );
    assert.ok(found.why.includes(`the key ${attemptId}, `), found.why);
    assert.match(
      found.remedy,
      new RegExp(`ops -- settle ${id} --as OUTCOME --evidence TEXT, with --reference REFERENCE `),
    );
    const broken = (await findViolations(service.db.sql)).filter((violation) => violation.id === id);
    assert.deepEqual(
      broken.map(({ invariant }) => invariant),
      [
        'the attempts of a payment intent are numbered from 1 without gaps, as many as it counts',
        'a payment intent that is processing has its last attempt',
      ],
    );
    assert.match(broken[1]?.remedy ?? '', new RegExp(`ops -- settle ${id} --as OUTCOME`));
    const [asked, took] = [await callsOf(id, 'asked'), await callsOf(id, 'charge')];
    const { code, stdout, stderr } = await runScript(
      'src/processes/cli/main.ts',
      ['ops', 'settle', id, '--as', 'succeeded', '--reference', reference, '--evidence', 'statement of 3 May'],
      { DATABASE_URL: service.db.url, ...service.standIn.environment },
    );
    assert.deepEqual(
      [code, stdout, stderr],
      [0, `Attempt ${attemptId} of ${id} is recorded as succeeded; the payment is succeeded.\n`, ''],
    );
    assert.deepEqual([await callsOf(id, 'asked'), await callsOf(id, 'charge')], [asked + 1, took]);
    assert.deepEqual(await rowOf(id), { id: attemptId, outcome: 'succeeded', reference });
    assert.equal(await stuck(id), undefined);
    const events = await merchant.events({ event_type: 'payment_intent.succeeded' });
    assert.equal(events.filter(({ data }) => data.id === id).length, 1);
    const [entry] = await listAudit(service.db.sql, { limit: 1 });
    assert.deepEqual(
      [entry?.action, entry?.subject_id, entry?.changes],
      [
        'payment_attempt.settled',
        attemptId,
        {
          row: { from: 'lost', to: 'restored' },
          reference: { from: null, to: reference },
          outcome: { from: 'processing', to: 'succeeded' },
          evidence: { from: null, to: 'statement of 3 May' },
        },
      ],
    );
    assert.equal((await merchant.client.refunds.create(id, { amount: 100 })).status, 'succeeded');
    await assert.rejects(
      settle({ paymentIntentId: id, outcome: 'failed', reference: null }),
      /nothing to settle: pi_\w+ is succeeded/,
    );
  });

  it('is settled as failed once the processor has canceled what it has reserved, and may be charged anew', async () => {
    const { merchant, id } = await open(refusing);
    const { reference, attemptId } = await lose(id);
    await settle({ paymentIntentId: id, outcome: 'failed', reference });
    assert.equal(await callsOf(id, 'cancel'), 1);
    assert.deepEqual(await rowOf(id), { id: attemptId, outcome: 'failed', reference });
    assert.equal((await merchant.getIntent(id)).status, 'failed');
  });

  it('is not settled as what the processor does not say, nor by a reference that it does not know or that another payment has', async () => {
    const { id } = await open(charged);
    const { reference } = await lose(id);
    const other = await open(charged);
    for (const [settlement, message] of [
      [{ outcome: 'failed', reference }, /The processor responds, and says: succeeded\. Nothing is recorded/],
      [{ outcome: 'succeeded', reference: 'ref_unknown' }, /does not say what ref_unknown is/],
      [{ outcome: 'failed', reference: (await rowOf(other.id)).reference }, /Another payment has ref_/],
    ] as const) {
      await assert.rejects(
        settle({ paymentIntentId: id, ...settlement }),
        (error) => error instanceof CommandRefused && message.test(error.message),
      );
    }
    assert.equal(await callsOf(other.id, 'cancel'), 0);
    await settle({ paymentIntentId: id, outcome: 'succeeded', reference });
  });

  it('is settled by the reference in the list of the live processor, and not against it', async () => {
    const { id } = await open(silent);
    const { attemptId, reference } = await lose(id);
    const total = (await service.db.sql`select total_amount from payment_intents where id = ${id}`)[0]?.total_amount;
    await service.db.sql`
      insert into unknown_movements (kind, idempotency_key, reference, payment_intent_id, amount, currency)
      values ('charge', ${attemptId}, ${reference}, ${id}, ${total}, 'AUD')`;
    await assert.rejects(
      settle({ paymentIntentId: id, outcome: 'failed', reference: null }),
      /The list .* has this charge/,
    );
    await settle({ paymentIntentId: id, outcome: 'succeeded', reference: null });
    assert.deepEqual(await rowOf(id), { id: attemptId, outcome: 'succeeded', reference });
    await service.db.sql`delete from unknown_movements`;
  });

  it('is not settled within a minute of the attempt, nor while it has the attempt', async () => {
    const { id } = await open(silent);
    const { id: attemptId } = await rowOf(id);
    const settlement = { paymentIntentId: id, outcome: 'failed', reference: null } as const;
    await assert.rejects(settle(settlement), new RegExp(`has its attempt: settle ${attemptId}`));
    await lose(id);
    await service.db.sql`update payment_intents set updated_at = now() where id = ${id}`;
    await assert.rejects(settle(settlement), /less than a minute ago/);
    await service.db.sql`update payment_intents set updated_at = now() - interval '2 minutes' where id = ${id}`;
    await settle(settlement);
  });

  it('frees the workflow of its plan, which continues with the calendar', async () => {
    const merchant = await service.liveMerchant();
    const { id } = await merchant.activePlan({ start_date: dateIn(withoutClock(realNow()), 'UTC'), metadata: silent });
    const intentId = await eventually('its payment is open', async () => {
      const intent = (await merchant.payments(id))[0]?.payment_intent_id ?? null;
      return intent !== null && (await callsOf(intent, 'charge')) > 0 && intent;
    });
    await lose(intentId);
    await settle({ paymentIntentId: intentId, outcome: 'succeeded', reference: null });
    const [payment] = await merchant.payments(id);
    assert.equal(payment?.status, 'paid');
    assert.equal((await merchant.getPlan(id)).collected_amount_cents, payment?.amount);
  });
});
