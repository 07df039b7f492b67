import assert from 'node:assert/strict';
import { describe, it } from 'mocha';
import { rigKey } from '../../lab/stripe-rig/servers.ts';
import { writeAccount } from '../../processors/stripe/accounts.ts';
import { account, sealingKeys, useStripe } from './support.ts';

const publishableKey = 'pk_test_12345678abcd';

describe('a card that is saved in Stripe’s fields', function () {
  this.timeout(60_000);
  const stripe = useStripe();
  let last = 0;

  before('give the account its publishable key', async () => {
    const place = { account, livemode: false };
    await writeAccount(stripe.sql, sealingKeys, place, { key: rigKey, publishableKey, by: 'test' });
  });
  afterEach('Stripe’s own document takes every request', async () => {
    assert.deepEqual(await stripe.rig.shadow.complaints(), []);
  });

  async function atStripe(path: string, form?: Record<string, string>) {
    const response = await fetch(`${stripe.rig.localstripe().url}/v1/${path}`, {
      method: form ? 'POST' : 'GET',
      headers: { authorization: `Bearer ${rigKey}` },
      ...(form && { body: new URLSearchParams(form) }),
    });
    return (await response.json()) as Record<string, unknown>;
  }
  const begin = async (key = `cs_${++last}`) => (await stripe.call('/setups', {}, key)).body;
  const inquire = (reference: unknown, more: object = {}) => stripe.call('/setups/inquire', { reference, ...more });
  /** What Stripe's script does when the payer is done. */
  const confirm = (reference: unknown, payment_method: string) =>
    atStripe(`setup_intents/${reference}/confirm`, { payment_method });

  it('begins once under a key, without money, for charges off session', async () => {
    const setups = await Promise.all([begin('cs_same'), begin('cs_same'), begin('cs_same')]);
    const told = setups.filter(({ outcome }) => outcome === 'open');
    const again = await begin('cs_same');
    assert.equal(again.outcome, 'open');
    assert.ok(told.every(({ reference }) => reference === again.reference));
    assert.notEqual((await begin('cs_other')).reference, again.reference);
    assert.equal(again.publishable_key, publishableKey);
    assert.equal(again.script_url, `${stripe.rig.url}/js.stripe.com/v3/`);
    const { usage, customer, client_secret } = await atStripe(`setup_intents/${again.reference}`);
    assert.deepEqual([usage, client_secret], ['off_session', again.client_secret]);
    assert.match(String(customer), /^cus_/);
    assert.equal((await inquire(again.reference)).body.outcome, 'open');
  });

  it('tells the card that the payer has saved, which is then charged', async () => {
    const { reference } = await begin();
    const card = await stripe.card();
    await confirm(reference, card);
    const { body } = await inquire(reference);
    assert.deepEqual([body.reference, body.outcome, body.token], [reference, 'succeeded', card]);
    const reserved = await stripe.reserved(card);
    const paid = await stripe.call('/charges', { ...reserved.body, reference: reserved.reference }, reserved.key);
    assert.equal(paid.body.outcome, 'succeeded');
  });

  it('tells no card before a challenge is passed, and none of a setup that was canceled', async () => {
    const challenged = await begin();
    await confirm(challenged.reference, await stripe.card('challenge'));
    const { body } = await inquire(challenged.reference);
    assert.deepEqual([body.outcome, body.token], ['open', undefined]);
    const canceled = await begin();
    await atStripe(`setup_intents/${canceled.reference}/cancel`, {});
    assert.equal((await inquire(canceled.reference)).body.outcome, 'canceled');
  });

  it('describes a card, and knows none of another account', async () => {
    const token = await stripe.card();
    const { body } = await stripe.call('/methods/inquire', { token });
    assert.deepEqual([body.token, body.outcome, body.brand, body.last_four], [token, 'found', 'visa', '4242']);
    const unknown = await stripe.call('/methods/inquire', { token: 'pm_unknown' });
    assert.deepEqual([unknown.status, unknown.body.outcome], [404, undefined]);
  });

  it('of another biller is 404, although both share a Stripe account, and so are an unknown one and a payment', async () => {
    const { reference } = await begin();
    const other = { account: 'acct_other', livemode: false };
    await writeAccount(stripe.sql, sealingKeys, other, { key: rigKey, publishableKey, by: 'test' });
    for (const asked of [await inquire(reference, other), await inquire('seti_unknown')]) {
      assert.deepEqual([asked.status, asked.body.outcome], [404, undefined]);
    }
    assert.equal((await inquire('pi_1')).status, 400);
    assert.equal((await inquire('seti_1/../../charges')).status, 400);
  });

  it('is not offered by an account without a publishable key', async () => {
    const bare = { account: 'acct_bare', livemode: false };
    await writeAccount(stripe.sql, sealingKeys, bare, { key: rigKey, by: 'test' });
    const { status, body } = await stripe.call('/setups', bare, 'cs_bare');
    assert.deepEqual([status, body.outcome, body.client_secret], [404, undefined, undefined]);
  });

  it('has no outcome if Stripe is away, and is begun by the next try', async () => {
    stripe.rig.faults.plan(/POST \/v1\/setup_intents/, { kind: 'status', status: 503, when: 'before' });
    const lost = await stripe.call('/setups', {}, 'cs_lost');
    assert.deepEqual([lost.status, lost.body.outcome], [503, undefined]);
    assert.equal((await begin('cs_lost')).outcome, 'open');
  });

  it('keeps its publishable key when the secret one is rotated; one of the other mode or a secret one is refused', async () => {
    const place = { account: 'acct_kept', livemode: false };
    const write = (key?: string) =>
      writeAccount(stripe.sql, sealingKeys, place, { key: rigKey, ...(key && { publishableKey: key }), by: 'test' });
    await write(publishableKey);
    assert.equal((await write()).publishable_key, publishableKey);
    for (const wrong of ['pk_live_12345678abcd', rigKey, 'pk_test_"><script>']) {
      await assert.rejects(write(wrong), (error: Error) => !error.message.includes(wrong));
    }
    assert.equal((await write()).publishable_key, publishableKey);
  });
});
