// Records the histories of payment links and checkout sessions: npx mocha test/replay/record-links.ts. See record.ts.
import assert from 'node:assert/strict';
import { workflowIdOf } from '../../src/platform/postgres/outbox.ts';
import { realNow } from '../../src/platform/real-time.ts';
import { sandboxProcessor } from '../../src/processors/sandbox.ts';
import { paySession } from '../../src/services/links/session-payment.ts';
import { startSession } from '../../src/services/links/session-start.ts';
import { applyTo, chargeHook } from '../../src/services/subjects/charge-hook.ts';
import { card } from '../support/links.ts';
import { useService } from '../support/service.ts';
import { useRecorder } from './recorder.ts';

const invoice = { name: 'Invoice 1042', amount: 2500, currency: 'AUD' } as const;

describe('recording histories of payment links', function () {
  this.timeout(60_000);
  const service = useService();
  const { keep, signal, send } = useRecorder(service, (name) => /^(payment-link|checkout-session)-/.test(name));

  it('of a link on a clock that expires in the second of two advances', async () => {
    const merchant = await service.merchant();
    const { clock, payer } = await merchant.customerOnClock('2027-01-04T09:00:00Z');
    const terms = { customer_id: payer.id, expires_at: '2027-01-10T09:00:00Z' };
    const { id } = await merchant.client.paymentLinks.create({ ...invoice, ...terms });
    await merchant.advance(clock.id, '2027-01-08T00:00:00Z');
    await merchant.advance(clock.id, '2027-01-12T00:00:00Z');
    await keep('payment-link-on-a-clock-expires', workflowIdOf('paymentLink', id));
  });

  it('of a link in real time that is rechecked, gets another date and expires', async () => {
    const { client } = await service.merchant();
    const inSeconds = (seconds: number) => new Date(Number(realNow()) + seconds * 1000).toISOString();
    const { id } = await client.paymentLinks.create({ ...invoice, expires_at: inSeconds(3_600) });
    const workflowId = workflowIdOf('paymentLink', id);
    await signal(workflowId, 'recheck');
    await send(workflowId, 'recheck');
    await client.paymentLinks.update(id, { expires_at: inSeconds(1) });
    await keep('payment-link-in-real-time-gets-another-date-and-expires', workflowId);
  });

  it('of a link on a clock that is paid after a challenge that its payer did not answer', async () => {
    const merchant = await service.merchant();
    const { clock, payer } = await merchant.payerOnClock('2027-01-04T09:00:00Z');
    const terms = { customer_id: payer.id, expires_at: '2027-01-10T09:00:00Z' };
    const link = await merchant.client.paymentLinks.create({ ...invoice, ...terms });
    const { sql } = service.db;
    const visitor = () => ({ requestId: 'req_recording', now: realNow() });
    const started = await startSession(sql, service.vault, link.url?.split('/').at(-1) ?? '', visitor());
    assert.equal(started.kind, 'started');
    if (started.kind !== 'started') return;
    const charging = { processors: { sandbox: sandboxProcessor, live: null }, hook: chargeHook };
    const deps = { charging, vault: service.vault, applyTo };
    const pay = (version: number, token: string) =>
      paySession(sql, deps, started.token, { version, method: card(token) }, visitor());
    await pay(0, 'tok_sandbox_visa_3ds_required');
    await merchant.advance(clock.id, '2027-01-05T00:00:00Z');
    const paid = await pay(1, 'tok_sandbox_visa_succeed');
    assert.ok(paid.kind === 'done' && paid.session.state === 'completed', JSON.stringify(paid));
    await keep('payment-link-on-a-clock-is-paid', workflowIdOf('paymentLink', link.id));
    await keep(
      'checkout-session-on-a-clock-is-paid-after-a-challenge',
      workflowIdOf('checkoutSession', started.session.session.id),
    );
  });

  it('of a session in real time that is ended by request', async () => {
    const { client } = await service.merchant();
    const { id } = await client.checkoutSessions.create(invoice);
    const workflowId = workflowIdOf('checkoutSession', id);
    await signal(workflowId, 'recheck');
    await client.checkoutSessions.expire(id);
    await keep('checkout-session-in-real-time-is-ended', workflowId);
  });
});
