import assert from 'node:assert/strict';
import { addMs } from '../../src/domain/instants.ts';
import { holdCharging, releaseCharging } from '../../src/operations/live-charging.ts';
import { realNow } from '../../src/platform/real-time.ts';
import type { Movement } from '../../src/processors/processor.ts';
import { listAudit } from '../../src/services/accounts/audit.ts';
import { CommandRefused } from '../../src/services/command-refused.ts';
import { recoverCharges } from '../../src/services/payments/payment-confirmation.ts';
import { compareWithProcessor } from '../../src/services/payments/processor-comparison.ts';
import { recoverRefunds } from '../../src/services/payments/refunds.ts';
import { chargeHook } from '../../src/services/subjects/charge-hook.ts';
import { sendChecked } from '../support/api.ts';
import { tester } from '../support/factories.ts';
import { forgetful, useRestorable } from '../support/restored.ts';
import { stuckBySubject } from '../support/stuck.ts';

const hourMs = 3_600_000;

describe('a database restored from a back-up, beside a live processor that has gone on', function () {
  this.timeout(60_000);
  const here = useRestorable();
  const { service, compare, processors, takenFor } = here;

  /** What every worker does every five seconds, an hour later. */
  const recover = () =>
    recoverCharges(service.db.sql, { processors: processors(), hook: chargeHook }, addMs(realNow(), hourMs));
  const origin = () => ({ by: tester, now: realNow() });
  const stuck = async () => Object.keys(await stuckBySubject(service.db.sql, null)).sort();

  async function payment(metadata: Record<string, string> = {}) {
    const merchant = await service.liveMerchant();
    const payer = await merchant.customer();
    const { id } = await merchant.intent({
      customer_id: payer.id,
      payment_method: await merchant.card(payer.id),
      metadata,
    });
    const send = async (path: string, body: object) => {
      const url = `${service.url}/api/v1/payment_intents/${id}/${path}`;
      const headers = { 'Idempotency-Key': crypto.randomUUID() };
      const { status, body: sent } = await sendChecked(url, 'POST', { key: merchant.key, body, headers });
      return [status, sent.status ?? sent.error.code];
    };
    return {
      id,
      confirm: () => send('confirm', {}),
      refund: (amount: number) => send('refunds', { amount }),
      status: async () => (await merchant.getIntent(id)).status,
    };
  }
  const chargeCalls = async () => (await service.standIn.calls()).filter(({ kind }) => kind === 'charge').length;

  it('holds charging when the processor has made a charge that it does not know, and says which', async () => {
    const [lost, later] = [await payment(), await payment()];
    await here.backUp();
    assert.deepEqual(await lost.confirm(), [200, 'succeeded']);
    await here.restore();
    assert.equal(await compare(), true);

    const { charging_held: held } = await stuckBySubject(service.db.sql, null);
    assert.equal(held?.livemode, true);
    assert.match(held?.why ?? '', /^the live processor has made 1 charges and 0 refunds that are not in this database/);
    assert.match(held?.why ?? '', /such as ref_[0-9a-f]{24} \(1\d{3} AUD\)/);
    assert.match(held?.remedy ?? '', /ops -- release-charging --evidence TEXT\.$/);
    const before = await chargeCalls();
    assert.deepEqual(await later.confirm(), [503, 'unavailable']);
    assert.deepEqual([await later.status(), await chargeCalls()], ['processing', before]);
    await releaseCharging(service.db.sql, 'nothing else was lost', origin());
    await recover();
    assert.equal(await later.status(), 'succeeded');
    assert.deepEqual(await stuck(), []);
  });

  it('does not charge again what was paid after the back-up, even if the processor has forgotten its keys', async () => {
    const lost = await payment();
    await here.backUp();
    assert.deepEqual(await lost.confirm(), [200, 'succeeded']);
    await here.restore();
    await compare();
    await releaseCharging(service.db.sql, 'the payment is known', origin());
    await service.standIn.setClimate(forgetful);
    assert.equal(await lost.status(), 'requires_payment_method');
    assert.deepEqual(await lost.confirm(), [200, 'succeeded']);
    assert.equal(await takenFor(lost.id), 1);
    assert.equal(await compare(), false, 'and it is known from now on');
  });

  it('finds the charge of an attempt also under the key of a further reservation', async () => {
    const lost = await payment();
    await here.backUp();
    await lost.confirm();
    await here.restore();
    await compare();
    await releaseCharging(service.db.sql, 'the payment is known', origin());
    await service.standIn.setClimate(forgetful);
    await service.db.sql`
      update unknown_movements set idempotency_key = idempotency_key || '.2' where payment_intent_id = ${lost.id}`;
    assert.deepEqual(await lost.confirm(), [200, 'succeeded']);
    assert.equal(await takenFor(lost.id), 1);
  });

  it('does not take the charge of another amount for that of a payment that has changed since', async () => {
    const lost = await payment();
    await here.backUp();
    await lost.confirm();
    await here.restore();
    await compare();
    await releaseCharging(service.db.sql, 'the payment is known', origin());
    await service.standIn.setClimate(forgetful);
    await service.db.sql`update unknown_movements set amount = amount + 1 where payment_intent_id = ${lost.id}`;
    assert.deepEqual(await lost.confirm(), [503, 'unavailable']);
    assert.deepEqual([await lost.status(), await takenFor(lost.id)], ['processing', 1]);
  });

  it('takes over the reference of an attempt that it still has, without holding charging', async () => {
    const open = await payment({ _stand_in_prepare: 'answer_lost' });
    await open.confirm();
    await here.backUp();
    await recover();
    assert.equal(await open.status(), 'succeeded');
    await here.restore();
    assert.equal(await compare(), false);
    await service.standIn.setClimate(forgetful);
    assert.equal(await open.status(), 'processing');
    await recover();
    assert.deepEqual([await open.status(), await takenFor(open.id)], ['succeeded', 1]);
  });

  it('holds charging when a refund is lost, and gives none meanwhile', async () => {
    const paid = await payment();
    await paid.confirm();
    await compare();
    await here.backUp();
    assert.deepEqual(await paid.refund(300), [201, 'succeeded']);
    await here.restore();
    assert.equal(await compare(), true);
    assert.deepEqual(await paid.refund(400), [503, 'unavailable']);
    const given = async () => (await service.standIn.calls()).filter(({ kind }) => kind === 'refund').length;
    const before = await given();
    const later = addMs(realNow(), hourMs);
    await assert.rejects(recoverRefunds(service.db.sql, processors(), later), /live charging is held/);
    assert.equal(await given(), before);
    await releaseCharging(service.db.sql, 'the refund is in order', origin());
    await recoverRefunds(service.db.sql, processors(), later);
    assert.equal(await given(), before + 1);
  });

  it('does not charge when the back-up is older than an hour and nothing was compared since', async () => {
    const late = await payment();
    await service.db.sql`update live_charging set compared_at = compared_at - interval '61 minutes'`;
    assert.deepEqual(await late.confirm(), [503, 'unavailable']);
    assert.equal(await takenFor(late.id), 0);
    await compare();
    await recover();
    assert.equal(await late.status(), 'succeeded');
  });

  it('finds nothing wrong while payments and refunds are made, however many workers compare', async () => {
    const payments = await Promise.all(Array.from({ length: 8 }, () => payment()));
    const working = Promise.all(
      payments.map(async ({ confirm, refund }) => {
        await confirm();
        return refund(100);
      }),
    );
    let isDone = false;
    void working.finally(() => {
      isDone = true;
    });
    while (!isDone) assert.deepEqual(await Promise.all([compare(), compare(), compare()]), [false, false, false]);
    assert.deepEqual(
      (await working).flat().filter((each) => typeof each === 'string' && each !== 'succeeded'),
      [],
    );
    assert.equal(await compare(), false);
    assert.equal((await service.db.sql`select from unknown_movements`).length, 0);
  });

  it('reads a long list of movements to its end before charging goes on', async () => {
    const unknown = (index: number): Movement => ({
      kind: 'charge',
      idempotencyKey: `att_lost${index}`,
      reference: `ref_lost${index}`,
      paymentIntentId: 'pi_lost',
      amount: 1000,
      currency: 'AUD',
    });
    const pages = [0, 1, 2].map((page) => ({
      movements: [unknown(page)],
      cursor: `page ${page}`,
      hasMore: page < 2,
    }));
    const asked: (string | null)[] = [];
    const movements = async (after: string | null) => {
      asked.push(after);
      const page = pages[asked.length - 1];
      assert.ok(page);
      return { ...page, entries: [], payouts: [] };
    };
    const [{ cursor }] = await service.db.sql<[{ cursor: string }]>`select cursor from live_charging`;
    assert.equal(await compare({ movements }), true);
    assert.deepEqual(asked, [cursor, 'page 0', 'page 1']);
    const { charging_held: held } = await stuckBySubject(service.db.sql, null);
    assert.match(held?.why ?? '', /^the live processor has made 3 charges/);
  });

  it('is compared once a minute at most', async () => {
    let asked = 0;
    const counting = {
      ...here.processor,
      movements: async (after: string | null) => {
        asked += 1;
        return here.processor.movements(after);
      },
    };
    for (let nth = 0; nth < 3; nth += 1) await compareWithProcessor(service.db.sql, counting);
    assert.equal(asked, 0);
    await compare(counting);
    assert.equal(asked, 1);
  });

  it('is reported when live charges were not compared for a quarter of an hour', async () => {
    const paid = await payment();
    await paid.confirm();
    const later = (ms: number) => stuckBySubject(service.db.sql, null, ms);
    assert.equal((await later(14 * 60_000)).processor_comparison_late, undefined);
    const { processor_comparison_late: late } = await later(16 * 60_000);
    assert.match(late?.why ?? '', /^the last comparison was at 20.*does not respond to \/movements$/);
    await compare();
    assert.equal((await later(16 * 60_000)).processor_comparison_late, undefined);
  });

  it('can be held and released by an operator, with the evidence in the audit log', async () => {
    const { sql } = service.db;
    await holdCharging(sql, 'a back-up is restored', origin());
    await assert.rejects(holdCharging(sql, 'again', origin()), CommandRefused);
    const { charging_held: held } = await stuckBySubject(sql, null);
    assert.equal(held?.why, 'an operator holds them');
    const waiting = await payment();
    assert.deepEqual(await waiting.confirm(), [503, 'unavailable']);
    await releaseCharging(sql, 'compared with the account', origin());
    await assert.rejects(releaseCharging(sql, 'again', origin()), CommandRefused);
    await recover();
    assert.equal(await waiting.status(), 'succeeded');
    const entries = (await listAudit(sql, { limit: 10 })).filter(({ changes }) => 'held' in changes).slice(0, 2);
    assert.deepEqual(
      entries.map(({ action, changes }) => [action, changes.evidence?.to]),
      [
        ['live_charging.released', 'compared with the account'],
        ['live_charging.held', 'a back-up is restored'],
      ],
    );
  });
});
