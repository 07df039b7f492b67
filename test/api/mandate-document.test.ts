import assert from 'node:assert/strict';
import { createHash } from 'node:crypto';
import { describe, it } from 'mocha';
import type { Reply } from '../support/api.ts';
import { useDebtor } from '../support/debtor.ts';
import { createMerchant } from '../support/merchant.ts';
import { useStage } from '../support/stage.ts';

describe('the text of a mandate', () => {
  const stage = useStage({ isAlone: true, biller: { name: 'Harbour Gym' } });

  it('is the words with the name of the biller, their version and the hash of their bytes', async () => {
    const { status, body } = await stage.request('GET', '/mandate_texts/au_becs');
    assert.deepEqual([status, Object.keys(body)], [200, ['scheme', 'version', 'html', 'sha256']]);
    assert.equal(body.scheme, 'au_becs');
    assert.ok(body.html.includes('I authorise Harbour Gym to debit my account'));
    assert.equal(body.sha256, createHash('sha256').update(body.html, 'utf8').digest('hex'));
  });
});

describe('the document of a mandate', () => {
  const stage = useStage({ isAlone: true, biller: { name: 'Harbour Gym' } });
  const here = useDebtor(stage);
  const fetch = (id: string): Promise<Reply> => stage.request('GET', `/mandates/${id}/document`);
  const rename = (name: string) => stage.db.sql`update billers set name = ${name} where id = ${stage.keys.biller.id}`;
  /** The rows of the page's tables: name and value. */
  const rows = ({ text }: Reply): Record<string, string> =>
    Object.fromEntries(
      [...text.matchAll(/<tr><th scope="row">([^<]*)<\/th><td>([^<]*)<\/td><\/tr>/g)].map(([, name, value]) => [
        name,
        value,
      ]),
    );

  it('is a page with names, BSB, the last digits, the terms, the text word for word, and the evidence', async () => {
    const account = await here.account((await stage.merchant.customer()).id, {
      bsb_number: '062000',
      account_name: 'J & K Nguyen',
      account_number_end: 'XXXX', // in the biller’s words; the document shows the number itself
    });
    const acceptance = await here.online({ accepted_at: '2026-01-02T03:04:05Z', signatory_name: 'Jo “J” Nguyen' });
    const terms = { max_amount_cents: 123456, amount_type: 'fixed', frequency_text: 'weekly, on Mondays' } as const;
    const mandate = await here.pending({ payment_method_id: account, acceptance, ...terms });
    const reply = await fetch(mandate.id);
    assert.deepEqual([reply.status, reply.headers.get('content-type')], [200, 'text/html; charset=utf-8']);
    const { 'IP address': address, Recorded, Browser, ...shown } = rows(reply);
    assert.deepEqual([address, Browser], [acceptance.ip_address, acceptance.user_agent]);
    assert.equal(Recorded, `${mandate.activated_at?.slice(0, 19).replace('T', ' ')} UTC`);
    assert.deepEqual(shown, {
      To: 'Harbour Gym',
      'Account name': 'J &amp; K Nguyen',
      BSB: '062-000',
      'Account number': 'ends in 5432',
      'Limit of one debit': 'AUD 1234.56',
      Amounts: 'fixed',
      Frequency: 'weekly, on Mondays',
      Status: 'active',
      Agreed: 'online',
      By: 'Jo “J” Nguyen',
      At: '2026-01-02 03:04:05 UTC',
      'Text, version': acceptance.text_version,
      'Text, SHA-256': acceptance.text_sha256,
    });
    const { html } = await stage.merchant.client.mandates.getText();
    assert.ok(reply.text.includes(`<article>${html}</article>`));
    assert.ok(reply.text.includes(mandate.reference) && reply.text.includes(mandate.id));
    assert.match(reply.text, /<strong>Sandbox:<\/strong>/);
  });

  it('keeps the text and the name that the payer agreed to, after the biller has another name', async () => {
    const mandate = await here.active();
    const before = rows(await fetch(mandate.id));
    const { html, sha256 } = await stage.merchant.client.mandates.getText();
    await rename('Bayside Fitness');
    const after = await fetch(mandate.id);
    assert.deepEqual(rows(after), before);
    assert.ok(after.text.includes(`<article>${html}</article>`));
    assert.doesNotMatch(after.text, /Bayside/);
    // The words that are stored are still those of the hash.
    const [, article = ''] = /<article>([\s\S]*)<\/article>/.exec(after.text) ?? [];
    assert.equal(createHash('sha256').update(article, 'utf8').digest('hex'), sha256);
    const next = await stage.merchant.client.mandates.getText();
    assert.ok(next.html.includes('Bayside Fitness') && next.sha256 !== sha256);
  });

  it('has the former text for a payer who was shown it: it is known as long as a payer has agreed to it', async () => {
    const former = await here.online();
    const pending = await here.pending();
    await rename('Bayside Fitness');
    assert.equal((await here.accept(pending.id, former)).body.error.code, 'mandate_text_unknown');
    await rename('Harbour Gym');
    await here.active();
    await rename('Bayside Fitness');
    assert.equal((await here.accept(pending.id, former)).status, 200);
    const document = await fetch(pending.id);
    assert.ok(document.text.includes('I authorise Harbour Gym'));
    assert.equal(rows(document).To, 'Bayside Fitness');
  });

  it('stores each text once, however many payers agree to it', async () => {
    for (let payers = 0; payers < 3; payers++) await here.active();
    const { billerId, livemode } = { billerId: stage.keys.biller.id, livemode: false };
    const texts = await stage.db.sql`
      select html from mandate_texts where biller_id = ${billerId} and livemode = ${livemode}`;
    assert.equal(texts.length, 1);
  });

  it('rests on texts that can be added, and neither changed nor deleted', async () => {
    await here.active();
    const { sql } = stage.db;
    for (const change of [
      () => sql`update mandate_texts set html = 'x'`,
      () => sql`delete from mandate_texts`,
      () => sql`truncate mandate_texts cascade`,
    ]) {
      await assert.rejects(change(), /rows of mandate_texts are only ever added/);
    }
    const { id: biller_id } = stage.keys.biller;
    const forged = { biller_id, livemode: false, sha256: '0'.repeat(64), scheme: 'au_becs', version: '1', html: 'x' };
    await assert.rejects(
      sql`insert into mandate_texts ${sql({ ...forged, created_at: new Date(0) })}`,
      /mandate_texts.*check/,
    );
  });

  it('shows what the payer is asked while it is pending, and that no payer has agreed', async () => {
    const { id } = await here.pending();
    const reply = await fetch(id);
    const { html } = await stage.merchant.client.mandates.getText();
    assert.ok(reply.text.includes('What the payer is asked to agree to') && reply.text.includes(html));
    assert.match(reply.text, /The payer has not agreed\./);
    assert.equal(rows(reply).Agreed, undefined);
  });

  it('says of an imported mandate that the words are kept elsewhere', async () => {
    const acceptance = { type: 'imported', accepted_at: '2020-01-01T00:00:00Z', signatory_name: 'Jo' } as const;
    const { id } = await here.pending({ acceptance });
    const reply = await fetch(id);
    assert.match(reply.text, /The payer agreed with other words, which are not kept here\./);
    assert.doesNotMatch(reply.text, /<article>|I authorise/);
    assert.equal(rows(reply).Agreed, 'to another service, from which it was imported');
  });

  it('says when and why it ended', async () => {
    const { id } = await here.active();
    const { body } = await here.payerCancels(id);
    const { Status, Ended } = rows(await fetch(id));
    assert.equal(Status, 'canceled (payer_canceled)');
    assert.equal(Ended, `${body.ended_at.slice(0, 19).replace('T', ' ')} UTC`);
  });

  it('has no remark about the sandbox in live mode', async () => {
    const live = createMerchant(stage.api.url, stage.keys.liveSecret);
    const { id: customer_reference } = await live.customer();
    const { payment_method } = await live.client.paymentMethods.create({
      type: 'au_becs_debit',
      customer_reference,
      payment_method_data: { bsb_number: '062-000', account_name: 'Jo', account_number: '98765432' },
    });
    const { id } = await live.client.mandates.create({ payment_method_id: payment_method.id });
    const { status, text } = await live.request('GET', `/mandates/${id}/document`);
    assert.equal(status, 200);
    assert.doesNotMatch(text, /Sandbox/);
  });

  it('allows no script, and shows hostile names as text', async () => {
    const hostile = `<img src=x onerror=alert(1)>"'&`;
    await rename(hostile);
    const customer = await stage.merchant.customer({ name: hostile });
    const account = await here.account(customer.id, { account_name: hostile });
    const acceptance = await here.online({ signatory_name: hostile, user_agent: `${hostile}</td></article>` });
    const { id } = await here.pending({ payment_method_id: account, acceptance, frequency_text: hostile });
    const { text, headers } = await fetch(id);
    assert.doesNotMatch(text, /<img|<script|onerror=alert\(1\)>/);
    assert.equal(text.match(/&lt;img src=x onerror=alert\(1\)&gt;&quot;&#39;&amp;/g)?.length, 10);
    const policy = headers.get('content-security-policy') ?? '';
    for (const rule of ["default-src 'none'", "form-action 'none'", "base-uri 'none'", "frame-ancestors 'none'"]) {
      assert.ok(policy.split('; ').includes(rule), rule);
    }
    const [, style = ''] = /<style>([\s\S]*?)<\/style>/.exec(text) ?? [];
    const hash = createHash('sha256').update(style).digest('base64');
    assert.ok(policy.includes(`style-src 'sha256-${hash}'`));
    assert.doesNotMatch(text, / style=/);
    assert.equal(headers.get('cache-control'), 'no-store');
  });

  it('has no account number in it, nor has any response, event or log line of a mandate', async () => {
    const account = await here.account((await stage.merchant.customer()).id, { account_number: '777333555' });
    const mandate = await here.active({ payment_method_id: account });
    await here.charge(account);
    const replies = [await fetch(mandate.id), await stage.request('GET', '/mandates'), await here.cancel(mandate.id)];
    const seen = [
      ...replies.map(({ text }) => text),
      JSON.stringify([mandate, await stage.merchant.events(), stage.api.log]),
      JSON.stringify(await stage.db.sql`select * from mandates m, mandate_texts t, events e`),
    ];
    for (const text of seen) assert.doesNotMatch(text, /777333|333555/);
  });
});
