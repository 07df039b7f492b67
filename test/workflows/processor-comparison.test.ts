import assert from 'node:assert/strict';
import { type Violation, violationsOf } from '../../src/operations/invariants/invariants.ts';
import { listedInvariants } from '../../src/operations/invariants/listed.ts';
import { createHttpProcessor, type HttpProcessor } from '../../src/processors/http-processor.ts';
import { compareWithProcessor } from '../../src/services/payments/processor-comparison.ts';
import { sendChecked } from '../support/api.ts';
import { useService } from '../support/service.ts';

describe('the comparison with the live processor', function () {
  this.timeout(60_000);
  const service = useService({ live: true, idle: true });
  let processor: HttpProcessor;

  before('be a worker', () => {
    processor = createHttpProcessor(service.standIn);
  });
  beforeEach('compare for the first time', () => compareWithProcessor(service.db.sql, processor));
  afterEach('forget what this processor has said, which is not always true', async () => {
    await service.db.sql`delete from live_charging`;
    await service.db.sql`update payment_reservations set taken_at = null, taken_amount = null`;
  });
  after(() => processor.close());

  /** What is found of this payment or refund, after the next comparison and once its list counts as complete. */
  async function found(id: string): Promise<Violation[]> {
    const { sql } = service.db;
    await sql`update live_charging set compared_at = now() - interval '1 minute'`;
    await compareWithProcessor(sql, processor);
    await sql`update live_charging set compared_at = compared_at + interval '1 minute'`;
    const violations: Violation[] = [];
    for (const invariant of listedInvariants) violations.push(...(await violationsOf(sql, invariant)));
    return violations.filter((violation) => violation.id === id);
  }

  async function payment(metadata: Record<string, string> = {}) {
    const merchant = await service.liveMerchant();
    const payer = await merchant.customer();
    const card = await merchant.card(payer.id);
    const { id } = await merchant.intent({ customer_id: payer.id, payment_method: card, metadata });
    const send = async (path: string, body: object) => {
      const headers = { 'Idempotency-Key': crypto.randomUUID() };
      const url = `${service.url}/api/v1/payment_intents/${id}/${path}`;
      return (await sendChecked(url, 'POST', { key: merchant.key, body, headers })).body;
    };
    return { id, confirm: () => send('confirm', {}), refund: () => send('refunds', { amount: 500 }) };
  }

  it('finds nothing of payments and refunds on which rows and processor agree', async () => {
    const paid = await payment();
    assert.equal((await paid.confirm()).status, 'succeeded');
    const refund = await paid.refund();
    const declined = await payment({ _stand_in: 'refused' });
    await declined.confirm();
    for (const id of [paid.id, refund.id, declined.id]) assert.deepEqual(await found(id), [], id);
  });

  it('names a payment that has failed here and was taken there, with the processor’s reference', async () => {
    const lied = await payment({ _stand_in: 'failed_after' });
    await lied.confirm();
    const [violation, ...others] = await found(lied.id);
    assert.deepEqual(others, []);
    assert.match(violation?.detail ?? '', /^attempt 1 is failed here; the processor has charged it \(ref_\w+, /);
    assert.match(
      violation?.remedy ?? '',
      new RegExp(`has this charge of ${lied.id} as taken.*charge ${lied.id} no more`),
    );
  });

  it('names a payment that has succeeded here and was never taken there', async () => {
    const lied = await payment({ _stand_in: 'untaken' });
    assert.equal((await lied.confirm()).status, 'succeeded');
    assert.deepEqual(
      (await found(lied.id)).map(({ detail }) => detail.replace(/ref_\w+/, 'ref')),
      ['attempt 1 is succeeded here; the processor has not charged it (ref)'],
    );
  });

  it('names a payment of another amount than was taken', async () => {
    const { sql } = service.db;
    const { id, confirm } = await payment();
    await confirm();
    await sql`update payment_intents set amount = amount - 1 where id = ${id}`;
    assert.match((await found(id))[0]?.detail ?? '', /^attempt 1 is of \d+ here; the processor has charged \d+ \(ref_/);
    await sql`update payment_intents set amount = amount + 1 where id = ${id}`;
    assert.deepEqual(await found(id), []);
  });

  it('names a refund that was turned around by hand, in both ways', async () => {
    const { sql } = service.db;
    const paid = await payment();
    await paid.confirm();
    const { id } = await paid.refund();
    assert.deepEqual(await found(id), []);
    await sql`update refunds set status = 'failed' where id = ${id}`;
    assert.match((await found(id))[0]?.detail ?? '', /^it is failed here; the processor has made it/);
    await sql`update refunds set status = 'succeeded', listed_at = null where id = ${id}`;
    assert.match((await found(id))[0]?.detail ?? '', /^it is succeeded here; the processor has not made it/);
    await sql`update refunds set listed_at = now() where id = ${id}`;
  });
});
