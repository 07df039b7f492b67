import assert from 'node:assert/strict';
import { beforeEach, describe, it } from 'mocha';
import { realNow } from '../../src/platform/real-time.ts';
import type { CheckoutSessionCreate } from '../../src/resources/checkout-session-input.ts';
import type { PaymentLinkCreate } from '../../src/resources/payment-link-input.ts';
import { useLinks } from '../support/links.ts';
import { usePages } from '../support/pages.ts';
import { useStage } from '../support/stage.ts';

describe('the page that thanks a payer', () => {
  const stage = useStage();
  const links = useLinks(stage);
  const pages = usePages(stage);
  const payer = { name: 'Jo Nguyen', email: 'jo@example.com' };

  beforeEach('forget who has been here in this minute', () => stage.db.sql`delete from page_uses`);

  async function textAfter(path: string): Promise<string> {
    const { hidden } = await pages.open(path);
    const paid = await pages.post(path, { ...hidden, ...payer, method: 'tok_sandbox_visa_succeed' });
    assert.equal(paid.status, 303, paid.text);
    return (await pages.open(String(paid.headers.get('location')))).text;
  }
  const ofLink = async (input: Partial<PaymentLinkCreate>) =>
    textAfter(`/checkout/${await links.open(await links.link(input))}`);
  async function ofSession(input: CheckoutSessionCreate) {
    const made = await stage.request('POST', '/checkout_sessions', input);
    assert.equal(made.status, 201, made.text);
    return textAfter(new URL(made.body.url).pathname);
  }
  function assertSays(text: string, ...words: string[]) {
    for (const each of words) assert.ok(text.includes(each), `${each}: ${text}`);
  }

  it('names what was paid for by a session, and by a payment intent that has a description alone', async () => {
    assertSays(
      await ofSession({ name: 'Order 6735', description: 'Two oars', amount: 2500, currency: 'AUD' }),
      'Order 6735',
      'Two oars',
    );
    const intent = await stage.request('POST', '/payment_intents', {
      ...{ amount: 2500, currency: 'AUD', description: 'Swimming lesson of Ada' },
    });
    assertSays(await ofSession({ payment_intent_id: intent.body.id }), 'Thank you', 'Swimming lesson of Ada');
  });

  it('names the plan for which the way to pay is kept', async () => {
    const { id } = await stage.merchant.customer();
    await stage.merchant.card(id);
    const start_date = realNow().toISOString().slice(0, 10);
    const plan = await stage.merchant.plan({ customer_id: id, name: 'Boat shed', start_date });
    const link = { customer_id: id, name: 'Your new card', apply_to: { payment_plan_id: plan.id } };
    assertSays(
      await ofLink({ ...link, mode: 'setup' }),
      'Your details were saved',
      'Your new card',
      'Kept for',
      'Boat shed',
    );
    assertSays(await ofLink(link), 'Thank you', 'Your new card', 'Kept for', 'Boat shed');
  });

  it('names the items of the subscription that was begun, to its payer only', async () => {
    const { id } = await stage.merchant.customer();
    const made = await stage.request('POST', '/subscriptions', {
      ...{ customer_id: id, name: 'Membership', currency: 'AUD', frequency_type: 'monthly' },
      items: [
        { name: 'Gym', unit_amount_cents: 4900 },
        { name: 'Locker', unit_amount_cents: 500, quantity: 2 },
      ],
    });
    const link = {
      customer_id: id,
      mode: 'setup',
      name: 'Begin',
      apply_to: { subscription_id: made.body.id },
    } as const;
    const path = `/checkout/${await links.open(await links.link(link))}`;
    assertSays(await textAfter(path), 'Membership', 'Includes', 'Gym, 2 × Locker');
    assert.doesNotMatch((await pages.open(`${path}/done`)).text, /Membership|Locker/);
  });
});
