import assert from 'node:assert/strict';
import { beforeEach, describe, it } from 'mocha';
import { eventually } from '../../lab/eventually.ts';
import { realNow } from '../../src/platform/real-time.ts';
import { createPaymentLink } from '../../src/services/links/payment-links.ts';
import { useLinks } from '../support/links.ts';
import { contentsOf, type SeenPage, usePages } from '../support/pages.ts';
import { useStage } from '../support/stage.ts';

const succeeds = 'tok_sandbox_visa_succeed';
const isDeclined = 'tok_sandbox_visa_decline_insufficient_funds';
const asksTheBank = 'tok_sandbox_visa_3ds_required';

describe('a payer on the pages of a link', () => {
  const stage = useStage({ biller: { timeZone: 'Australia/Sydney' } });
  const links = useLinks(stage);
  const pages = usePages(stage);
  const otherProcess = usePages(stage);
  const withProcessor = usePages(stage, { processors: { ...stage.processors, live: stage.ledger } });
  const payer = { name: 'Jo Nguyen', email: 'jo@example.com' };

  beforeEach('forget who has paid here in this minute', () => stage.db.sql`delete from page_uses`);

  /** Opens a link and begins to pay it: returns the path of the session. */
  async function begin(link: Parameters<typeof links.tokenOf>[0]): Promise<string> {
    const path = `/pay/${links.tokenOf(link)}`;
    const { hidden, status, text } = await pages.open(path);
    assert.equal(status, 200, text);
    const begun = await pages.post(path, hidden);
    assert.equal(begun.status, 303, begun.text);
    return String(begun.headers.get('location'));
  }
  async function submit(path: string, fields: Record<string, string> = {}, by = pages): Promise<SeenPage> {
    const { hidden } = await pages.open(path);
    return by.post(path, { ...hidden, ...payer, method: succeeds, ...fields });
  }

  /** Where a payer is sent who has just paid: `/done`, with the proof of it. */
  function doneOf(path: string, { status, headers, text }: SeenPage): string {
    const location = String(headers.get('location'));
    assert.deepEqual([status, location.split('?')[0]], [303, `${path}/done`], text);
    assert.match(location, /\?payer=[\w-]{43}$/);
    return location;
  }

  it('sees what is asked, by whom, how much and until when, pays, and gets a receipt', async () => {
    const link = await links.link({ description: 'For the boat', expires_at: '2026-12-24T00:00:00Z' });
    const opened = await pages.open(`/pay/${links.tokenOf(link)}`, { 'Accept-Language': 'en-AU' });
    for (const words of [
      'Invoice 1042',
      'For the boat',
      '$25.00',
      'Open until 24 December 2026 at 11:00 am Australian Eastern Daylight Time',
      stage.keys.biller.name,
    ]) {
      assert.ok(opened.text.includes(words), `${words}: ${opened.text}`);
    }
    const path = await begin(link);
    const paid = await submit(path);
    const here = doneOf(path, paid);
    for (const by of [pages, otherProcess, pages]) {
      const done = await by.open(here, { 'Accept-Language': 'en-AU' });
      assert.ok(done.text.includes('Thank you for your payment') && done.text.includes('$25.00'), done.text);
    }
    const done = await pages.open(here);
    const [, receipt = ''] = /href="(\/receipt\/[^"]+)"/.exec(done.html) ?? [];
    assert.equal((await pages.open(receipt)).status, 200);
    const { status, payments_count: count } = await links.read(link);
    assert.deepEqual([status, count], ['completed', 1]);
  });

  it('reads the reason for a decline in words for a payer, and pays with another card', async () => {
    const link = await links.link();
    const path = await begin(link);
    const declined = await submit(path, { method: isDeclined });
    assert.deepEqual([declined.status, declined.headers.get('location')], [303, path]);
    assert.ok((await pages.open(path)).text.includes('There is not enough money in the account'));
    doneOf(path, await submit(path));
  });

  it('passes the challenge of the bank, and comes back to the result', async () => {
    const path = await begin(await links.link());
    const asked = await submit(path, { method: asksTheBank });
    const question = await pages.open(String(asked.headers.get('location')));
    assert.ok(question.text.includes('Your bank needs a confirmation'), question.text);
    const [, bank = ''] = /href="(\/challenge\/[^"]+)"/.exec(question.html) ?? [];
    const { hidden } = await pages.open(bank);
    const fields = { ...hidden, answer: 'approve' };
    const answered = await pages.post(bank, fields);
    const back = String(answered.headers.get('location'));
    assert.ok(back.startsWith(`${path}?payer=`), back);
    const done = doneOf(path, await pages.open(back));
    assert.ok((await pages.open(done)).text.includes('Thank you'));
    // The same answer sent twice leads its payer to the same page.
    const [, onward = ''] =
      /href="(\/checkout\/[^"]+)"/.exec(
        (await pages.open(String((await pages.post(bank, fields)).headers.get('location')))).html,
      ) ?? [];
    assert.equal(doneOf(path, await pages.open(onward)), done);
  });

  it('reads that it is already paid if another payer has paid, and nothing of that payment, however the page is reached', async () => {
    const card = { method: succeeds };
    const bank = { method: asksTheBank };
    for (const [terms, fields] of [
      [{}, card],
      [{ amount_range: { min: 500, max: 10_000 } }, { ...card, amount: '25' }],
      [{}, bank],
    ] as const) {
      const link = await links.link(terms);
      const path = await begin(link);
      const second = await pages.open(path);
      let paid = await submit(path, fields);
      if (fields === bank) {
        const waiting = await pages.open(path);
        const [, url = ''] = /href="(\/challenge\/[^"]+)"/.exec(waiting.html) ?? [];
        const others = [waiting, await pages.open(`${path}/done`), await pages.open(`/pay/${links.tokenOf(link)}`)];
        for (const { html } of others) assert.doesNotMatch(html, /Thank you|4242|payer=/);
        assert.ok(waiting.text.includes('You were not charged.'), waiting.text);
        paid = await pages.post(url, { ...(await pages.open(url)).hidden, answer: 'approve' });
      }
      const proof = String(paid.headers.get('location')).split('payer=')[1] ?? '';
      const late = await pages.post(path, { ...second.hidden, ...payer, ...fields });
      const foreign = `${proof.startsWith('A') ? 'B' : 'A'}${proof.slice(1)}`;
      const seen = [
        late,
        await pages.open(path),
        ...(await Promise.all(['', '?payer=', `?payer=${foreign}`].map((query) => pages.open(`${path}/done${query}`)))),
        await pages.open(`/pay/${links.tokenOf(link)}`),
      ];
      for (const page of seen) {
        const shown = page.status === 303 ? await pages.open(String(page.headers.get('location'))) : page;
        const last = shown.status === 303 ? await pages.open(String(shown.headers.get('location'))) : shown;
        assert.ok(last.text.includes('This has already been paid') && last.text.includes('You were not charged.'));
        assert.doesNotMatch(last.html, /Thank you|Visa|4242|\/receipt\/|payer=|Jo Nguyen/);
      }
      assert.equal((await links.read(link)).payments_count, 1);
    }
  });

  it('reads that details were already saved if another payer has saved theirs, and nothing of them', async () => {
    const customer = await stage.merchant.customer();
    const path = await begin(await links.link({ mode: 'setup', customer_id: customer.id }));
    doneOf(path, await submit(path));
    const shown = await pages.open(`${path}/done`);
    assert.ok(shown.text.includes('already been saved'), shown.text);
    assert.doesNotMatch(shown.html, /Visa|4242/);
  });

  it('is thanked again if the same form is sent again, and not with the proof of an earlier attempt', async () => {
    const path = await begin(await links.link());
    const first = await pages.open(path);
    const declined = { ...first.hidden, ...payer, method: isDeclined };
    await pages.post(path, declined);
    const second = await pages.open(path);
    const fields = { ...second.hidden, ...payer, method: succeeds };
    const done = doneOf(path, await pages.post(path, fields));
    const again = await pages.post(path, fields);
    assert.equal(doneOf(path, await pages.open(String(again.headers.get('location')))), done);
    assert.equal((await pages.post(path, declined)).headers.get('location'), path);
    assert.equal(stage.ledger.taken.size, 1);
  });

  it('is the only one thanked when several forms come at once', async () => {
    for (let round = 0; round < 5; round += 1) {
      const path = await begin(await links.link());
      const forms = await Promise.all(Array.from({ length: 6 }, () => pages.open(path)));
      const sent = await Promise.all(
        forms.map(({ hidden }) => pages.post(path, { ...hidden, ...payer, method: succeeds })),
      );
      const proven = sent.filter(({ headers }) => headers.get('location')?.includes('payer='));
      assert.equal(
        proven.length,
        1,
        JSON.stringify(sent.map(({ status, headers }) => [status, headers.get('location')])),
      );
      for (const { status } of sent) assert.ok([303, 409].includes(status), String(status));
    }
    assert.equal(stage.ledger.taken.size, 5);
  });

  it('is charged once however often the same form is sent', async () => {
    const link = await links.link();
    const path = await begin(link);
    const { hidden } = await pages.open(path);
    const fields = { ...hidden, ...payer, method: succeeds };
    const sent = await Promise.all(Array.from({ length: 10 }, () => pages.post(path, fields)));
    for (const { status } of sent) assert.ok([303, 409].includes(status), String(status));
    assert.equal(stage.ledger.taken.size, 1);
    assert.equal((await links.read(link)).payments_count, 1);
  });

  it('chooses an amount in the decimals of the currency, within the range, and is shown it again if it is not', async () => {
    const link = await links.link({ amount_range: { min: 500, max: 10_000, suggested: [2500] } });
    const path = await begin(link);
    for (const amount of ['', 'ten', '4.99', '100.01']) {
      const refused = await submit(path, { amount });
      assert.equal(refused.status, 400, amount);
      if (amount !== '') assert.ok(refused.html.includes(`value="${amount}"`));
    }
    assert.equal(stage.ledger.requests.length, 0);
    await submit(path, { amount: '12.50' });
    assert.deepEqual([...stage.ledger.taken.values()], [1250]);
  });

  it('pays no total that a page has not shown: a chosen amount with a surcharge is shown first', async () => {
    const link = await links.link({ amount_range: { min: 500, max: 10_000 }, surcharge_applied: true });
    const path = await begin(link);
    const shown = await submit(path, { amount: '50' });
    assert.equal(shown.status, 200);
    assert.equal(stage.ledger.requests.length, 0);
    const [, inWords] = /Pay \$([\d.]+)/.exec(shown.text) ?? [];
    const total = Math.round(Number(inWords) * 100);
    assert.ok(total > 5000 && shown.text.includes('Surcharge'));
    const paid = await pages.post(path, { ...shown.hidden, ...payer, amount: '50', method: succeeds });
    doneOf(path, paid);
    assert.deepEqual([...stage.ledger.taken.values()], [total]);
  });

  it('is shown an amount first that reads two ways, and pays it as it was shown', async () => {
    const path = await begin(await links.link({ amount_range: { min: 500, max: 2_000_000 } }));
    const shown = await submit(path, { amount: '12.500' });
    assert.deepEqual([shown.status, stage.ledger.requests.length], [200, 0]);
    assert.ok(shown.text.includes('$12,500.00'), shown.text);
    const paid = await pages.post(path, { ...shown.hidden, ...payer, amount: '12.500', method: succeeds });
    doneOf(path, paid);
    assert.deepEqual([...stage.ledger.taken.values()], [1_250_000]);
  });

  it('is asked for what the biller collects, and told what is wrong with it', async () => {
    const collect = { email: 'required', name: 'required', phone: 'optional' } as const;
    const path = await begin(await links.link({ collect }));
    const refused = await submit(path, { name: ' ', email: 'jo' });
    assert.equal(refused.status, 400);
    assert.ok(refused.text.includes('Enter your name.') && refused.text.includes('such as jo@example.com'));
    assert.ok(refused.html.includes('aria-invalid="true"'));
    assert.equal((await submit(path)).status, 303);
  });

  it('agrees to a direct debit on the page, with the words that were shown, and is debited under a mandate', async () => {
    const path = await begin(await links.link({ payment_method_types: ['card', 'au_becs_debit'] }));
    const account = { method: 'au_becs_debit', account_name: 'Jo Nguyen', bsb: '000-000', account_number: '12345678' };
    const refused = await submit(path, account);
    assert.deepEqual([refused.status, refused.text.includes('Tick this box to allow the debit')], [400, true]);
    assert.equal(refused.html.includes('12345678'), false);
    const sent = await submit(path, { ...account, agreed: 'yes' });
    const done = doneOf(path, sent);
    const shown = async () => (await pages.open(done)).text;
    const others = async () => (await pages.open(`${path}/done`)).text;
    assert.ok((await shown()).includes('Your payment is being processed'));
    assert.ok((await others()).includes('This is already being paid'));
    const [mandate] = await stage.db.sql`select * from mandates where biller_id = ${stage.keys.biller.id}`;
    assert.equal(mandate?.signatory_name, 'Jo Nguyen');
    const [intent] = await stage.db.sql`select id from payment_intents where mandate_id = ${mandate?.id}`;
    const report = (result: string) =>
      stage.request('POST', `/test_helpers/payment_intents/${intent?.id}/bank_result`, { result });
    assert.equal((await report('settled')).body.status, 'succeeded');
    assert.ok((await shown()).includes('Thank you for your payment'));
    assert.ok((await others()).includes('This has already been paid'));
    assert.equal((await report('returned')).body.status, 'returned');
    assert.ok((await shown()).includes('Your bank has taken this payment back'));
    const back = await others();
    assert.ok(back.includes('The bank has taken this payment back') && !back.includes('ending in'), back);
  });

  it('saves a method by a setup link, which takes no money', async () => {
    const customer = await stage.merchant.customer();
    const link = await links.link({ mode: 'setup', customer_id: customer.id });
    const path = await begin(link);
    const saved = await submit(path);
    assert.ok((await pages.open(doneOf(path, saved))).text.includes('Your details were saved'));
    assert.equal(stage.ledger.requests.length, 0);
    assert.equal((await pages.open(`/pay/${links.tokenOf(link)}`)).text.includes('already been saved'), true);
  });

  it('reads which end an ended link has come to, with status 410', async () => {
    const paid = await links.link();
    await submit(await begin(paid));
    const page = await pages.open(`/pay/${links.tokenOf(paid)}`);
    assert.deepEqual([page.status, page.text.includes('This has already been paid')], [410, true]);
    const expired = await links.link({ expires_at: new Date(realNow().getTime() + 60_000).toISOString() });
    const path = await begin(expired);
    await stage.db.sql`update payment_links set expires_at = now() - interval '1 second' where id = ${expired.id}`;
    const over = await pages.open(`/pay/${links.tokenOf(expired)}`);
    assert.deepEqual([over.status, over.text.includes('This link has expired')], [410, true]);
    assert.equal((await pages.open(path)).status, 410);
    await stage.db.sql`update payment_links set wake_at = expires_at where id = ${expired.id}`;
    await stage.expireLink(expired.id, realNow());
    const written = await pages.open(`/pay/${links.tokenOf(expired)}`);
    assert.deepEqual([written.status, written.text], [410, over.text]);
    const withdrawn = await links.link();
    await links.deactivate(withdrawn);
    const withdrawnPage = await pages.open(`/pay/${links.tokenOf(withdrawn)}`);
    assert.deepEqual([withdrawnPage.status, withdrawnPage.text.includes('This link is no longer in use')], [410, true]);
  });

  it('may fail ten times in a session, then it has ended', async () => {
    const path = await begin(await links.link());
    for (let n = 0; n < 10; n += 1) await submit(path, { method: isDeclined });
    const ended = await pages.open(path);
    assert.deepEqual([ended.status, ended.text.includes('Too many attempts')], [410, true]);
  });

  it('is asked to try later after twenty failures a minute from one address, whatever the process', async () => {
    const statuses: number[] = [];
    for (let sitting = 0; sitting < 3; sitting += 1) {
      const path = await begin(await links.link());
      for (let n = 0; n < 8; n += 1) {
        const by = n % 2 === 0 ? pages : otherProcess;
        statuses.push((await submit(path, { method: isDeclined }, by)).status);
      }
    }
    const spread = await stage.db.sql<
      { spans: number }[]
    >`select count(distinct begins_at)::int as spans from page_uses`;
    // A minute may have ended meanwhile, and then the count began anew.
    if (spread[0]?.spans === 1) assert.deepEqual(statuses, [...Array(20).fill(303), ...Array(4).fill(429)]);
    const rows = await stage.db.sql`select 1 from page_uses where position('127.0.0.1'::bytea in subject) > 0`;
    assert.equal(rows.length, 0);
  });

  it('finds live payments closed while there is no processor, and nothing is created', async () => {
    const call = { ...(await links.call()), livemode: true };
    const terms = { name: 'Invoice 7', amount: 2500, currency: 'AUD' } as const;
    const link = await createPaymentLink(stage.db.sql, links.vault, call, terms, { setsDefaults: true });
    const path = `/pay/${links.tokenOf(link)}`;
    const before = await contentsOf(stage);
    for (const page of [await pages.open(path), await pages.post(path, { form: 'x' })]) {
      assert.deepEqual([page.status, page.text.includes('Payments are not open yet')], [503, true]);
    }
    assert.equal(await contentsOf(stage), before);
  });

  it('finds a live link for cards closed, since the pages take none in live mode, and one for bank accounts open', async () => {
    const call = { ...(await links.call()), livemode: true };
    const terms = { name: 'Invoice 7', amount: 2500, currency: 'AUD' } as const;
    const make = (input: Parameters<typeof createPaymentLink>[3]) =>
      createPaymentLink(stage.db.sql, links.vault, call, input, { setsDefaults: true });
    const byCard = await make(terms);
    const types = { payment_method_types: ['card' as const, 'au_becs_debit' as const] };
    const byBoth = await make({ ...terms, ...types });
    const closed = await withProcessor.open(`/pay/${links.tokenOf(byCard)}`);
    assert.deepEqual([closed.status, closed.text.includes('Payments are not open yet')], [503, true]);
    assert.equal((await withProcessor.post(`/pay/${links.tokenOf(byCard)}`, { form: 'x' })).status, 503);
    assert.equal((await withProcessor.open(`/pay/${links.tokenOf(byBoth)}`)).status, 200);
  });

  it('changes nothing by opening any page, at any time and in any order', async () => {
    const customer = await stage.merchant.customer();
    const open = await links.link();
    const paid = await links.link();
    const setup = await links.link({ mode: 'setup', customer_id: customer.id });
    const paths = [open, paid, setup].map((link) => `/pay/${links.tokenOf(link)}`);
    for (const link of [open, paid, setup]) paths.push(await begin(link));
    await submit(String(paths[4]));
    const all = paths.flatMap((path) => [path, `${path}/state`, `${path}/done`]);
    const before = await contentsOf(stage);
    for (const path of [...all, ...all.reverse()]) {
      await pages.open(path);
      await pages.request(path, { method: 'HEAD' });
    }
    assert.equal(await contentsOf(stage), before);
  });

  it('is told by the state of a page, which waits if asked, when the link is paid elsewhere', async () => {
    const path = await begin(await links.link());
    const { html } = await pages.open(`${path}/state`);
    assert.deepEqual(JSON.parse(html), { status: 'open' });
    const waiting = pages.open(`${path}/state`, { Prefer: 'wait=20' });
    await submit(path);
    assert.deepEqual(JSON.parse((await waiting).html), { status: 'completed' });
  });

  it('has 20 requests wait for the state of one page; a further one gets it at once, and one that has gone frees its place', async () => {
    const path = `${await begin(await links.link())}/state`;
    const end = new AbortController();
    const ask = (init: RequestInit = {}) => pages.request(path, { ...init, headers: { Prefer: 'wait=30' } });
    let responses = 0;
    const counted = async () => {
      const response = await ask({ signal: end.signal });
      responses += 1;
      return response;
    };
    const waiting = Array.from({ length: 25 }, () => counted().catch(() => null));
    const isAnsweredAtOnce = async () => {
      const signal = AbortSignal.timeout(4_000);
      return (await ask({ signal }).catch(() => null)) !== null;
    };
    // Asked before these, it would wait itself, in the place of one of them.
    await eventually('five have their responses, so 20 wait', () => responses === 5);
    assert.ok(await isAnsweredAtOnce());
    end.abort();
    assert.equal((await Promise.all(waiting)).filter((answer) => answer === null).length, 20);
    await eventually('the places are free', async () => !(await isAnsweredAtOnce()));
  });
});
