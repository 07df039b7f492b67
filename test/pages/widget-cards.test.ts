import assert from 'node:assert/strict';
import { beforeEach, describe, it } from 'mocha';
import { realNow } from '../../src/platform/real-time.ts';
import type { PaymentProcessor } from '../../src/processors/processor.ts';
import { changeCheckoutOrigins } from '../../src/services/accounts/biller-profile.ts';
import { pageLimits } from '../../src/services/pages/page-limits.ts';
import { CardProcessor, cardFields, script } from '../support/card-processor.ts';
import { makeKey, makeKeys, tester } from '../support/factories.ts';
import { createMerchant } from '../support/merchant.ts';
import { contentsOf, usePages } from '../support/pages.ts';
import { useStage } from '../support/stage.ts';

const shop = 'https://shop.example.com';

describe('a card that a payer enters in the processor’s fields in a live widget', () => {
  const stage = useStage();
  let processor = new CardProcessor();
  const live: PaymentProcessor = new Proxy(processor, { get: (_, name) => Reflect.get(processor, name, processor) });
  const processors = { sandbox: stage.ledger, live };
  const pages = usePages({ db: stage.db, vault: stage.vault, processors }, { cardFields });
  const closed = usePages({ db: stage.db, vault: stage.vault, processors });

  beforeEach('forget the uses of pages, and register the shop', async () => {
    processor = new CardProcessor();
    await stage.db.sql`delete from page_uses`;
    const origin = { by: tester, now: realNow() };
    await changeCheckoutOrigins(stage.db.sql, stage.keys.biller.id, { add: [shop] }, origin);
  });

  const queryOf = (key = stage.keys.livePublishable, types = 'card') =>
    new URLSearchParams({ key, origin: shop, types });
  /** A payer's browser with the widget: what its script asks, and the form that it sends. */
  async function visit(query = queryOf()) {
    const page = await pages.open(`/widget/frame?${query}`);
    const visitor = {
      page,
      async ask(setup = '') {
        const { status, html } = await pages.post(`/widget/setup?${query}`, { form: String(page.hidden.form), setup });
        return { status, told: JSON.parse(html) as Record<string, string> };
      },
      /** Enters a card: what the script and the processor do together. */
      async enter(token = 'pm_good') {
        const { told } = await visitor.ask();
        const reference = String(told.client_secret).replace(/_secret$/, '');
        processor.states.set(reference, { kind: 'succeeded', token });
        return String(told.setup);
      },
      save: (setup: string, more: Record<string, string> = {}) =>
        pages.post(`/widget/frame?${query}`, { ...page.hidden, method: 'card', setup, ...more }),
    };
    return visitor;
  }
  const methodIn = (html: string) => /pm_[0-9A-Za-z]{32}/.exec(html)?.[0] ?? '';
  const savedOf = () => stage.db.sql<{ id: string; customer_id: string | null; token: string; type: string }[]>`
    select id, customer_id, instrument_data ->> 'card_number_token' as token, type from payment_methods
    where biller_id = ${stage.keys.biller.id} and livemode order by created_at`;

  it('is saved by the token that the processor tells for the committed reference, and the page gets its id', async () => {
    const payer = await visit();
    const { told } = await payer.ask();
    assert.deepEqual([told.publishable_key, told.script_url], ['pk_live_1', `${script}/v1/`]);
    const saved = await payer.save(await payer.enter(), { card_number_token: 'pm_forged' });
    assert.equal(saved.status, 200);
    assert.ok(saved.text.includes('Visa ending in 4242'), saved.text);
    const [row] = (await savedOf()).slice(-1);
    assert.deepEqual([row?.id, row?.token, row?.customer_id], [methodIn(saved.html), 'pm_good', null]);
    assert.equal(processor.charged.length, 0);
  });

  it('is offered in the frame of the registered origin with the processor’s origins in its policy, and no more of it', async () => {
    const { page } = await visit();
    assert.equal(
      page.headers.get('content-security-policy'),
      `default-src 'none'; style-src 'self'; script-src 'self' ${script}; connect-src 'self' ${cardFields.requests}; ` +
        `frame-src ${cardFields.frames.join(' ')}; img-src 'self' data:; form-action 'self'; base-uri 'none'; ` +
        `frame-ancestors ${shop}`,
    );
    assert.ok(page.html.includes('/assets/frame.js') && page.html.includes('/assets/card.js'));
    assert.ok(!page.html.includes('pk_live_1') && !page.html.includes(script));
    const sandbox = await pages.open(`/widget/frame?${queryOf(stage.keys.sandboxPublishable)}`);
    assert.ok(!sandbox.html.includes('card.js') && !sandbox.headers.get('content-security-policy')?.includes(script));
    const none = await closed.open(`/widget/frame?${queryOf()}`);
    assert.ok(none.text.includes('cannot accept payments here'), none.text);
  });

  it('is saved once by fifteen forms at once, and by a form that is sent again', async () => {
    const before = (await savedOf()).length;
    const payer = await visit();
    const setup = await payer.enter('pm_twenty');
    const sent = await Promise.all(Array.from({ length: 15 }, () => payer.save(setup)));
    assert.deepEqual([...new Set(sent.map(({ status }) => status))], [200]);
    const again = await payer.save(setup);
    assert.equal(new Set([...sent, again].map(({ html }) => methodIn(html))).size, 1);
    assert.equal((await savedOf()).length, before + 1);
  });

  it('is of its browser alone: no other widget, biller or session goes on with its setup', async () => {
    const payer = await visit();
    const setup = await payer.enter('pm_of_payer');
    const before = (await savedOf()).length;
    const stranger = await makeKeys(stage.db.sql);
    const by = { by: tester, now: realNow() };
    await changeCheckoutOrigins(stage.db.sql, stranger.biller.id, { add: [shop] }, by);
    const other = await makeKey(stage.db.sql, { billerId: stage.keys.biller.id, livemode: true, kind: 'publishable' });
    for (const key of [stranger.livePublishable, other.key]) {
      const thief = await visit(queryOf(key));
      const { told } = await thief.ask(setup);
      assert.ok(told.client_secret && told.setup !== setup);
      const page = await thief.save(setup);
      assert.deepEqual([page.status, page.text.includes('4242')], [400, false], page.text);
    }
    for (const guess of ['', `${setup}x`, 'b'.repeat(32)]) assert.equal((await payer.save(guess)).status, 400);
    assert.equal((await savedOf()).length, before);
    assert.equal((await payer.save(setup)).status, 200);
  });

  it('is saved for the customer of the payment whose client secret is given, and never for that of another payment', async () => {
    const { key } = await makeKey(stage.db.sql, { billerId: stage.keys.biller.id, livemode: true });
    const merchant = createMerchant(stage.api.url, key, 'live');
    const secretOf = async (name: string) => {
      const { id } = await merchant.customer({ name });
      const intent = await merchant.intent({ customer_id: id });
      return { id, client_secret: String(intent.client_secret) };
    };
    const [jo, ann] = [await secretOf('Jo'), await secretOf('Ann')];
    const payer = await visit();
    const setup = await payer.enter('pm_of_jo');
    const saved = await payer.save(setup, { client_secret: jo.client_secret });
    assert.equal(saved.status, 200, saved.text);
    assert.equal((await savedOf()).find(({ token }) => token === 'pm_of_jo')?.customer_id, jo.id);
    const next = await payer.save(setup, { client_secret: ann.client_secret });
    assert.deepEqual([next.status, methodIn(next.html)], [422, ''], next.text);
    assert.equal((await payer.save(setup, { client_secret: 'pi_x_secret_y' })).status, 422);
  });

  it('asks the processor nothing by a GET, without the form of the widget, for a revoked key, and beyond its limits', async () => {
    const { page, ask } = await visit();
    const query = queryOf();
    const other = await visit(queryOf(undefined, 'card,au_becs_debit'));
    const before = await contentsOf(stage);
    const attempts = [
      await pages.post(`/widget/setup?${query}`, {}),
      await pages.post(`/widget/setup?${query}`, { form: String(other.page.hidden.form) }),
      await pages.post(`/widget/setup?${queryOf('pk_live_unknown')}`, { form: String(page.hidden.form) }),
      await pages.post(
        `/widget/setup?${query}`,
        { form: String(page.hidden.form) },
        { 'Sec-Fetch-Site': 'cross-site' },
      ),
      await pages.request(`/widget/setup?${query}`),
    ];
    assert.deepEqual(
      attempts.map(({ status }) => status),
      [400, 400, 404, 403, 405],
    );
    assert.equal(await contentsOf(stage), before);
    assert.deepEqual(processor.calls, []);
    assert.equal((await ask()).status, 200);
    const { most } = pageLimits.setupsOfKey;
    await stage.db.sql`update page_uses set used = ${most} where used = 1`;
    const asked = processor.calls.length;
    assert.equal((await ask()).status, 429);
    assert.equal(processor.calls.length, asked);
  });

  it('is not saved while the processor is away or says that it was not confirmed, and can be sent again', async () => {
    const payer = await visit();
    const { told } = await payer.ask();
    assert.deepEqual([(await payer.save(String(told.setup))).status], [400]);
    const setup = await payer.enter('pm_later');
    processor.isAway = true;
    const away = await payer.save(setup);
    assert.deepEqual([away.status, away.text.includes('Nothing was saved')], [503, true]);
    processor.isAway = false;
    assert.equal((await payer.save(setup)).status, 200);
  });
});
