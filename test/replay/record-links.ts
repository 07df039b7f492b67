// Records the histories of payment links and checkout sessions: npx mocha test/replay/record-links.ts. See record.ts.
// On test clocks they have no workflow: histories/links-on-clocks has those of the version before.
import { workflowIdOf } from '../../src/messages/workflow-types.ts';
import { realNow } from '../../src/platform/real-time.ts';
import { useService } from '../support/service.ts';
import { useRecorder } from './recorder.ts';

const invoice = { name: 'Invoice 1042', amount: 2500, currency: 'AUD' } as const;

describe('recording histories of payment links', function () {
  this.timeout(60_000);
  const service = useService({ isAlone: true });
  const { keep, signal, send } = useRecorder(service, (name) => /^(payment-link|checkout-session)-/.test(name));

  it('records a link in real time that is rechecked, gets another date and expires', async () => {
    const { client } = await service.merchant();
    const inSeconds = (seconds: number) => new Date(Number(realNow()) + seconds * 1000).toISOString();
    const { id } = await client.paymentLinks.create({ ...invoice, expires_at: inSeconds(3_600) });
    const workflowId = workflowIdOf('paymentLink', id);
    await signal(workflowId, 'recheck');
    await send(workflowId, 'recheck');
    await client.paymentLinks.update(id, { expires_at: inSeconds(1) });
    await keep('payment-link-in-real-time-gets-another-date-and-expires', workflowId);
  });

  it('records a session in real time that is ended by request', async () => {
    const { client } = await service.merchant();
    const { id } = await client.checkoutSessions.create(invoice);
    const workflowId = workflowIdOf('checkoutSession', id);
    await signal(workflowId, 'recheck');
    await client.checkoutSessions.expire(id);
    await keep('checkout-session-in-real-time-is-ended', workflowId);
  });
});
