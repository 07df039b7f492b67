import assert from 'node:assert/strict';
import { after, before, describe, it } from 'mocha';
import { type RigServer, rigKey, startEmulate } from '../../lab/stripe-rig/servers.ts';
import { type StripeClient, stripeClient } from '../../processors/stripe/stripe-client.ts';
import { useFolder } from '../runtime/support.ts';
import { needsPrograms } from './support.ts';

/** The calls of the adapter at a second server, which other people made by their own reading. */
describe('emulate in place of Stripe', function () {
  this.timeout(60_000);
  needsPrograms('emulate');
  const folder = useFolder();
  let server: RigServer;
  let stripe: StripeClient;

  before('start it', async () => {
    server = await startEmulate(folder.path);
    stripe = stripeClient({ key: rigKey, apiVersion: '2026-10-28.endive', baseUrl: server.url });
  });
  after('end it', () => server?.stop());

  const create = () =>
    stripe.paymentIntents.create({
      ...{ amount: 1018, currency: 'aud', payment_method: 'pm_card_visa' },
      metadata: { attempt: 'att_1' },
    });

  it('reserves an intent, charges it once and lists the charge with the intent’s metadata', async () => {
    const { id, status } = await create();
    assert.equal(status, 'requires_confirmation');
    assert.equal((await stripe.paymentIntents.confirm(id, { off_session: true })).status, 'succeeded');
    const again = await stripe.paymentIntents.confirm(id, { off_session: true }).catch(({ code }) => code);
    assert.equal(again, 'payment_intent_unexpected_state');
    const { data } = await stripe.charges.list({ created: { gte: 1_600_000_000 } });
    assert.deepEqual(
      data.map(({ payment_intent, amount, metadata }) => [payment_intent, amount, metadata.attempt]),
      [[id, 1018, 'att_1']],
    );
    assert.equal(await stripe.paymentIntents.cancel(id).catch(({ code }) => code), 'payment_intent_unexpected_state');
  });

  it('never charges what was canceled', async () => {
    const { id } = await create();
    assert.equal((await stripe.paymentIntents.cancel(id)).status, 'canceled');
    assert.equal(
      await stripe.paymentIntents.confirm(id, { off_session: true }).catch(({ code }) => code),
      'payment_intent_unexpected_state',
    );
  });

  it('has no latest_charge and no refunds, unlike Stripe', async () => {
    const { id } = await create();
    await stripe.paymentIntents.confirm(id, { off_session: true });
    assert.equal((await stripe.paymentIntents.retrieve(id, { expand: ['latest_charge'] })).latest_charge, undefined);
    const response = await fetch(`${server.url}/v1/refunds`, { headers: { authorization: `Bearer ${rigKey}` } });
    assert.equal(response.status, 404);
  });
});
