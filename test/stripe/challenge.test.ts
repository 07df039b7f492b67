import assert from 'node:assert/strict';
import { join } from 'node:path';
import { findFreePorts } from '../../dev/ports.ts';
import { eventually } from '../../lab/eventually.ts';
import { type LoopbackServer, serveOnLoopback } from '../../lab/loopback-server.ts';
import { ask } from '../../lab/stripe-rig/exchange.ts';
import { type StripeRig, startStripeRig } from '../../lab/stripe-rig/rig.ts';
import type { SupervisedProcess } from '../../lab/supervised-process.ts';
import { addMs } from '../../src/domain/instants.ts';
import { realNow } from '../../src/platform/real-time.ts';
import { createHttpProcessor } from '../../src/processors/http-processor.ts';
import { sandboxProcessor } from '../../src/processors/sandbox.ts';
import { returnUrlOf } from '../../src/services/pages/return-urls.ts';
import { settleChallenges } from '../../src/services/payments/processor-challenge.ts';
import { settleNotices } from '../../src/services/processor-notices/settling.ts';
import { chargeHook } from '../../src/services/subjects/charge-hook.ts';
import { useFolder } from '../runtime/support.ts';
import { needsPrograms } from '../stripe-rig/support.ts';
import { sendChecked } from '../support/api.ts';
import { makeBiller, makeKey } from '../support/factories.ts';
import { createMerchant, type Merchant } from '../support/merchant.ts';
import { usePages } from '../support/pages.ts';
import { useService } from '../support/service.ts';
import { serverStartTimeoutMs } from '../support/temporal.ts';
import { startAdapter } from './support.ts';

const secret = 'secret-of-the-door-of-stripe';
const liveKey = 'sk_live_rig1234567890';
const publicUrl = 'http://pages.test';
const [doorPort = 0, adapterPort = 0] = await findFreePorts(2);
const doorUrl = `http://127.0.0.1:${doorPort}`;
const minuteMs = 60_000;

describe('a live payment by card whose payer has to approve it', function () {
  this.timeout(serverStartTimeoutMs);
  needsPrograms('localstripe', 'stripe-mock');
  const folder = useFolder();
  const returnsTo = (id: string) => returnUrlOf(service.db.sql, { publicUrl, vault: service.vault }, id);
  const live = createHttpProcessor({ url: doorUrl, secret, timeoutMs: 2_000, returnUrlOf: returnsTo });
  const processors = { sandbox: sandboxProcessor, live };
  const service = useService({ processors, idle: true, publicUrl });
  const pages = usePages({
    get db() {
      return service.db;
    },
    get vault() {
      return service.vault;
    },
    processors,
  });
  let rig: StripeRig;
  let adapter: SupervisedProcess;
  let door: LoopbackServer;
  let merchant: Merchant;
  /** What the door does with the answers of a call: passes them on, loses them or keeps them for ever. */
  let weather: (path: string) => 'fair' | 'lost' | 'hangs' = () => 'fair';

  before('start Stripe and its processor service', async () => {
    rig = await startStripeRig(folder.path);
    door = await serveOnLoopback(
      async (received, response) => {
        const { status, headers, body } = await ask(`http://127.0.0.1:${adapterPort}`, received);
        const here = weather(received.path);
        if (here === 'hangs') return;
        if (here === 'lost') response.socket?.destroy();
        else response.writeHead(status, headers).end(body);
      },
      { port: doorPort },
    );
    const { id } = await makeBiller(service.db.sql);
    const { key } = await makeKey(service.db.sql, { billerId: id, livemode: true });
    merchant = createMerchant(service.url, key, 'live');
    adapter = await startAdapter(service, {
      ...{ billerId: id, liveKey, logFile: join(folder.path, 'adapter.log') },
      env: {
        ...{ PROCESSOR_PORT: String(adapterPort), PROCESSOR_SECRET: secret, STRIPE_API_URL: rig.url },
      },
    });
    assert.ok(await adapter.untilUp(60_000));
  });
  afterEach('fair weather; Stripe’s own document takes every request', async () => {
    weather = () => 'fair';
    assert.deepEqual(await rig.shadow.complaints(), []);
  });
  after('end them', async () => {
    await live.close();
    await adapter?.stop();
    await door?.close();
    await rig?.stop();
  });

  const send = (id: string, path: string, body: object = {}, headers: Record<string, string> = {}) =>
    sendChecked(`${service.url}/api/v1/payment_intents/${id}/${path}`, 'POST', { key: merchant.key, body, headers });
  async function unconfirmed(): Promise<string> {
    const { id: customer_id } = await merchant.customer();
    const payment_method = await merchant.card(customer_id, await rig.makeCard('challenge', liveKey));
    return (await merchant.intent({ customer_id, payment_method })).id;
  }
  async function challenged() {
    const id = await unconfirmed();
    const { body } = await send(id, 'confirm');
    assert.equal(body.status, 'requires_action');
    return { id, url: String(body.next_action.url), reference: await referenceOf(id) };
  }
  async function referenceOf(id: string): Promise<string> {
    const [row] = await service.db.sql<{ reference: string }[]>`
      select r.reference from payment_reservations r join payment_attempts a on a.id = r.attempt_id
      where a.payment_intent_id = ${id}`;
    return String(row?.reference);
  }
  /** What the payer does on the page of the bank. */
  async function answerAtBank(reference: string, success: boolean): Promise<number> {
    const at = `${rig.localstripe(liveKey).url}/v1/payment_intents/${reference}`;
    const headers = { authorization: `Bearer ${liveKey}` };
    const { client_secret } = (await (await fetch(at, { headers })).json()) as { client_secret: string };
    const body = new URLSearchParams({ client_secret, success: String(success) });
    return (await fetch(`${at}/_authenticate`, { method: 'POST', headers, body })).status;
  }
  async function taken(id: string): Promise<number> {
    const attempts = await service.db.sql<{ id: string }[]>`
      select id from payment_attempts where payment_intent_id = ${id}`;
    const { successesOfAttempt } = await rig.judge(liveKey);
    return attempts.reduce((sum, attempt) => sum + (successesOfAttempt.get(attempt.id) ?? 0), 0);
  }
  async function stateOf(id: string) {
    const { status, last_payment_error: error } = await merchant.getIntent(id);
    return error ? [status, error.code] : [status];
  }
  /** What every worker does every five seconds, so many milliseconds later. */
  const keepHouse = (laterMs: number) =>
    settleChallenges(service.db.sql, { processors, hook: chargeHook }, addMs(realNow(), laterMs));

  it('asks the processor once at a time, however often its page is opened', async () => {
    const { url } = await challenged();
    let asked = 0;
    weather = (path) => {
      if (path === '/inquire') asked += 1;
      return 'fair';
    };
    const opened = await Promise.all(Array.from({ length: 20 }, () => pages.open(url)));
    for (const page of opened) assert.ok(page.text.includes('Go on to your bank'), page.text);
    assert.ok(asked >= 1 && asked <= 5, `${asked} requests`);
  });

  it('is given up when its customer was deleted: nothing is taken after that', async () => {
    const { id, reference } = await challenged();
    const { customer_id: customer } = await merchant.getIntent(id);
    await merchant.client.customers.delete(String(customer));
    await keepHouse(2 * minuteMs);
    assert.deepEqual(await stateOf(id), ['failed', 'authentication_required']);
    await answerAtBank(reference, true);
    assert.equal(await taken(id), 0);
  });

  it('is settled by a notice of the processor, which is asked what has happened', async () => {
    for (const isPassed of [false, true]) {
      const { id, reference } = await challenged();
      if (isPassed) await answerAtBank(reference, true);
      await service.db.sql`
        insert into processor_notices (kind, reference, biller_id, livemode)
        select 'charge', ${reference}, biller_id, true from payment_intents where id = ${id}`;
      assert.equal(await settleNotices(service.db.sql, { processors, hook: chargeHook }), 1);
      assert.deepEqual([await stateOf(id), await taken(id)], isPassed ? [['succeeded'], 1] : [['requires_action'], 0]);
    }
  });

  it('gets a page of ours, which leads to the bank’s; passed there, it is paid once, in two tabs too', async () => {
    const { id, url, reference } = await challenged();
    assert.equal(url, await returnsTo(id));
    const shown = await pages.open(url);
    assert.match(shown.html, new RegExp(`href="http://127.0.0.1:\\d+/3ds/${reference}"`));
    assert.equal(await answerAtBank(reference, true), 200);
    const returned = await Promise.all([1, 2, 3].map(() => pages.open(`${url}?redirect_status=failed`)));
    for (const page of returned) assert.ok(page.text.includes('The payment was approved'), page.text);
    assert.deepEqual([await stateOf(id), await taken(id)], [['succeeded'], 1]);
    const events = await merchant.events({ event_type: 'payment_intent.succeeded' });
    assert.equal(events.filter(({ data }) => JSON.stringify(data).includes(id)).length, 1);
  });

  it('is not believed paid because the URL says so', async () => {
    const { id, url } = await challenged();
    const page = await pages.open(`${url}?payment_intent=pi_1&redirect_status=succeeded`);
    assert.ok(page.text.includes('Go on to your bank'));
    assert.deepEqual(await stateOf(id), ['requires_action']);
    assert.equal((await pages.open(`${url.slice(0, -1)}x`)).status, 404);
    assert.equal((await pages.post(url, { answer: 'approve' })).status, 303);
    assert.deepEqual([await stateOf(id), await taken(id)], [['requires_action'], 0]);
  });

  it('fails with authentication_required if the payer fails the challenge, and can be confirmed again', async () => {
    const { id, url, reference } = await challenged();
    await answerAtBank(reference, false);
    assert.ok((await pages.open(url)).text.includes('could not confirm that it was you'));
    assert.deepEqual(await stateOf(id), ['failed', 'authentication_required']);
    assert.equal((await send(id, 'confirm')).body.status, 'requires_action');
  });

  it('is settled by housekeeping if the payer passes the challenge and closes the browser', async () => {
    const { id, reference } = await challenged();
    await answerAtBank(reference, true);
    await Promise.all([keepHouse(2 * minuteMs), keepHouse(2 * minuteMs)]);
    assert.deepEqual([await stateOf(id), await taken(id)], [['succeeded'], 1]);
  });

  it('that is left fails after 15 minutes, canceled at Stripe: the challenge cannot be passed any more', async () => {
    const { id, url, reference } = await challenged();
    await keepHouse(14 * minuteMs);
    assert.deepEqual(await stateOf(id), ['requires_action']);
    await keepHouse(16 * minuteMs);
    assert.deepEqual(await stateOf(id), ['failed', 'authentication_required']);
    assert.equal(await answerAtBank(reference, true), 400);
    assert.ok((await pages.open(url)).text.includes('There is nothing to confirm'));
    assert.equal(await taken(id), 0);
  });

  it('that was passed is paid, however late that is asked for', async () => {
    const { id, reference } = await challenged();
    await answerAtBank(reference, true);
    await keepHouse(20 * minuteMs);
    assert.deepEqual([await stateOf(id), await taken(id)], [['succeeded'], 1]);
  });

  it('is canceled at Stripe before it is canceled here; one that was passed is not canceled', async () => {
    const [left, passed] = [await challenged(), await challenged()];
    const key = { 'Idempotency-Key': crypto.randomUUID() };
    assert.equal((await send(left.id, 'cancel', {}, key)).body.status, 'canceled');
    assert.equal((await send(left.id, 'cancel', {}, key)).body.status, 'canceled');
    assert.equal(await answerAtBank(left.reference, true), 400);
    await answerAtBank(passed.reference, true);
    const refused = await send(passed.id, 'cancel');
    assert.deepEqual([refused.status, refused.body.error.code], [422, 'invalid_state']);
    assert.deepEqual([await stateOf(passed.id), await taken(passed.id)], [['succeeded'], 1]);
    assert.equal(await taken(left.id), 0);
  });

  it('of another biller is not touched by a cancellation', async () => {
    const { id, reference } = await challenged();
    const { id: billerId } = await makeBiller(service.db.sql);
    const { key } = await makeKey(service.db.sql, { billerId, livemode: true });
    const path = `${service.url}/api/v1/payment_intents/${id}/cancel`;
    assert.equal((await sendChecked(path, 'POST', { key, body: {} })).status, 404);
    assert.deepEqual(await stateOf(id), ['requires_action']);
    assert.equal(await answerAtBank(reference, true), 200);
    await keepHouse(2 * minuteMs);
  });

  it('stays as it is while the inquiry hangs: the page asks again, nothing is failed or canceled', async () => {
    const { id, url, reference } = await challenged();
    await answerAtBank(reference, true);
    weather = (path) => (path === '/inquire' ? 'hangs' : 'fair');
    const page = await pages.open(url);
    assert.ok(page.text.includes('We do not know yet'));
    assert.equal((await send(id, 'cancel')).status, 503);
    await assert.rejects(keepHouse(16 * minuteMs));
    assert.deepEqual(await stateOf(id), ['requires_action']);
    weather = () => 'fair';
    assert.ok((await pages.open(url)).text.includes('The payment was approved'));
    assert.equal(await taken(id), 1);
  });

  it('is found again if the answer to its charge is lost', async () => {
    const id = await unconfirmed();
    weather = (path) => (path === '/charges' ? 'lost' : 'fair');
    const { body } = await send(id, 'confirm');
    assert.equal(body.status, 'requires_action');
    await answerAtBank(await referenceOf(id), true);
    assert.ok((await pages.open(String(body.next_action.url))).text.includes('The payment was approved'));
    assert.equal(await taken(id), 1);
  });

  /** A payment in a checkout session whose payer has sent the form, and is at the bank. */
  async function challengedInSession() {
    const { id: customer_id } = await merchant.customer();
    const card = await merchant.card(customer_id, await rig.makeCard('challenge', liveKey));
    const terms = { name: 'Invoice 1042', amount: 2500, currency: 'AUD', customer_id };
    const created = await sendChecked(`${service.url}/api/v1/checkout_sessions`, 'POST', {
      ...{ key: merchant.key, body: { ...terms, payment_method_types: ['card', 'au_becs_debit'] } },
    });
    const { id: session, url } = created.body;
    const { hidden } = await pages.open(url);
    const sent = await pages.post(url, { ...hidden, method: card });
    const [row] = await service.db.sql<{ id: string }[]>`
      select payment_intent_id as id from checkout_sessions where id = ${session}`;
    const id = String(row?.id);
    const way = await follow(String(sent.headers.get('location')));
    const reference = await referenceOf(id);
    assert.match(way.html, new RegExp(`href="http://127.0.0.1:\\d+/3ds/${reference}"`));
    return { id, session: String(session), url: String(url), reference, back: await returnsTo(id) };
  }
  async function follow(url: string) {
    for (let at = url; ; ) {
      const page = await pages.open(at);
      if (page.status !== 303) return page;
      at = String(page.headers.get('location'));
    }
  }
  const sessionOf = async (id: string) => {
    const { body } = await sendChecked(`${service.url}/api/v1/checkout_sessions/${id}`, 'GET', { key: merchant.key });
    return body.status;
  };

  it('in a checkout session comes back to its page: paid once, in two tabs too', async () => {
    const { id, session, reference, back } = await challengedInSession();
    await answerAtBank(reference, true);
    const seen = await Promise.all(
      [1, 2].map(() => follow(`${back}&payment_intent=${reference}&redirect_status=failed`)),
    );
    for (const page of seen) assert.ok(page.text.includes('Thank you for your payment'), page.text);
    assert.deepEqual([await stateOf(id), await sessionOf(session), await taken(id)], [['succeeded'], 'completed', 1]);
  });

  it('in a checkout session, failed at the bank, leaves its page open for another card', async () => {
    const { id, session, reference, back } = await challengedInSession();
    await answerAtBank(reference, false);
    assert.ok((await follow(back)).text.includes('could not confirm that it was you'));
    assert.deepEqual([await sessionOf(session), await taken(id)], ['open', 0]);
  });

  it('in a checkout session, left, is canceled at Stripe: the challenge cannot be passed any more', async () => {
    const { id, session, reference } = await challengedInSession();
    await keepHouse(16 * minuteMs);
    assert.equal(await answerAtBank(reference, true), 400);
    assert.deepEqual([await stateOf(id), await sessionOf(session)], [['failed', 'authentication_required'], 'open']);
    assert.equal(await taken(id), 0);
  });

  it('is settled after the adapter was killed between the return of the payer and the outcome', async () => {
    const { id, url, reference } = await challenged();
    await answerAtBank(reference, true);
    await adapter.hold();
    assert.ok((await pages.open(url)).text.includes('We do not know yet'));
    adapter.release();
    assert.ok(await adapter.untilUp(60_000));
    await eventually('the page knows', async () => (await pages.open(url)).text.includes('The payment was approved'));
    assert.deepEqual([await stateOf(id), await taken(id)], [['succeeded'], 1]);
  });
});
