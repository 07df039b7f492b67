import assert from 'node:assert/strict';
import { describe, it } from 'mocha';
import { addMs } from '../../src/domain/instants.ts';
import { realNow } from '../../src/platform/real-time.ts';
import { OutcomeUnknown } from '../../src/processors/processor.ts';
import { recoverCharges } from '../../src/services/payments/payment-confirmation.ts';
import { type SeenPage, usePages } from '../support/pages.ts';
import { useStage } from '../support/stage.ts';
import { type Handed, outcomeOf, useCheckout } from './checkout.ts';

const isDeclined = 'tok_sandbox_visa_decline_insufficient_funds';
const asksTheBank = 'tok_sandbox_visa_3ds_required';
const isOver = '403 too_many_attempts';

describe('a payment that payers try with one card after another', () => {
  const stage = useStage({ isAlone: true });
  const page = useCheckout(stage);
  const pages = usePages(stage);

  /** Confirms with the publishable key and a new card that is declined, so many times. */
  async function fail(intent: Handed, times: number): Promise<void> {
    for (let n = 0; n < times; n += 1) {
      assert.equal(outcomeOf(await page.confirm(intent, await page.card(isDeclined))), '200 failed');
    }
  }
  const byBiller = async (intent: Handed, payment_method: string) =>
    outcomeOf(await stage.request('POST', `/payment_intents/${intent.id}/confirm`, { payment_method }));
  const restrictions = async () =>
    (await stage.merchant.events()).filter(({ event_type: type }) => type === 'payment_intent.restricted');

  it('takes ten failed attempts with a publishable key, then no card at all, and a secret key goes on', async () => {
    const intent = await page.intent();
    await fail(intent, 10);
    const asked = stage.ledger.requests.length;
    for (const card of [await page.card(isDeclined), await page.card(), 'pm_unknown']) {
      const refused = await page.confirm(intent, card);
      assert.equal(outcomeOf(refused), isOver);
      assert.match(refused.body.error.message, /secret key/);
    }
    assert.equal(stage.ledger.requests.length, asked);
    assert.equal((await page.fetch(intent)).body.status, 'failed');
    assert.equal(await byBiller(intent, await page.card(isDeclined)), '200 failed');
    assert.equal(await byBiller(intent, await page.card()), '200 succeeded');
  });

  it('tells the biller once, after the event of the tenth failure', async () => {
    const intent = await page.intent();
    await fail(intent, 9);
    assert.deepEqual(await restrictions(), []);
    await fail(intent, 1);
    await page.confirm(intent, await page.card());
    await byBiller(intent, await page.card(isDeclined));
    const types = (await stage.merchant.events()).map(({ event_type: type }) => type);
    const failed = Array(10).fill('payment_intent.failed');
    assert.deepEqual(types, [...failed, 'payment_intent.restricted', 'payment_intent.failed']);
    assert.equal((await restrictions())[0]?.data.id, intent.id);
  });

  it('counts a challenge that fails, and no attempt of a secret key, none that was refused, none that was canceled', async () => {
    const intent = await page.intent();
    for (let n = 0; n < 12; n += 1) assert.equal(await byBiller(intent, await page.card(isDeclined)), '200 failed');
    await fail(intent, 9);
    for (let n = 0; n < 3; n += 1) assert.equal((await page.confirm(intent, 'pm_unknown')).status, 403);
    assert.equal(outcomeOf(await page.confirm(intent, await page.card(asksTheBank))), '200 requires_action');
    await stage.request('POST', `/test_helpers/payment_intents/${intent.id}/complete_action`, { result: 'fail' });
    assert.equal(outcomeOf(await page.confirm(intent, await page.card())), isOver);
    assert.equal((await restrictions()).length, 1);
  });

  it('fails ten times at most if twenty pages confirm at once, again and again', async () => {
    const intent = await page.intent();
    const cards = await Promise.all(Array.from({ length: 20 }, () => page.card(isDeclined)));
    const outcomes: string[] = [];
    for (let round = 0; round < 12 && !outcomes.includes(isOver); round += 1) {
      outcomes.push(...(await Promise.all(cards.map(async (card) => outcomeOf(await page.confirm(intent, card))))));
    }
    assert.equal(outcomes.filter((outcome) => outcome === '200 failed').length, 10);
    assert.ok(outcomes.includes(isOver), outcomes.join());
    assert.equal(stage.ledger.requests.length, 10);
    assert.equal((await restrictions()).length, 1);
  });

  it('counts an attempt whose process has died, once its outcome is known', async () => {
    const intent = await page.intent();
    await fail(intent, 9);
    stage.ledger.beforeAnswer = async () => {
      throw new OutcomeUnknown('lost');
    };
    assert.equal((await page.confirm(intent, await page.card(isDeclined))).status, 503);
    stage.ledger.reset();
    await recoverCharges(stage.db.sql, stage.charging, addMs(realNow(), 120_000));
    assert.equal(outcomeOf(await page.confirm(intent, await page.card())), isOver);
    assert.equal((await restrictions()).length, 1);
  });

  describe('on a page and with a publishable key', () => {
    /** Makes a checkout session for the biller's payment: returns its path. */
    async function open(intent: Handed): Promise<string> {
      const { status, body, text } = await stage.request('POST', '/checkout_sessions', {
        payment_intent_id: intent.id,
      });
      assert.equal(status, 201, text);
      return new URL(body.url).pathname;
    }
    async function submit(path: string, method: string): Promise<SeenPage> {
      const { hidden } = await pages.open(path);
      return pages.post(path, { ...hidden, method });
    }

    it('takes ten failed attempts in all; the page then says so and what is possible, and no page can be made', async () => {
      const intent = await page.intent();
      await fail(intent, 7);
      const path = await open(intent);
      for (let n = 0; n < 3; n += 1) assert.equal((await submit(path, isDeclined)).status, 303);
      const ended = await pages.open(path);
      assert.equal(ended.status, 410);
      for (const words of ['Too many attempts', 'You were not charged', stage.keys.biller.name]) {
        assert.ok(ended.text.includes(words), ended.text);
      }
      assert.equal(outcomeOf(await page.confirm(intent, await page.card())), isOver);
      const again = await stage.request('POST', '/checkout_sessions', { payment_intent_id: intent.id });
      assert.equal(outcomeOf(again), '422 invalid_state');
      assert.match(again.body.error.message, /new payment intent/);
      assert.equal(await byBiller(intent, await page.card()), '200 succeeded');
    });

    it('shows the same page to a form that was open when the last attempt failed elsewhere', async () => {
      const intent = await page.intent();
      await fail(intent, 9);
      const path = await open(intent);
      const { hidden } = await pages.open(path);
      await fail(intent, 1);
      const late = await pages.post(path, { ...hidden, method: 'tok_sandbox_visa_succeed' });
      const seen = late.status === 303 ? await pages.open(String(late.headers.get('location'))) : late;
      assert.deepEqual([seen.status, seen.text.includes('Too many attempts')], [410, true], seen.text);
      assert.equal(stage.ledger.taken.size, 0);
    });
  });
});

describe('payments that fail with one publishable key', () => {
  const stage = useStage({ isAlone: true });
  const page = useCheckout(stage);

  it('are a hundred in a minute at most, over all payments; those that succeed and secret keys go on', async function () {
    this.timeout(60_000);
    // A minute must not end in the middle.
    const left = 60_000 - (Date.now() % 60_000);
    if (left < 15_000) await new Promise((resume) => setTimeout(resume, left));
    const tenFailures = async () => {
      const intent = await page.intent();
      assert.equal(outcomeOf(await page.confirm(await page.intent(), await page.card())), '200 succeeded');
      for (let m = 0; m < 10; m += 1) {
        assert.equal(outcomeOf(await page.confirm(intent, await page.card(isDeclined))), '200 failed');
      }
    };
    await Promise.all(Array.from({ length: 10 }, tenFailures));
    const intent = await page.intent();
    const refused = await page.confirm(intent, await page.card());
    assert.equal(outcomeOf(refused), '429 rate_limited');
    assert.ok(Number(refused.headers.get('retry-after')) <= 60);
    const bySecret = { payment_method: await page.card() };
    const { body } = await stage.request('POST', `/payment_intents/${intent.id}/confirm`, bySecret);
    assert.equal(body.status, 'succeeded');
    const stranger = await stage.stranger();
    const theirs = await stranger.merchant.intent({ amount: 500 });
    const reply = await stage.api.send('POST', `/api/v1/payment_intents/${theirs.id}/confirm`, {
      key: stranger.keys.sandboxPublishable,
      body: { payment_method: 'pm_unknown', client_secret: theirs.client_secret },
    });
    assert.equal(outcomeOf(reply), '403 payment_method_not_allowed');
  });
});
