import assert from 'node:assert/strict';
import { useService } from '../support/service.ts';

describe('the sandbox with a processor service of its own', function () {
  this.timeout(60_000);
  const service = useService({ sandboxOverHttp: true });

  const referencesOf = async (intentId: string | null | undefined) => {
    const rows = await service.db.sql<{ reference: string; livemode: boolean }[]>`
      select r.reference, r.livemode from payment_reservations r join payment_attempts a on a.id = r.attempt_id
      where a.payment_intent_id = ${intentId ?? ''}`;
    return rows.map(({ reference, livemode }) => `${reference.slice(0, 4)} ${livemode}`);
  };

  it('collects the plans of a clock as it does inside the service, and by references', async () => {
    const { merchant, clock, plan } = await service.planOnClock('2027-01-01T00:00:00Z', {
      start_date: '2027-01-05',
      metadata: { _sandbox_outcome: 'succeed,decline' },
    });
    await merchant.advance(clock.id, '2027-01-13T00:00:00Z');
    const payments = await merchant.payments(plan.id);
    assert.deepEqual(
      payments.map(({ status }) => status),
      ['paid', 'paid'],
    );
    assert.deepEqual(await referencesOf(payments[1]?.payment_intent_id), ['ref_ false']);
  });

  it('meets the weather that the metadata chooses, and charges and refunds once', async () => {
    const merchant = await service.merchant();
    const payer = await merchant.customer();
    const { id } = await merchant.intent({
      customer_id: payer.id,
      payment_method: await merchant.card(payer.id),
      metadata: { _stand_in: 'http_500_stored' },
    });
    assert.equal((await merchant.client.paymentIntents.confirm(id)).status, 'succeeded');
    const refunded = await merchant.client.refunds.create(id, { amount: 300, metadata: { _stand_in: 'answer_lost' } });
    assert.equal(refunded.status, 'succeeded');
    const done = (await service.standIn.calls()).filter(
      (call) => call.payment_intent_id === id && !('repeated' in call),
    );
    const kinds = done.flatMap(({ kind }) => (kind === 'charge' || kind === 'refund' ? [kind] : []));
    assert.deepEqual(kinds, ['charge', 'refund']);
  });

  it('is not held with live charging', async () => {
    await service.db.sql`insert into live_charging (held_at) values (now())`;
    const merchant = await service.merchant();
    const payer = await merchant.customer();
    const { id } = await merchant.intent({ customer_id: payer.id, payment_method: await merchant.card(payer.id) });
    assert.equal((await merchant.client.paymentIntents.confirm(id)).status, 'succeeded');
  });
});
