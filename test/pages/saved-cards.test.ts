import assert from 'node:assert/strict';
import { describe, it } from 'mocha';
import type { PaymentLinkCreate } from '../../src/resources/payment-link-input.ts';
import { useLinks } from '../support/links.ts';
import { usePages } from '../support/pages.ts';
import { useStage } from '../support/stage.ts';

describe('the saved cards of a customer, on the page of a session', () => {
  const stage = useStage();
  const links = useLinks(stage);
  const pages = usePages(stage);

  /** The page of a session of a new link of this customer, and its path. */
  async function open(customerId: string | null, input: Partial<PaymentLinkCreate> = {}) {
    const link = await links.link({ ...(customerId === null ? {} : { customer_id: customerId }), ...input });
    const path = `/checkout/${await links.open(link)}`;
    return { link, path, ...(await pages.open(path)) };
  }
  async function customerWithCard() {
    const { id } = await stage.merchant.customer();
    return { id, card: await stage.merchant.card(id) };
  }

  it('are offered with brand and last digits, newest first, and charged without being entered again', async () => {
    const { id, card } = await customerWithCard();
    const newer = await stage.merchant.card(id, 'tok_sandbox_mastercard_succeed');
    const { link, path, html, text, hidden } = await open(id);
    assert.deepEqual(
      [...html.matchAll(/value="(pm_\w+)"/g)].map(([, each]) => each),
      [newer, card],
    );
    assert.ok(text.includes('Mastercard ending in 4444 saved') && text.includes('Visa ending in 4242 saved'));
    const paid = await pages.post(path, { ...hidden, method: card });
    assert.ok(paid.headers.get('location')?.startsWith(`${path}/done?payer=`), paid.text);
    assert.equal((await links.read(link)).payments_count, 1);
    const again = await open(id);
    assert.ok(again.html.includes(card), 'the card is kept');
  });

  it('are offered in a session without a link and for a payment of the customer, also on a test clock', async () => {
    const clock = await stage.merchant.clock('2027-01-01T00:00:00Z');
    const onClock = await stage.merchant.customer({ test_clock: clock.id });
    const known = await customerWithCard();
    const cards = [known.card, await stage.merchant.card(onClock.id)];
    const intent = await stage.merchant.intent({ customer_id: known.id });
    const bodies = [
      { name: 'Invoice', amount: 2500, currency: 'AUD', customer_id: known.id },
      { payment_intent_id: intent.id },
      { name: 'Invoice', amount: 2500, currency: 'AUD', customer_id: onClock.id },
    ];
    const offered = [];
    for (const body of bodies) {
      const { body: session } = await stage.request('POST', '/checkout_sessions', body);
      const { html } = await pages.open(`/checkout/${String(session.url).split('/').at(-1)}`);
      offered.push(cards.filter((card) => html.includes(card)));
    }
    assert.deepEqual(offered, [[cards[0]], [cards[0]], [cards[1]]]);
  });

  it('are not offered where the payer chooses the amount, where the link is paid more than once, or to save a method', async () => {
    const { id, card } = await customerWithCard();
    const inputs: Partial<PaymentLinkCreate>[] = [
      { amount_range: { min: 500, max: 10_000 } },
      { max_payments: null },
      { max_payments: 2 },
      { mode: 'setup' },
      { payment_method_types: ['au_becs_debit'] },
    ];
    for (const input of inputs) {
      const { html, path, hidden, status } = await open(id, input);
      assert.deepEqual([status, html.includes(card)], [200, false], JSON.stringify(input));
      const forced = await pages.post(path, { ...hidden, method: card, amount: '5.00' });
      assert.equal(forced.status, 400, JSON.stringify(input));
    }
    assert.equal(stage.ledger.requests.length, 0);
  });

  it('are not offered to a payer whom the biller has not named, nor are those of others, bank accounts and detached ones', async () => {
    const stranger = await customerWithCard();
    const { id, card } = await customerWithCard();
    await stage.request('POST', `/payment_methods/${card}/detach`);
    await stage.request('POST', '/payment_methods', {
      type: 'au_becs_debit',
      customer_reference: id,
      payment_method_data: { bsb_number: '000-000', account_name: 'Jo', account_number: '123456789' },
    });
    const mine = await open(id);
    assert.equal(/value="pm_/.test(mine.html), false);
    const forced = await pages.post(mine.path, { ...mine.hidden, method: stranger.card });
    assert.equal(forced.status, 400);
    const unnamed = await open(null, { save_payment_method: 'always' });
    const details = { name: 'Jo', email: 'jo@example.com' };
    const declined = 'tok_sandbox_visa_decline_insufficient_funds';
    await pages.post(unnamed.path, { ...unnamed.hidden, ...details, method: declined });
    const after = await pages.open(unnamed.path);
    assert.deepEqual([after.status, /value="pm_/.test(after.html)], [200, false]);
  });
});
