import assert from 'node:assert/strict';
import type { LedgerLine } from '../../lab/processes/stand-in/ledger-file.ts';
import { addMs } from '../../src/domain/instants.ts';
import { realNow } from '../../src/platform/real-time.ts';
import { createHttpProcessor, type HttpProcessor } from '../../src/processors/http-processor.ts';
import { sandboxProcessor } from '../../src/processors/sandbox.ts';
import { recoverCharges } from '../../src/services/payments/payment-confirmation.ts';
import { chargeHook } from '../../src/services/subjects/charge-hook.ts';
import { sendChecked } from '../support/api.ts';
import { useService } from '../support/service.ts';

const hourMs = 3_600_000;

describe('a live charge', function () {
  this.timeout(60_000);
  const service = useService({ live: true, idle: true });
  let processor: HttpProcessor;

  before('be another process', () => {
    processor = createHttpProcessor(service.standIn);
  });
  after('end it', () => processor.close());

  /** An intent with a card that waits for its confirm. */
  async function payment(metadata: Record<string, string> = {}) {
    const merchant = await service.liveMerchant();
    const payer = await merchant.customer();
    const { id } = await merchant.intent({
      customer_id: payer.id,
      payment_method: await merchant.card(payer.id),
      metadata,
    });
    const idempotencyKey = crypto.randomUUID();
    return {
      id,
      get: () => merchant.getIntent(id),
      confirm: () => send('confirm', {}, idempotencyKey),
      /** The same metadata is the same request. */
      refund: (more: Record<string, string>) =>
        send('refunds', { amount: 300, metadata: more }, `${idempotencyKey} ${JSON.stringify(more)}`),
    };

    async function send(path: string, body: object, key: string) {
      const url = `${service.url}/api/v1/payment_intents/${id}/${path}`;
      const headers = { 'Idempotency-Key': key };
      const { status, body: sent } = await sendChecked(url, 'POST', { key: merchant.key, body, headers });
      return [status, sent.status ?? sent.error.code];
    }
  }

  const linesFor = async (intentId: string): Promise<LedgerLine[]> =>
    (await service.standIn.calls()).filter((line) => line.payment_intent_id === intentId);
  /** What the processor was asked, in order. */
  const callsFor = async (intentId: string) =>
    (await linesFor(intentId)).map((line) => ('call' in line ? line.call : line.kind));
  const takenFor = async (intentId: string) =>
    (await linesFor(intentId)).filter((line) => line.kind === 'charge' && !line.repeated).length;

  const refundedFor = async (intentId: string) =>
    (await linesFor(intentId)).filter(
      (line) => line.kind === 'refund' && !line.repeated && line.outcome === 'succeeded',
    ).length;

  const reservationsOf = async (intentId: string) => [
    ...(await service.db.sql<{ number: number; reference: string }[]>`
    select r.number, r.reference from payment_reservations r join payment_attempts a on a.id = r.attempt_id
    where a.payment_intent_id = ${intentId} order by r.number`),
  ];
  const makeOlder = (intentId: string, ms: number) => service.db.sql`
    update payment_reservations set reserved_at = reserved_at - ${ms} * interval '1 millisecond'
    where attempt_id in (select id from payment_attempts where payment_intent_id = ${intentId})`;
  /** What every worker does every five seconds for attempts that are a minute old. */
  const recover = () => {
    const processors = { sandbox: sandboxProcessor, live: processor };
    return recoverCharges(service.db.sql, { processors, hook: chargeHook }, addMs(realNow(), hourMs));
  };

  it('is reserved first, its reference committed, and then charged by it', async () => {
    const { id, confirm } = await payment();
    assert.deepEqual(await confirm(), [200, 'succeeded']);
    assert.deepEqual(await callsFor(id), ['prepare', 'charge']);
    const [reserved, charged] = await linesFor(id);
    assert.ok(reserved?.kind === 'prepare' && charged?.kind === 'charge');
    assert.deepEqual(await reservationsOf(id), [{ number: 1, reference: reserved.reference }]);
    assert.equal(charged.reference, reserved.reference);
  });

  it('is not charged before its reference is committed', async () => {
    const { id, confirm, get } = await payment({ _stand_in_prepare: 'answer_lost' });
    assert.deepEqual(await confirm(), [503, 'unavailable']);
    assert.deepEqual([await callsFor(id), await reservationsOf(id)], [['prepare'], []]);
    assert.equal((await get()).status, 'processing');
    assert.deepEqual(await confirm(), [200, 'succeeded']);
    const reserved = (await linesFor(id)).filter((line) => line.kind === 'prepare');
    assert.equal(reserved.length, 1, 'the same key finds the same reservation');
    assert.equal(await takenFor(id), 1);
  });

  it('fails when the processor does not take the request, and is not asked for then', async () => {
    const { id, confirm, get } = await payment({ _stand_in_prepare: 'refused' });
    assert.deepEqual(await confirm(), [200, 'failed']);
    assert.equal((await get()).last_payment_error?.code, 'processor_rejected');
    assert.deepEqual(await callsFor(id), ['prepare']);
  });

  it('that the processor refuses fails once its reservation is canceled, so it can no longer be made', async () => {
    const { id, confirm, get } = await payment({ _stand_in: 'refused' });
    assert.deepEqual(await confirm(), [200, 'failed']);
    assert.equal((await get()).last_payment_error?.code, 'processor_rejected');
    assert.deepEqual(await callsFor(id), ['prepare', 'charge', 'cancel', 'inquire']);
    assert.equal(await takenFor(id), 0);
  });

  it('that the processor refuses stays open while it does not say that the reservation is canceled', async () => {
    const { id, confirm, get } = await payment({ _stand_in: 'refused', _stand_in_cancel: 'error_500' });
    assert.deepEqual(await confirm(), [503, 'unavailable']);
    assert.equal((await get()).status, 'processing');
    // The cancellation was carried out, and only its answer was lost: the payment is reserved anew.
    assert.deepEqual(await confirm(), [200, 'succeeded']);
    assert.deepEqual([(await reservationsOf(id)).length, await takenFor(id)], [2, 1]);
  });

  it('that one process has given up is not made by another that continues it', async () => {
    const { id, confirm, get } = await payment({ _stand_in: 'reset_before' });
    await confirm();
    await service.db.sql`
      insert into payment_reservations (attempt_id, number, livemode)
      select id, 2, true from payment_attempts where payment_intent_id = ${id}`;
    await recover();
    assert.equal((await get()).last_payment_error?.code, 'processor_rejected');
    assert.equal(await takenFor(id), 0);
  });

  it('is repeated under a key that is 22 hours old if the processor says that it was not charged', async () => {
    const { id, confirm } = await payment({ _stand_in: 'reset_before' });
    await confirm();
    await makeOlder(id, 22 * hourMs);
    assert.deepEqual(await confirm(), [200, 'succeeded']);
    assert.deepEqual((await callsFor(id)).slice(-2), ['inquire', 'charge']);
    assert.equal((await reservationsOf(id)).length, 1);
  });

  it('is not repeated under a key that is 23 hours old: the reservation is canceled, and a new one is charged', async () => {
    const { id, confirm } = await payment({ _stand_in: 'reset_before' });
    await confirm();
    await makeOlder(id, 23 * hourMs);
    assert.deepEqual(await confirm(), [200, 'succeeded']);
    assert.deepEqual((await callsFor(id)).slice(-5), ['inquire', 'cancel', 'inquire', 'prepare', 'charge']);
    const references = (await reservationsOf(id)).map(({ reference }) => reference);
    const charged = (await linesFor(id)).flatMap((line) => (line.kind === 'charge' ? [line.reference] : []));
    assert.deepEqual([references.length, charged], [2, [references[1]]]);
  });

  it('that was made and whose key is 30 hours old gets its outcome, and takes no more money', async () => {
    const { id, confirm } = await payment({ _stand_in: 'answer_lost', _stand_in_inquire: 'answer_lost' });
    await confirm();
    await makeOlder(id, 30 * hourMs);
    assert.deepEqual(await confirm(), [200, 'succeeded']);
    assert.deepEqual([(await reservationsOf(id)).length, await takenFor(id)], [1, 1]);
  });

  it('whose cancellation was lost a day later stays open, and is then reserved anew once', async () => {
    const { id, confirm } = await payment({ _stand_in: 'reset_before', _stand_in_cancel: 'answer_lost' });
    await confirm();
    await makeOlder(id, 24 * hourMs);
    assert.deepEqual(await confirm(), [503, 'unavailable']);
    assert.deepEqual(await confirm(), [200, 'succeeded']);
    assert.deepEqual([(await reservationsOf(id)).length, await takenFor(id)], [2, 1]);
  });

  it('is made once though the processor has forgotten its keys, by the reference that was committed first', async () => {
    const { id, confirm } = await payment({ _stand_in: 'slow_400' });
    await service.standIn.setClimate({ seed: '1', share: 0, kinds: [], forgetsKeys: true });
    const confirming = confirm();
    await Promise.all([1, 2, 3].map(() => recover().catch(() => {})));
    assert.deepEqual(await confirming, [200, 'succeeded']);
    await service.standIn.setClimate(null);
    assert.deepEqual([(await reservationsOf(id)).length, await takenFor(id)], [1, 1]);
  });

  it('is finished by housekeeping from the reference, without another charge', async () => {
    const { id, confirm, get } = await payment({ _stand_in: 'answer_lost', _stand_in_inquire: 'answer_lost' });
    await confirm();
    await recover();
    assert.equal((await get()).status, 'succeeded');
    assert.deepEqual((await callsFor(id)).filter((call) => call === 'charge').length, 1);
  });

  it('never gets an outcome that the processor has not given, however often it is asked', async () => {
    const lost = Array(12).fill('error_500').join(',');
    const { id, confirm, get } = await payment({ _stand_in: 'http_500_stored', _stand_in_inquire: lost });
    for (let nth = 0; nth < 5; nth += 1) assert.deepEqual(await confirm(), [503, 'unavailable']);
    await makeOlder(id, 48 * hourMs);
    for (let nth = 0; nth < 3; nth += 1) assert.deepEqual(await confirm(), [503, 'unavailable']);
    assert.equal((await get()).status, 'processing');
    assert.deepEqual([(await reservationsOf(id)).length, await takenFor(id)], [1, 1]);
    assert.ok(!(await callsFor(id)).includes('cancel'), 'it is not canceled either');
  });

  for (const [weather, outcome] of [
    ['answer_lost', 'succeeded'],
    ['http_500_stored', 'succeeded'],
    ['refused_after', 'succeeded'],
    ['refused', 'failed'],
  ] as const) {
    it(`is refunded once in the weather ${weather}: the refund has ${outcome}, as the processor says when it is asked`, async () => {
      const { id, confirm, refund } = await payment();
      await confirm();
      assert.deepEqual(await refund({ _stand_in: weather }), [201, outcome]);
      assert.equal(await refundedFor(id), outcome === 'succeeded' ? 1 : 0);
    });
  }

  it('whose refund got no answer is refunded once, when the request is repeated', async () => {
    const { id, confirm, refund } = await payment();
    await confirm();
    for (const weather of ['http_500_stored', 'reset_before']) {
      const metadata = { _stand_in: weather, _stand_in_inquire: 'error_500' };
      assert.deepEqual(await refund(metadata), [503, 'unavailable']);
      assert.deepEqual(await refund(metadata), [201, 'succeeded']);
    }
    assert.equal(await refundedFor(id), 2);
    assert.deepEqual((await callsFor(id)).slice(-4), ['refund', 'inquireRefund', 'inquireRefund', 'refund']);
  });

  it('is refunded by the reference of the reservation that was charged', async () => {
    const { id, confirm, refund } = await payment({ _stand_in: 'reset_before' });
    await confirm();
    await makeOlder(id, 24 * hourMs);
    await confirm();
    await refund({});
    const [, charged] = await reservationsOf(id);
    const refunded = (await linesFor(id)).flatMap((line) => (line.kind === 'refund' ? [line.reference] : []));
    assert.deepEqual(refunded, [charged?.reference]);
  });
});
