import assert from 'node:assert/strict';
import { beforeEach, describe, it } from 'mocha';
import { eventually } from '../../lab/eventually.ts';
import { sweepCardSetups } from '../../src/db/card-setups.ts';
import type { CheckoutSessionRow } from '../../src/db/checkout-sessions.ts';
import { addMs } from '../../src/domain/instants.ts';
import { realNow } from '../../src/platform/real-time.ts';
import type { SetupState } from '../../src/processors/card-setups.ts';
import type { PaymentProcessor } from '../../src/processors/processor.ts';
import type { PaymentLinkCreate } from '../../src/resources/payment-link-input.ts';
import { createCustomer } from '../../src/services/customers/customers.ts';
import { createPaymentLink } from '../../src/services/links/payment-links.ts';
import { startSession } from '../../src/services/links/session-start.ts';
import { addressSubject, pageLimits } from '../../src/services/pages/page-limits.ts';
import { CardProcessor, cardFields, script, visa } from '../support/card-processor.ts';
import { useLinks } from '../support/links.ts';
import { contentsOf, type Pages, usePages } from '../support/pages.ts';
import { useStage } from '../support/stage.ts';

describe('a card that a payer enters in the processor’s fields on a live page', () => {
  const stage = useStage();
  const links = useLinks(stage);
  let processor = new CardProcessor();
  const live: PaymentProcessor = new Proxy(processor, { get: (_, name) => Reflect.get(processor, name, processor) });
  const processors = { sandbox: stage.ledger, live };
  const pages = usePages({ db: stage.db, vault: stage.vault, processors }, { cardFields });
  const closed = usePages({ db: stage.db, vault: stage.vault, processors });

  beforeEach('forget the uses of pages', async () => {
    processor = new CardProcessor();
    await stage.db.sql`delete from page_uses`;
  });

  const call = async () => ({ ...(await links.call()), livemode: true });
  const key = { setsDefaults: true, hasCardFields: true };
  async function open(input: Partial<PaymentLinkCreate> = {}): Promise<string> {
    const terms = input.mode === 'setup' || input.amount_range ? {} : { amount: 10_000 };
    const currency = input.mode === 'setup' ? {} : { currency: 'AUD' as const };
    const body = { name: 'Invoice 7', collect: { name: 'no', email: 'no' } as const, ...terms, ...currency, ...input };
    const link = await createPaymentLink(stage.db.sql, stage.vault, await call(), body, key);
    const payer = { requestId: 'req_test', now: (await call()).now };
    const started = await startSession(stage.db.sql, stage.vault, links.tokenOf(link), payer);
    return started.kind === 'started' ? `/checkout/${started.token}` : assert.fail(started.kind);
  }
  /** A payer's browser at a page: what its script asks, and the form that it sends. */
  async function visit(path: string, at: Pages = pages) {
    const page = await at.open(path);
    const visitor = {
      page,
      hidden: page.hidden,
      async ask(setup = '', headers: Record<string, string> = {}) {
        const { status, html } = await at.post(`${path}/setup`, { form: String(page.hidden.form), setup }, headers);
        return { status, told: JSON.parse(html) as Record<string, string> };
      },
      /** Enters a card: what the script and the processor do together. */
      async enter(token = 'pm_good') {
        const { told } = await visitor.ask();
        const reference = String(told.client_secret).replace(/_secret$/, '');
        processor.states.set(reference, { kind: 'succeeded', token });
        return String(told.setup);
      },
      pay: (setup: string, more: Record<string, string> = {}) =>
        at.post(path, { ...page.hidden, method: 'card', setup, ...more }),
    };
    return visitor;
  }
  const savedOf = (path: string) => stage.db.sql<{ instrument_data: Record<string, unknown>; brand: string }[]>`
    select m.brand, m.instrument_data, m.detached_at is not null as detached from card_setups c
    join payment_methods m on m.id = c.payment_method_id
    join checkout_sessions s on s.id = c.checkout_session_id
    where s.token_hash = sha256(${path.replace('/checkout/', '')}::bytea) order by c.created_at`;
  const rowOf = async (path: string) => {
    const [row] = await stage.db.sql<CheckoutSessionRow[]>`
      select * from checkout_sessions where token_hash = sha256(${path.replace('/checkout/', '')}::bytea)`;
    return row ?? assert.fail('no session');
  };

  it('pays with the token that the processor tells for the committed reference; the form has nothing of the card', async () => {
    const path = await open();
    const payer = await visit(path);
    const { told } = await payer.ask();
    assert.deepEqual([told.publishable_key, told.script_url], ['pk_live_1', `${script}/v1/`]);
    const setup = await payer.enter();
    const paid = await payer.pay(setup, { token: 'pm_forged', card_number_token: 'pm_forged' });
    assert.match(String(paid.headers.get('location')), /\/done\?payer=/, paid.text);
    assert.deepEqual(
      processor.charged.map(({ paymentMethodToken, totalAmount }) => [paymentMethodToken, totalAmount]),
      [['pm_good', 10_000]],
    );
    const [saved] = await savedOf(path);
    assert.deepEqual(saved?.instrument_data, {
      ...{ card_name: '', expiry_month: 12, expiry_year: 2040, card_number_token: 'pm_good', card_number_end: '4242' },
      ...{ card_networks: ['visa'], card_funding: 'credit', card_country: 'AU', fingerprint: 'fp_1' },
    });
    assert.equal(saved?.brand, 'Visa');
    const done = await pages.open(String(paid.headers.get('location')));
    assert.ok(done.text.includes('Visa ending in 4242'), done.text);
  });

  it('is saved by a setup link, without money', async () => {
    const { id } = await makeCustomer();
    const path = await open({ mode: 'setup', customer_id: id });
    const payer = await visit(path);
    const saved = await payer.pay(await payer.enter());
    assert.match(String(saved.headers.get('location')), /\/done\?payer=/, saved.text);
    const session = await rowOf(path);
    assert.deepEqual([session.status, processor.charged.length], ['completed', 0]);
    assert.match(String(session.payment_method_id), /^pm_/);
  });
  const makeCustomer = async () => createCustomer(stage.db.sql, await call(), { name: 'Jo' });

  it('asks the processor nothing by a GET, and nothing without the form of the page', async () => {
    const path = await open();
    const before = await contentsOf(stage);
    const { page } = await visit(path);
    for (const method of ['GET', 'HEAD']) await pages.request(path, { method });
    const attempts = [
      await pages.post(`${path}/setup`, {}),
      await pages.post(`${path}/setup`, { form: 'x' }),
      await pages.post(`/checkout/${'a'.repeat(32)}/setup`, { form: String(page.hidden.form) }),
      await pages.post(`${path}/setup`, { form: String(page.hidden.form) }, { 'Sec-Fetch-Site': 'cross-site' }),
      await pages.request(`${path}/setup`),
    ];
    assert.deepEqual(
      attempts.map(({ status }) => status),
      [400, 400, 400, 403, 405],
    );
    assert.deepEqual(processor.calls, []);
    assert.equal(await contentsOf(stage), before);
  });

  it('is asked about a limited number of times by one address and for one session', async () => {
    const path = await open();
    const { ask } = await visit(path);
    const { most } = pageLimits.setups;
    const statuses: number[] = [];
    for (let each = 0; each < most + 3; each += 1) statuses.push((await ask()).status);
    const spans = await stage.db.sql<{ spans: number }[]>`
      select count(distinct begins_at)::int as spans from page_uses where used > 1`;
    // A minute may have ended meanwhile, and then the count began anew.
    if (spans[0]?.spans === 2) assert.deepEqual(statuses, [...Array(most).fill(200), 429, 429, 429]);
    const { most: ofSession } = pageLimits.setupsOfSession;
    await stage.db.sql`update page_uses set used = ${ofSession} where used > 1`;
    assert.equal((await ask()).status, 429);
    const asked = processor.calls.length;
    assert.equal((await (await visit(path)).pay('b'.repeat(32))).status, 400);
    assert.equal(processor.calls.length, asked, 'a handle that does not exist asks nothing');
    assert.notEqual(addressSubject('127.0.0.1'), '');
  });

  it('goes on with one setup in a tab that is loaded again, and has one of its own in another tab', async () => {
    const path = await open();
    const [first, second] = [await visit(path), await visit(path)];
    const { told } = await first.ask();
    const again = await (await visit(path)).ask(told.setup);
    assert.deepEqual([again.told.setup, again.told.client_secret], [told.setup, told.client_secret]);
    const other = await second.ask();
    assert.notEqual(other.told.setup, told.setup);
    assert.notEqual(other.told.client_secret, told.client_secret);
    assert.equal(processor.byKey.size, 2);
  });

  it('is not the card of a stranger who has the same URL: only the browser that has entered it can pay with it', async () => {
    const path = await open({ amount_range: { min: 500, max: 90_000 } });
    const [payer, stranger] = [await visit(path), await visit(path)];
    const setup = await payer.enter('pm_of_payer');
    const own = await stranger.ask();
    for (const guess of ['', String(own.told.setup), setup.toLowerCase(), `${setup}x`, setup.slice(1)]) {
      if (guess === setup) continue;
      const page = await stranger.pay(guess, { amount: '900.00' });
      assert.equal(page.status, 400, guess);
      assert.ok(!page.text.includes('4242'));
    }
    assert.equal(processor.charged.length, 0);
    const paid = await payer.pay(setup, { amount: '5.00' });
    assert.equal(paid.status, 303, paid.text);
    assert.deepEqual(
      processor.charged.map(({ paymentMethodToken, totalAmount }) => [paymentMethodToken, totalAmount]),
      [['pm_of_payer', 500]],
    );
  });

  it('of one session is not taken in another, of this biller or another one', async () => {
    const [mine, other] = [await open(), await open()];
    const setup = await (await visit(mine)).enter();
    const page = await (await visit(other)).pay(setup);
    assert.deepEqual([page.status, processor.charged.length], [400, 0]);
    assert.ok(page.text.includes('Enter your card in the fields below'));
    const told = await (await visit(other)).ask(setup);
    assert.notEqual(told.told.setup, setup);
  });

  it('is charged once by a double click and by twenty forms at once, and makes one method', async () => {
    const path = await open();
    const payer = await visit(path);
    const setup = await payer.enter();
    const sent = await Promise.all(Array.from({ length: 20 }, () => payer.pay(setup)));
    assert.ok(sent.every(({ status }) => status === 303));
    assert.deepEqual([processor.charged.length, (await savedOf(path)).length], [1, 1]);
    const rows = await stage.db.sql`
      select 1 from payment_methods where instrument_data ->> 'card_number_token' = 'pm_good'
        and biller_id = ${stage.keys.biller.id}`;
    assert.equal(rows.length, 1);
  });

  it('is paid once if another form is taken while the processor is asked, and both are told so', async () => {
    const path = await open();
    const payer = await visit(path);
    const setup = await payer.enter();
    let release = () => {};
    const held = new Promise<void>((resolve) => {
      release = resolve;
    });
    processor.hold = () => {
      processor.hold = async () => {};
      return held;
    };
    const slow = payer.pay(setup);
    await eventually('the processor is asked', () => processor.calls.includes('describe'));
    const quick = await payer.pay(setup);
    release();
    const [one, other] = [quick, await slow];
    assert.deepEqual([one.status, other.status], [303, 303], other.text);
    assert.equal(other.headers.get('location')?.replace(/\?.*/, '').replace('/done', ''), path);
    assert.equal(processor.charged.length, 1);
  });

  it('that is declined is spent, and the payer pays with another one', async () => {
    const path = await open();
    const payer = await visit(path);
    const setup = await payer.enter('pm_declined');
    assert.equal((await payer.pay(setup)).headers.get('location'), path);
    const next = await visit(path);
    assert.ok(next.page.text.includes('The bank has declined this card'));
    assert.equal((await next.pay(setup)).status, 400);
    const { told } = await next.ask(setup);
    assert.ok(told.client_secret && told.setup !== setup, 'a spent setup is not gone on with');
    const paid = await next.pay(await next.enter('pm_good'));
    assert.match(String(paid.headers.get('location')), /\/done\?payer=/, paid.text);
    assert.deepEqual(
      processor.charged.map(({ paymentMethodToken }) => paymentMethodToken),
      ['pm_declined', 'pm_good'],
    );
    assert.equal((await rowOf(path)).status, 'completed');
  });

  it('is asked for again if it was not confirmed, if its setup was canceled, and if the processor tells too little', async () => {
    const path = await open();
    const payer = await visit(path);
    const { told } = await payer.ask();
    const reference = String(told.client_secret).replace(/_secret$/, '');
    const wrong = async (state: SetupState) => {
      processor.states.set(reference, state);
      return (await payer.pay(String(told.setup))).text;
    };
    assert.match(await wrong({ kind: 'open' }), /was not confirmed/);
    assert.match(await wrong({ kind: 'failed' }), /was not confirmed/);
    assert.match(await wrong({ kind: 'canceled' }), /was not confirmed/);
    processor.cards
      .set('pm_dateless', { ...visa, expiryYear: null })
      .set('pm_untold', null)
      .set('pm_eternal', { ...visa, expiryYear: 9999 });
    for (const token of ['pm_dateless', 'pm_untold', 'pm_eternal', '4242424242424242']) {
      assert.match(await wrong({ kind: 'succeeded', token }), /This card cannot be used/);
    }
    assert.equal(processor.charged.length, 0);
    const next = await payer.ask(String(told.setup));
    assert.notEqual(next.told.setup, told.setup);
    const rows = await stage.db.sql`select 1 from card_setups where card is not null and card::text like '%42424242%'`;
    assert.equal(rows.length, 0);
  });

  it('is still there when the processor was away: nothing is paid then, and the same form pays later', async () => {
    const path = await open();
    const payer = await visit(path);
    const setup = await payer.enter();
    processor.isAway = true;
    const page = await payer.pay(setup);
    assert.deepEqual([page.status, page.text.includes('Nothing was paid')], [503, true]);
    assert.equal((await payer.ask(setup)).status, 503);
    processor.isAway = false;
    assert.deepEqual((await payer.ask(setup)).told, { setup, entered: 'Visa ending in 4242' });
    assert.match(String((await payer.pay(setup)).headers.get('location')), /\/done/);
    assert.equal(processor.charged.length, 1);
  });

  it('is paid by another process after the one of the page has ended in between', async () => {
    const path = await open();
    const payer = await visit(path);
    const setup = await payer.enter();
    const others = await closed.post(path, { ...payer.hidden, method: 'card', setup });
    assert.equal(others.status, 503, 'a process without card fields takes no card');
    assert.equal(processor.charged.length, 0);
    assert.equal((await payer.pay(setup)).status, 303);
  });

  it('is not taken after its session has ended in between', async () => {
    const path = await open();
    const payer = await visit(path);
    const setup = await payer.enter();
    await stage.db.sql`
      update checkout_sessions set expires_at = now() - interval '1 minute' where id = ${(await rowOf(path)).id}`;
    assert.equal((await payer.pay(setup)).status, 410);
    assert.equal((await payer.ask(setup)).status, 409);
    assert.equal(processor.charged.length, 0);
  });

  it('gets no script of another origin, and no setup that the processor has given to another payer', async () => {
    const path = await open();
    const payer = await visit(path);
    for (const scriptUrl of [
      'https://evil.example/v1/',
      `${script}.evil.example/v1/`,
      'https://js.processor.example:444/v1/',
    ]) {
      processor.scriptUrl = scriptUrl;
      const { status, told } = await payer.ask();
      assert.deepEqual([status, Object.keys(told)], [503, ['error']]);
    }
    processor.scriptUrl = `${script}/v1/`;
    processor.referenceOf = () => 'seti_same';
    assert.equal((await payer.ask()).status, 200);
    const { status, told } = await (await visit(await open())).ask();
    assert.deepEqual([status, Object.keys(told)], [503, ['error']]);
  });

  it('is refused if digits of a form look like its number, whatever the field', async () => {
    const path = await open();
    const payer = await visit(path);
    for (const field of ['setup', 'card_number', 'name', 'method']) {
      const page = await payer.pay('', { [field]: '4242 4242 4242 4242' });
      assert.deepEqual([page.status, page.text.includes('Do not enter a card number here')], [400, true], field);
      const asked = await pages.post(`${path}/setup`, { ...payer.hidden, [field]: '4242424242424242' });
      assert.equal(asked.status, 400);
    }
    assert.deepEqual(processor.calls, []);
  });

  it('is offered with the origins of the configuration in the policy, and these alone', async () => {
    const path = await open();
    const { page } = await visit(path);
    assert.equal(
      page.headers.get('content-security-policy'),
      `default-src 'none'; style-src 'self'; script-src 'self' ${script}; connect-src 'self' ${cardFields.requests}; ` +
        `frame-src ${cardFields.frames.join(' ')}; img-src 'self' data:; form-action 'self'; base-uri 'none'; frame-ancestors 'none'`,
    );
    assert.ok(page.html.includes('<script src="/assets/card.js" defer>'));
    assert.ok(page.text.includes('The fields for a card need JavaScript'));
    assert.ok(!page.html.includes('pk_live') && !page.html.includes(script));
    assert.equal((await pages.open('/assets/card.js')).status, 200);
  });

  it('is not offered where no fields are configured; the sandbox’s page is as it was', async () => {
    const path = await open();
    assert.equal((await closed.open(path)).status, 503);
    const sandbox = `/checkout/${await links.open(await links.link())}`;
    const [one, other] = [await pages.open(sandbox), await closed.open(sandbox)];
    const withoutForm = (html: string) => html.replace(/name="form" value="[^"]*"/, '');
    assert.equal(withoutForm(one.html), withoutForm(other.html));
    assert.ok(!one.html.includes('card.js') && !one.headers.get('content-security-policy')?.includes('processor'));
    const { hidden } = one;
    assert.equal((await pages.post(`${sandbox}/setup`, { form: String(hidden.form) })).status, 404);
    assert.deepEqual(processor.calls, []);
  });

  it('is said not to be accepted if the processor has no fields for the biller, and the link is not payable then', async () => {
    const path = await open();
    assert.equal((await rowOf(path)).takes_cards, true);
    processor.hasFields = false;
    const { status, told } = await (await visit(path)).ask();
    assert.deepEqual([status, /cannot accept cards here/.test(String(told.error))], [404, true]);
    assert.equal((await rowOf(path)).takes_cards, false);
    const later = await open();
    assert.equal((await rowOf(later)).takes_cards, false);
    processor.hasFields = true;
    assert.equal((await (await visit(later)).ask()).status, 200);
    assert.equal((await rowOf(later)).takes_cards, true);
    assert.equal((await rowOf(await open())).takes_cards, true);
  });

  it('carries a surcharge only after the page has said the total with it', async () => {
    await stage.db.sql`update billers set country = 'AU' where id = ${stage.keys.biller.id}`;
    const path = await open({ surcharge_applied: true });
    const payer = await visit(path);
    assert.match(payer.page.text, /Card\s+surcharge of up to \$2\.05, shown before you pay/);
    assert.match(payer.page.text, /Pay \$100\.00/);
    processor.cards.set('pm_amex', { ...visa, brand: 'amex', network: 'amex', lastFour: '0005' });
    const setup = await payer.enter('pm_amex');
    const shown = await payer.pay(setup);
    assert.equal(shown.status, 200);
    assert.match(shown.text, /the total is \$102\.05\. Nothing has been taken yet/);
    assert.match(shown.text, /American Express ending in 0005/);
    assert.equal(processor.charged.length, 0);
    assert.equal(shown.hidden.setup, setup);
    const paid = await pages.post(path, { ...shown.hidden, method: 'card' });
    assert.match(String(paid.headers.get('location')), /\/done/, paid.text);
    assert.deepEqual(
      processor.charged.map(({ totalAmount }) => totalAmount),
      [10_205],
    );
    assert.deepEqual(
      processor.calls.filter((each) => each !== 'create'),
      ['inquire', 'describe'],
    );
  });

  it('of an amount that the payer chooses is shown the total with its surcharge before it is paid', async () => {
    await stage.db.sql`update billers set country = 'AU' where id = ${stage.keys.biller.id}`;
    const path = await open({ amount_range: { min: 500, max: 90_000 }, surcharge_applied: true });
    const payer = await visit(path);
    processor.cards.set('pm_amex', { ...visa, brand: 'amex', network: 'amex', lastFour: '0005' });
    const shown = await payer.pay(await payer.enter('pm_amex'), { amount: '100.00' });
    assert.match(shown.text, /Pay A?\$102\.05/);
    assert.equal(processor.charged.length, 0);
    const paid = await pages.post(path, { ...shown.hidden, method: 'card', amount: '100.00' });
    assert.match(String(paid.headers.get('location')), /\/done/, paid.text);
    assert.deepEqual(
      processor.charged.map(({ totalAmount }) => totalAmount),
      [10_205],
    );
  });

  it('may be another one than was entered first: the page offers that, and pays by the other', async () => {
    await stage.db.sql`update billers set country = 'AU' where id = ${stage.keys.biller.id}`;
    const path = await open({ surcharge_applied: true });
    const payer = await visit(path);
    processor.cards.set('pm_amex', { ...visa, brand: 'amex', network: 'amex', lastFour: '0005' });
    const shown = await payer.pay(await payer.enter('pm_amex'));
    assert.ok(shown.html.includes(`<a href="${path}" id="other-card">Use another card</a>`));
    const next = await visit(path);
    const paid = await next.pay(await next.enter('pm_visa'));
    assert.match(String(paid.headers.get('location')), /\/done/, paid.text);
    assert.deepEqual(
      processor.charged.map(({ paymentMethodToken, totalAmount }) => [paymentMethodToken, totalAmount]),
      [['pm_visa', 10_000]],
    );
  });

  it('has a reference of hostile text only in the database, and a brand of hostile text never on a page', async () => {
    const path = await open();
    processor.referenceOf = () => `"><script>alert(1)</script>${crypto.randomUUID()}`;
    const payer = await visit(path);
    const { told } = await payer.ask();
    assert.equal(told.script_url, `${script}/v1/`);
    processor.cards.set('pm_odd', { ...visa, brand: '<b>', network: null, lastFour: null });
    processor.states.set([...processor.byKey.values()][0] ?? '', { kind: 'succeeded', token: 'pm_odd' });
    const paid = await payer.pay(String(told.setup));
    const done = await pages.open(String(paid.headers.get('location')));
    assert.ok(!done.html.includes('<b>') && done.html.includes('&lt;b&gt;'), done.html);
  });

  it('is forgotten by the sweep once no session can be open any more', async () => {
    const path = await open();
    await (await visit(path)).enter();
    const count = async () =>
      (await stage.db.sql`select 1 from card_setups where biller_id = ${stage.keys.biller.id}`).length;
    const now = realNow();
    await sweepCardSetups(stage.db.sql, addMs(now, 31 * 86_400_000));
    assert.equal(await count(), 1);
    await sweepCardSetups(stage.db.sql, addMs(now, 33 * 86_400_000));
    assert.equal(await count(), 0);
  });

  it('costs a visitor without the form of a page less than 20 ms of processor time', async () => {
    const path = await open();
    const before = process.cpuUsage();
    const count = 200;
    for (let each = 0; each < count; each += 1) await pages.post(`${path}/setup`, { form: 'x', setup: 'y' });
    const { user, system } = process.cpuUsage(before);
    assert.ok((user + system) / 1000 / count < 20, `${(user + system) / 1000 / count} ms`);
    assert.deepEqual(processor.calls, []);
  });
});
