import assert from 'node:assert/strict';
import { workflowIdOf } from '../../src/messages/workflow-types.ts';
import { formsOf, textOf } from '../runtime/haystacks.ts';
import { useDebits } from '../support/debits.ts';
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

  it('gets the account that a payer has typed, and the evidence of the mandate, which no workflow has', async () => {
    const merchant = await service.merchant();
    const debits = useDebits({ merchant, request: merchant.request });
    const payer = await debits.payer();
    const { id } = await debits.debit(payer, 'settled');
    await merchant.advance(payer.clock, '2027-03-10T00:00:00Z');
    assert.equal((await merchant.getIntent(id)).status, 'succeeded');
    const [reserved] = (await service.standIn.calls()).flatMap((call) =>
      call.kind === 'prepare' && call.payment_intent_id === id ? [call.body] : [],
    );
    const bank_account = { bsb_number: '000000', account_number: '****5432', account_name: 'Jo Nguyen' };
    assert.deepEqual(reserved?.payment_method, {
      id: payer.account,
      type: 'au_becs_debit',
      token: null,
      bank_account,
    });
    const mandate = await debits.get(payer.mandate);
    const online = await debits.online();
    assert.deepEqual(reserved?.debit?.mandate, {
      accepted_at: mandate.acceptance?.accepted_at,
      type: 'online',
      ip_address: online.ip_address,
      user_agent: online.user_agent,
      signatory_name: 'Jo Nguyen',
      text_sha256: online.text_sha256,
    });
    const [attempt] = await service.db.sql<{ id: string }[]>`
      select id from payment_attempts where payment_intent_id = ${id}`;
    const workflow = service.temporal.workflow.getHandle(workflowIdOf('bankDebit', attempt?.id ?? ''));
    const history = textOf(await workflow.fetchHistory());
    assert.ok(history.includes(attempt?.id ?? 'none'));
    for (const secret of ['98765432', 'Jo Nguyen', '203.0.113.7']) {
      assert.ok(!formsOf(secret).some((form) => history.includes(form)), secret);
    }
  });

  it('is not held with live charging', async () => {
    await service.db.sql`insert into live_charging (held_at) values (now())`;
    const merchant = await service.merchant();
    const payer = await merchant.customer();
    const { id } = await merchant.intent({ customer_id: payer.id, payment_method: await merchant.card(payer.id) });
    assert.equal((await merchant.client.paymentIntents.confirm(id)).status, 'succeeded');
  });
});
