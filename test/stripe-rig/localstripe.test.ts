import assert from 'node:assert/strict';
import { after, before, describe, it } from 'mocha';
import { type RigServer, rigKey, startLocalStripe } from '../../lab/stripe-rig/servers.ts';
import { useFolder } from '../runtime/support.ts';
import { needsPrograms } from './support.ts';

/** Facts of localstripe itself, without the bridge: when one changes, the bridge has to. */
describe('localstripe', function () {
  this.timeout(60_000);
  needsPrograms('localstripe');
  const folder = useFolder();
  let server: RigServer;

  before('start it', async () => {
    server = await startLocalStripe(folder.path, { keeps: true });
  });
  after('end it', () => server?.stop());

  async function ask(path: string, form?: Record<string, string>, key = rigKey) {
    const response = await fetch(`${server.url}/v1/${path}`, {
      method: form ? 'POST' : 'GET',
      headers: { authorization: `Bearer ${key}` },
      ...(form && { body: new URLSearchParams(form) }),
    });
    const text = await response.text();
    return { status: response.status, body: text.startsWith('{') ? JSON.parse(text) : text };
  }
  const intent = async (method: string) =>
    (await ask('payment_intents', { amount: '1018', currency: 'aud', payment_method: method })).body;
  async function methodOf(number: string): Promise<string> {
    const card = { 'card[number]': number, 'card[exp_month]': '12', 'card[exp_year]': '2030', 'card[cvc]': '123' };
    return (await ask('payment_methods', { type: 'card', ...card })).body.id;
  }

  it('creates an intent that is not confirmed, confirms it and shows its charge', async () => {
    const created = await ask('payment_intents', {
      ...{ amount: '1018', currency: 'aud', payment_method: 'pm_card_visa', 'metadata[attempt]': 'att_1' },
    });
    assert.equal(created.body.status, 'requires_confirmation');
    assert.deepEqual(created.body.metadata, { attempt: 'att_1' });
    assert.equal((await ask(`payment_intents/${created.body.id}/confirm`, {})).body.status, 'succeeded');
    const { body } = await ask(`payment_intents/${created.body.id}?expand[0]=latest_charge`);
    assert.equal(body.latest_charge.status, 'succeeded');
    assert.equal(body.latest_charge.amount, 1018);
  });

  it('responds to a decline with 402, and refuses a second confirmation, unlike Stripe', async () => {
    const { id } = await intent(await methodOf('4000000000000341'));
    const declined = await ask(`payment_intents/${id}/confirm`, {});
    assert.equal(declined.status, 402);
    assert.equal(declined.body.error.code, 'card_declined');
    assert.equal(declined.body.error.type, 'invalid_request_error');
    assert.equal((await ask(`payment_intents/${id}`)).body.status, 'requires_payment_method');
    assert.equal((await ask(`payment_intents/${id}/confirm`, {})).status, 400);
    assert.equal((await ask(`payment_intents/${id}/cancel`, {})).body.status, 'canceled');
  });

  it('charges the token of a declined card that is attached to nobody, unlike Stripe', async () => {
    const { id } = await intent('pm_card_visa_chargeDeclined');
    assert.equal((await ask(`payment_intents/${id}/confirm`, {})).body.status, 'succeeded');
  });

  it('refuses the parameters of an off-session confirm, unlike Stripe', async () => {
    const { id } = await intent('pm_card_visa');
    for (const parameter of ['off_session=true', 'amount_to_confirm=1018']) {
      const form = Object.fromEntries(new URLSearchParams(parameter));
      assert.equal((await ask(`payment_intents/${id}/confirm`, form)).status, 400);
    }
  });

  it('asks for a challenge of a 3-D Secure card', async () => {
    const { id } = await intent(await methodOf('4000002500003155'));
    assert.equal((await ask(`payment_intents/${id}/confirm`, {})).body.status, 'requires_action');
  });

  it('gives back more than was paid, unlike Stripe, and lists refunds with their metadata', async () => {
    const { id } = await intent('pm_card_visa');
    await ask(`payment_intents/${id}/confirm`, {});
    for (const refund of ['re_1', 're_2']) {
      const form = { payment_intent: id, amount: '1000', 'metadata[refund]': refund };
      assert.equal((await ask('refunds', form)).status, 200);
    }
    const { data } = (await ask(`refunds?payment_intent=${id}`)).body;
    assert.deepEqual(data.map(({ metadata }: { metadata: { refund: string } }) => metadata.refund).sort(), [
      're_1',
      're_2',
    ]);
  });

  it('lists charges by created[gt] alone', async () => {
    assert.equal((await ask('charges?created[gt]=1600000000')).status, 200);
    assert.equal((await ask('charges?created[gte]=1600000000')).status, 500);
  });

  it('takes every secret key and no restricted one', async () => {
    assert.equal((await ask('balance', undefined, 'sk_live_another')).status, 200);
    assert.equal((await ask('balance', undefined, 'rk_test_another')).status, 401);
  });

  it('has what it has answered after it was started again in its folder', async () => {
    const { id } = await intent('pm_card_visa');
    await server.stop();
    server = await startLocalStripe(folder.path, { keeps: true });
    assert.equal((await ask(`payment_intents/${id}`)).body.status, 'requires_confirmation');
  });
});
