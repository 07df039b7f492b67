import assert from 'node:assert/strict';
import { addMs, customerInstant } from '../../src/domain/instants.ts';
import { realNow } from '../../src/platform/real-time.ts';
import { expireDueLink, expireDueSession } from '../../src/services/links/expiry.ts';
import { settleChallenges } from '../../src/services/payments/processor-challenge.ts';
import { chargeHook } from '../../src/services/subjects/charge-hook.ts';
import { type Reply, sendChecked } from '../support/api.ts';
import { makeBiller, makeKey } from '../support/factories.ts';
import { createMerchant, type Merchant } from '../support/merchant.ts';
import { type SeenPage, usePages } from '../support/pages.ts';
import { useService } from '../support/service.ts';

const minuteMs = 60_000;
const challengeCard = 'tok_sandbox_visa_3ds_required';

describe('a live payment in a checkout session whose bank wants the payer', function () {
  this.timeout(60_000);
  const service = useService({ live: true, idle: true, publicUrl: 'http://pages.test' });
  const pages = usePages({
    get db() {
      return service.db;
    },
    get vault() {
      return service.vault;
    },
    get processors() {
      return service.processors;
    },
  });
  let merchant: Merchant;

  before('a biller in live mode', async () => {
    const { id } = await makeBiller(service.db.sql);
    const { key } = await makeKey(service.db.sql, { billerId: id, livemode: true });
    merchant = createMerchant(service.url, key, 'live');
  });

  beforeEach('forget how many pages were opened', () => service.db.sql`delete from page_uses`);

  const post = (path: string, body: object = {}): Promise<Reply> =>
    sendChecked(`${service.url}/api/v1${path}`, 'POST', { key: merchant.key, body });

  /** A customer with a card that its bank asks about, and a link of it over 25.00 AUD. */
  async function makeLink(more: object = {}) {
    const { id: customer } = await merchant.customer();
    const card = await merchant.card(customer, challengeCard);
    const terms = { name: 'Invoice 1042', amount: 2500, currency: 'AUD', customer_id: customer };
    const payment_method_types = ['card', 'au_becs_debit'];
    const { body } = await post('/payment_links', {
      ...terms,
      payment_method_types,
      success_url: 'https://shop.example.com/thanks',
      ...more,
    });
    return { customer, card, link: body };
  }

  /** Opens the page of a link, and sends its form with the card. */
  async function payOn(url: string, card: string) {
    const first = await pages.open(url);
    const begun = first.status === 303 ? first : await pages.post(url, first.hidden);
    const path = begun.headers.get('location') ?? assert.fail(`${first.text} ${begun.text}`);
    const { hidden } = await pages.open(path);
    const sent = await pages.post(path, { ...hidden, method: card });
    return { path, sent: String(sent.headers.get('location')) };
  }

  /** Follows the ways on from a page of ours, until there is a page. */
  async function follow(url: string): Promise<SeenPage & { at: string }> {
    for (let at = url; ; ) {
      const page = await pages.open(at);
      if (page.status !== 303) return { ...page, at };
      at = String(page.headers.get('location'));
    }
  }

  const bankOf = ({ html }: SeenPage) => /href="(http:\/\/127\.0\.0\.1:\d+\/challenge\/ref_\w+)"/.exec(html)?.[1] ?? '';

  /** What the payer does on the page of the bank: returns where it leads back to. */
  async function answerAtBank(url: string, answer: 'pass' | 'fail'): Promise<string> {
    const response = await fetch(url, { method: 'POST', redirect: 'manual', body: new URLSearchParams({ answer }) });
    return String(response.headers.get('location'));
  }

  async function challenged(more: object = {}) {
    const made = await makeLink(more);
    const { path, sent } = await payOn(made.link.url, made.card);
    const page = await follow(sent);
    const bank = bankOf(page);
    assert.ok(bank, page.text);
    const [row] = await service.db.sql<{ id: string; session: string }[]>`
      select id, checkout_session_id as session from payment_intents where payment_link_id = ${made.link.id}`;
    return { ...made, path, sent, bank, intent: String(row?.id), session: String(row?.session) };
  }

  async function taken(intentId: string): Promise<number> {
    const lines = await service.standIn.calls();
    const charged = lines.filter((line) => line.kind === 'charge' && !line.repeated && line.outcome === 'succeeded');
    return charged.filter((line) => line.payment_intent_id === intentId).length;
  }
  const keepHouse = (laterMs: number) =>
    settleChallenges(service.db.sql, { processors: service.processors, hook: chargeHook }, addMs(realNow(), laterMs));
  const statusOf = async (id: string) => (await merchant.getIntent(id)).status;
  const sessionOf = async (id: string) => {
    const { body } = await sendChecked(`${service.url}/api/v1/checkout_sessions/${id}`, 'GET', { key: merchant.key });
    return [body.status, body.status_reason].filter(Boolean).join(' ');
  };
  /** What the workflow of a session or a link does at an instant. */
  const workflowTime = (at: Date) => ({ at: customerInstant(at.getTime()), now: realNow(), maxAheadMs: Infinity });
  const letSessionEnd = async (id: string) => {
    await service.db.sql`update checkout_sessions set expires_at = now(), wake_at = now() where id = ${id}`;
    await expireDueSession(service.db.sql, chargeHook, id, workflowTime(addMs(realNow(), 1)));
  };

  it('is sent to the bank, comes back to the page of the session, and sees that it is paid', async () => {
    const { path, bank, intent, link } = await challenged();
    const back = await answerAtBank(bank, 'pass');
    const page = await follow(back);
    assert.ok(page.at.startsWith(`${path}/done?payer=`), page.at);
    assert.ok(page.text.includes('Thank you for your payment'), page.text);
    assert.ok(page.html.includes('https://shop.example.com/thanks'));
    assert.deepEqual([await statusOf(intent), await taken(intent)], ['succeeded', 1]);
    const { body } = await sendChecked(`${service.url}/api/v1/payment_links/${link.id}`, 'GET', { key: merchant.key });
    assert.deepEqual([body.status, body.payments_count], ['completed', 1]);
  });

  it('that fails the challenge can pay with another card on the same page', async () => {
    const { path, bank, intent, customer } = await challenged();
    const good = await merchant.card(customer);
    const page = await follow(await answerAtBank(bank, 'fail'));
    assert.ok(page.text.includes('could not confirm that it was you'), page.text);
    const sent = await pages.post(path, { ...page.hidden, method: good });
    const paid = await follow(String(sent.headers.get('location')));
    assert.ok(paid.text.includes('Thank you for your payment'), paid.text);
    assert.deepEqual([await statusOf(intent), await taken(intent)], ['succeeded', 1]);
  });

  const leave = ({ at, hidden }: { at: string; hidden: Record<string, string> }) =>
    pages.post(at.split('?')[0] ?? at, { ...hidden, answer: 'another_card' });

  it('that does not want to ask the bank pays with another card at once, and the first one is dead', async () => {
    const { path, sent, bank, intent, customer } = await challenged();
    const good = await merchant.card(customer);
    const left = await leave(await follow(sent));
    const page = await follow(String(left.headers.get('location')));
    assert.equal(page.at.split('?')[0], path);
    assert.equal(await statusOf(intent), 'failed');
    // Too late: the bank cannot approve it any more.
    await answerAtBank(bank, 'pass');
    const sentAgain = await pages.post(path, { ...page.hidden, method: good });
    const paid = await follow(String(sentAgain.headers.get('location')));
    assert.ok(paid.text.includes('Thank you for your payment'), paid.text);
    assert.deepEqual([await statusOf(intent), await taken(intent)], ['succeeded', 1]);
  });

  it('is given up by the form of its own page alone', async () => {
    const [one, other] = [await challenged(), await challenged()];
    const page = await follow(one.sent);
    const foreign = await follow(other.sent);
    const path = page.at.split('?')[0] ?? '';
    const answer = 'another_card';
    const refused = [
      await pages.post(path, { answer }),
      await pages.post(path, { ...page.hidden, form: 'x', answer }),
      await pages.post(path, { ...page.hidden, form: foreign.hidden.form ?? '', answer }),
      await pages.post(path, { ...page.hidden, answer }, { 'Sec-Fetch-Site': 'cross-site' }),
      await pages.post(path, { ...page.hidden, answer: 'approve' }),
      await pages.post(path, page.hidden),
      await pages.open(`${path}?answer=${answer}&form=${page.hidden.form}`),
    ];
    assert.deepEqual(
      refused.map(({ status }) => status),
      [400, 400, 400, 403, 303, 303, 200],
    );
    for (const { intent } of [one, other]) assert.equal(await statusOf(intent), 'requires_action');
  });

  it('is offered another card only while its session takes one: an earlier form then gives nothing up', async () => {
    const { sent, bank, intent, link } = await challenged();
    const page = await follow(sent);
    assert.ok(page.text.includes('Pay with another card'), page.text);
    await post(`/payment_links/${link.id}/deactivate`);
    const later = await follow(sent);
    assert.ok(bankOf(later) !== '' && !later.text.includes('Pay with another card'), later.text);
    assert.equal((await leave(page)).status, 303);
    assert.equal(await statusOf(intent), 'requires_action');
    assert.ok((await follow(await answerAtBank(bank, 'pass'))).text.includes('Thank you'));
    assert.deepEqual([await statusOf(intent), await taken(intent)], ['succeeded', 1]);
    const last = await challenged();
    const { at } = await follow(last.sent);
    await service.db.sql`
      update checkout_sessions set failed_attempts = 9, submissions = 10 where id = ${last.session}`;
    const tenth = await follow(at);
    assert.ok(bankOf(tenth) !== '' && !tenth.text.includes('Pay with another card'), 'the tenth failure is the last');
  });

  it('that has passed at the bank meanwhile has paid, whatever is pressed, and how often', async () => {
    const { sent, bank, intent } = await challenged();
    const page = await follow(sent);
    await answerAtBank(bank, 'pass');
    const answers = await Promise.all([leave(page), leave(page), leave(page)]);
    const last = await follow(String(answers[0]?.headers.get('location')));
    assert.ok(last.text.includes('Thank you for your payment'), last.text);
    assert.deepEqual([await statusOf(intent), await taken(intent)], ['succeeded', 1]);
  });

  it('that presses while the bank decides is paid once or not at all', async () => {
    for (let nth = 0; nth < 4; nth += 1) {
      const { sent, bank, intent } = await challenged();
      const page = await follow(sent);
      await Promise.all([leave(page), answerAtBank(bank, 'pass'), leave(page)]);
      await keepHouse(2 * minuteMs);
      const status = await statusOf(intent);
      assert.deepEqual([status, await taken(intent)], status === 'succeeded' ? ['succeeded', 1] : ['failed', 0]);
    }
  });

  it('that gets no answer goes on waiting, and a form of an earlier challenge gives up no later one', async () => {
    const { path, sent, intent, card } = await challenged();
    const page = await follow(sent);
    await service.standIn.setClimate({ seed: '1', share: 1, kinds: ['reset_before'] });
    const unknown = await leave(page);
    await service.standIn.setClimate(null);
    assert.ok(unknown.text.includes('We do not know yet'), unknown.text);
    assert.equal(await statusOf(intent), 'requires_action');
    const left = await leave(page);
    const open = await follow(String(left.headers.get('location')));
    const sentAgain = await pages.post(path, { ...open.hidden, method: card });
    const second = await follow(String(sentAgain.headers.get('location')));
    assert.notEqual(bankOf(second), '', second.text);
    const stale = await leave(page);
    assert.equal(stale.status, 400, stale.text);
    assert.equal(await statusOf(intent), 'requires_action');
    await answerAtBank(bankOf(second), 'pass');
    assert.ok((await follow(second.at)).text.includes('Thank you'));
    assert.equal(await taken(intent), 1);
  });

  it('is not taken because the URL says so, and nothing of it is shown to others who have the URL', async () => {
    const { path, intent, bank } = await challenged();
    const others = await follow(path);
    assert.ok(others.text.includes('This is already being paid'), others.text);
    assert.equal(bankOf(others), '', 'others do not learn where the bank’s page is: it leads back with the proof');
    const forged = await follow(`${path}?payer=${'A'.repeat(43)}&redirect_status=succeeded`);
    assert.equal(bankOf(forged), '');
    assert.deepEqual([await statusOf(intent), await taken(intent)], ['requires_action', 0]);
    await answerAtBank(bank, 'pass');
    await keepHouse(2 * minuteMs);
    assert.ok(!(await follow(path)).html.includes('/receipt/'));
  });

  it('of a payer who passes in one tab and comes back in two is taken once', async () => {
    const { bank, intent } = await challenged();
    const back = await answerAtBank(bank, 'pass');
    const seen = await Promise.all([follow(back), follow(back), keepHouse(2 * minuteMs)]);
    for (const page of seen.slice(0, 2)) assert.ok(page?.text.includes('Thank you'), page?.text);
    assert.deepEqual([await statusOf(intent), await taken(intent)], ['succeeded', 1]);
    const events = await merchant.events({ event_type: 'checkout_session.completed' });
    assert.equal(events.filter(({ data }) => JSON.stringify(data).includes(intent)).length, 1);
  });

  it('takes no second form while the challenge is open, in another tab neither', async () => {
    const { path, intent, link, card } = await challenged();
    const other = await payOn(link.url, card);
    assert.equal(other.path, path);
    assert.equal((await service.db.sql`select from payment_attempts where payment_intent_id = ${intent}`).length, 1);
  });

  it('that is left fails after 15 minutes, canceled at the processor first, and its session is open again', async () => {
    const { bank, intent, session, path } = await challenged();
    await keepHouse(14 * minuteMs);
    assert.equal(await statusOf(intent), 'requires_action');
    await keepHouse(16 * minuteMs);
    assert.deepEqual([await statusOf(intent), await sessionOf(session)], ['failed', 'open']);
    assert.ok((await follow(await answerAtBank(bank, 'pass'))).text.includes('could not confirm'), path);
    assert.deepEqual([await statusOf(intent), await taken(intent)], ['failed', 0]);
  });

  it('ends with its session: the processor is asked first, and what was passed is paid', async () => {
    const [left, passed] = [await challenged(), await challenged()];
    await answerAtBank(passed.bank, 'pass');
    for (const { session } of [left, passed]) await letSessionEnd(session);
    assert.deepEqual([await statusOf(left.intent), await sessionOf(left.session)], ['requires_action', 'processing']);
    await keepHouse(0);
    assert.deepEqual([await statusOf(left.intent), await sessionOf(left.session)], ['failed', 'expired time']);
    assert.deepEqual([await statusOf(passed.intent), await sessionOf(passed.session)], ['succeeded', 'completed']);
    await answerAtBank(left.bank, 'pass');
    assert.deepEqual([await taken(left.intent), await taken(passed.intent)], [0, 1]);
  });

  it('ends with its link in the same way', async () => {
    const [left, passed] = [await challenged(), await challenged()];
    await answerAtBank(passed.bank, 'pass');
    for (const { link } of [left, passed]) {
      await service.db.sql`update payment_links set expires_at = now(), wake_at = now() where id = ${link.id}`;
      await expireDueLink(service.db.sql, chargeHook, link.id, workflowTime(addMs(realNow(), 1)));
    }
    await keepHouse(0);
    const linkOf = async (id: string) =>
      (await sendChecked(`${service.url}/api/v1/payment_links/${id}`, 'GET', { key: merchant.key })).body.status;
    assert.deepEqual([await statusOf(left.intent), await linkOf(left.link.id)], ['failed', 'expired']);
    assert.deepEqual([await statusOf(passed.intent), await linkOf(passed.link.id)], ['succeeded', 'completed']);
    assert.deepEqual([await taken(left.intent), await taken(passed.intent)], [0, 1]);
  });

  it('goes on when its link is deactivated meanwhile', async () => {
    const { bank, intent, link } = await challenged();
    await post(`/payment_links/${link.id}/deactivate`);
    const page = await follow(await answerAtBank(bank, 'pass'));
    assert.ok(page.text.includes('Thank you'), page.text);
    assert.deepEqual([await statusOf(intent), await taken(intent)], ['succeeded', 1]);
  });

  it('is given up when its customer was deleted, and paid if it was passed before', async () => {
    const [left, passed] = [await challenged(), await challenged()];
    await answerAtBank(passed.bank, 'pass');
    for (const { customer } of [left, passed]) await merchant.client.customers.delete(customer);
    await keepHouse(2 * minuteMs);
    assert.deepEqual([await statusOf(left.intent), await statusOf(passed.intent)], ['failed', 'succeeded']);
    await answerAtBank(left.bank, 'pass');
    assert.deepEqual([await taken(left.intent), await taken(passed.intent)], [0, 1]);
  });

  it('is canceled at the processor before the biller’s cancellation is recorded, and the session ends', async () => {
    const [left, passed] = [await challenged(), await challenged()];
    await answerAtBank(passed.bank, 'pass');
    assert.equal((await post(`/payment_intents/${left.intent}/cancel`)).body.status, 'canceled');
    assert.equal((await post(`/payment_intents/${passed.intent}/cancel`)).body.error.code, 'invalid_state');
    assert.equal(await sessionOf(left.session), 'expired payment_canceled');
    await answerAtBank(left.bank, 'pass');
    assert.deepEqual([await taken(left.intent), await taken(passed.intent)], [0, 1]);
  });

  it('says that it does not know while the processor does not respond, and nothing is failed', async () => {
    const { bank, intent, session } = await challenged({
      metadata: { _stand_in_inquire: ',reset_before,reset_before' },
    });
    const page = await follow(await answerAtBank(bank, 'pass'));
    assert.ok(page.text.includes('We do not know yet'), page.text);
    assert.ok(page.html.includes('?payer='), 'the way on is the payer’s');
    await letSessionEnd(session);
    await assert.rejects(keepHouse(0));
    assert.equal(await statusOf(intent), 'requires_action');
    assert.ok((await follow(page.at)).text.includes('Thank you'));
    assert.equal(await taken(intent), 1);
  });

  it('is given up by time also if the processor does not say where the payer has to go', async () => {
    const made = await makeLink({ metadata: { _stand_in_challenge: 'nowhere' } });
    const { path, sent } = await payOn(made.link.url, made.card);
    assert.ok((await follow(sent)).text.includes('We do not know yet'));
    await keepHouse(16 * minuteMs);
    assert.ok((await follow(path)).text.includes('could not confirm'));
  });
});
