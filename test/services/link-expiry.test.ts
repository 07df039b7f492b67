import assert from 'node:assert/strict';
import { describe, it } from 'mocha';
import { addMs } from '../../src/domain/instants.ts';
import { realNow } from '../../src/platform/real-time.ts';
import { completeChallenge } from '../../src/services/payments/challenge-completion.ts';
import { useDebits } from '../support/debits.ts';
import { card, useLinks } from '../support/links.ts';
import { useStage } from '../support/stage.ts';
import { stuckBySubject } from '../support/stuck.ts';

const start = '2027-03-01T00:00:00Z';
const inHours = (hours: number) => new Date(Date.parse(start) + hours * 3_600_000).toISOString();

describe('the expiry of a link on a test clock', () => {
  const stage = useStage();
  const links = useLinks(stage);
  const expired = async (clockId: string) => (await stage.merchant.manifests(clockId)).map((one) => one.links_expired);

  it('comes when the clock reaches it, to the link and to its open session, each with one event', async () => {
    const { clock, payer } = await stage.merchant.customerOnClock(start);
    const link = await links.link({ customer_id: payer.id, expires_at: inHours(10) });
    const token = await links.open(link);
    await stage.advance(clock.id, inHours(9));
    assert.equal((await links.read(link)).status, 'open');
    await stage.advance(clock.id, inHours(10));
    const ended = await links.read(link);
    assert.deepEqual(
      [ended.status, ended.status_reason, ended.expired_at?.toISOString()],
      ['expired', 'time', inHours(10)],
    );
    const found = await links.find(token);
    assert.deepEqual([found?.state, found?.session.status_reason], ['expired', 'link_expired']);
    assert.deepEqual(await expired(clock.id), [0, 1]);
    const events = (await links.events()).filter((type) => type.includes('expired'));
    assert.deepEqual(events.sort(), ['checkout_session.expired', 'payment_link.expired']);
    assert.equal(links.outcome(await links.pay(token)), 'ended expired link_expired');
  });

  it('is counted once however the advance is split, and sessions are not counted', async () => {
    const ends = [];
    for (const split of [[60], [11, 30, 60], [10, 60]]) {
      const { clock, payer } = await stage.merchant.customerOnClock(start);
      const made = [];
      for (const hours of [10, 30, 50]) {
        made.push(await links.link({ customer_id: payer.id, expires_at: inHours(hours) }));
      }
      for (const link of made) await links.open(link);
      for (const hours of split) await stage.advance(clock.id, inHours(hours));
      const rows = await Promise.all(made.map(links.read));
      const total = (await expired(clock.id)).reduce((sum, count) => sum + count, 0);
      ends.push([total, ...rows.map((row) => row.expired_at?.toISOString())]);
      await stage.merchant.deleteClock(clock.id);
    }
    for (const end of ends) assert.deepEqual(end, [3, inHours(10), inHours(30), inHours(50)]);
  });

  it('waits for a bank debit that was begun in time: its success completes the link', async () => {
    const { link, clock, token } = await debited();
    await stage.advance(clock, inHours(20));
    const waiting = await links.read(link);
    assert.deepEqual([waiting.status, waiting.wake_at], ['open', null]);
    assert.equal((await links.find(token))?.state, 'processing');
    await stage.advance(clock, inHours(24 * 4));
    assert.equal((await links.read(link)).status, 'completed');
    assert.equal((await links.find(token))?.state, 'completed');
    assert.deepEqual(await expired(clock), [0, 0]);
  });

  it('waits for a bank debit that was begun in time: its failure expires the link at that instant', async () => {
    const { link, clock, token } = await debited('dishonoured');
    await stage.advance(clock, inHours(20));
    await stage.advance(clock, inHours(24 * 5));
    const ended = await links.read(link);
    assert.equal(ended.status, 'expired');
    const intent = (await links.find(token))?.intent;
    assert.equal(intent?.status, 'failed');
    assert.equal(ended.expired_at?.toISOString(), intent?.updated_at.toISOString());
    assert.deepEqual(await expired(clock), [0, 1]);
  });

  /** A link that expires after ten hours, and whose payer gives a mandate and pays by bank debit at once. */
  async function debited(outcome?: string) {
    const debits = useDebits({ merchant: stage.merchant, request: stage.request });
    const payer = await debits.payer();
    const { frozen_time } = await stage.merchant.getClock(payer.clock);
    assert.equal(new Date(frozen_time).toISOString(), new Date(start).toISOString());
    const metadata: Record<string, string> = outcome === undefined ? {} : { _sandbox_bank_outcome: outcome };
    const link = await links.link({
      customer_id: payer.customer,
      payment_method_types: ['au_becs_debit'],
      expires_at: inHours(10),
      metadata,
    });
    const token = await links.open(link);
    const submitted = await links.pay(token, { method: { id: payer.account } });
    assert.equal(links.outcome(submitted), 'processing');
    return { link, token, clock: payer.clock };
  }

  it('fails a challenge that waits for the payer, with authentication_required', async () => {
    const { clock, payer } = await stage.merchant.customerOnClock(start);
    const link = await links.link({
      customer_id: payer.id,
      expires_at: new Date(Date.parse(start) + 60_000).toISOString(),
    });
    const token = await links.open(link);
    await links.pay(token, { method: card('tok_sandbox_visa_3ds_required') });
    await stage.advance(clock.id, inHours(1));
    const found = await links.find(token);
    assert.deepEqual([found?.intent?.status, found?.intent?.last_error_code], ['failed', 'authentication_required']);
    assert.equal((await links.read(link)).status, 'expired');
    assert.equal(found?.state, 'expired');
    const events = await links.events();
    assert.deepEqual(events.filter((type) => /expired|failed/.test(type)).sort(), [
      'checkout_session.expired',
      'payment_intent.failed',
      'payment_link.expired',
    ]);
  });

  it('leaves a challenge 15 minutes: then the attempt fails, and the form is open again', async () => {
    const { clock, payer } = await stage.merchant.customerOnClock(start);
    const link = await links.link({ customer_id: payer.id });
    const token = await links.open(link);
    await links.pay(token, { method: card('tok_sandbox_visa_3ds_required') });
    await stage.advance(clock.id, new Date(Date.parse(start) + 14 * 60_000).toISOString());
    assert.equal((await links.find(token))?.state, 'challenge');
    await stage.advance(clock.id, inHours(1));
    const found = await links.find(token);
    assert.deepEqual([found?.state, found?.intent?.last_error_code], ['open', 'authentication_required']);
    assert.equal(links.outcome(await links.pay(token, { version: 1 })), 'completed');
  });

  it('is said by a dry run, which changes nothing', async () => {
    const { clock, payer } = await stage.merchant.customerOnClock(start);
    const link = await links.link({ customer_id: payer.id, expires_at: inHours(10) });
    await links.open(link);
    const path = `/test_helpers/test_clocks/${clock.id}/advance`;
    const { body } = await stage.request('POST', path, { frozen_time: inHours(24), dry_run: true });
    assert.equal(body.effects_manifest.links_expired, 1);
    assert.deepEqual(
      body.effects
        .map(({ object, changes }: { object: string; changes: { status: string } }) => `${object} ${changes.status}`)
        .sort(),
      ['checkout_session expired', 'payment_link expired'],
    );
    assert.equal((await links.read(link)).status, 'open');
    await stage.advance(clock.id, inHours(24));
    const { body: real } = await stage.request('GET', `/test_helpers/test_clocks/${clock.id}/effects`);
    const plain = ({ advance_id, event_id, ...effect }: Record<string, unknown>) => effect;
    assert.deepEqual(real.data.map(plain), body.effects.map(plain));
  });

  it('takes its URL along when the clock is deleted', async () => {
    const { clock, payer } = await stage.merchant.customerOnClock(start);
    const link = await links.link({ customer_id: payer.id, expires_at: inHours(10) });
    const token = await links.open(link);
    await stage.merchant.deleteClock(clock.id);
    assert.deepEqual([await links.start(link), await links.find(token)], [{ kind: 'unknown' }, null]);
  });

  it('keeps a payer waiting while the clock is advancing', async () => {
    const { clock, payer } = await stage.merchant.customerOnClock(start);
    const link = await links.link({ customer_id: payer.id });
    const token = await links.open(link);
    await stage.merchant.beginAdvance(clock.id, inHours(1));
    assert.deepEqual(await links.start(link), { kind: 'busy', reason: 'advancing' });
    assert.deepEqual(await links.pay(token), { kind: 'busy', reason: 'advancing' });
    await stage.carryOut(clock.id);
    assert.equal(links.outcome(await links.pay(token)), 'completed');
  });
});

describe('the expiry of a link in real time', () => {
  const stage = useStage();
  const links = useLinks(stage);

  it('is said by the door at its instant, before the workflow has written it', async () => {
    const link = await links.link({ expires_at: new Date(Number(realNow()) + 60_000).toISOString() });
    const token = await links.open(link);
    await stage.db.sql`update payment_links set expires_at = now() - interval '1 second' where id = ${link.id}`;
    assert.deepEqual(await links.start(link), { kind: 'ended', state: 'expired', reason: null });
    assert.equal((await links.find(token))?.state, 'expired');
    assert.equal(links.outcome(await links.pay(token)), 'ended expired ');
    assert.equal((await links.read(link)).status, 'open');
    assert.equal(stage.ledger.requests.length, 0);
  });

  it('is not written before its instant, whatever the clock of the workflow says', async () => {
    const link = await links.link({ expires_at: new Date(Number(realNow()) + 3_600_000).toISOString() });
    await stage.expireLink(link.id, realNow());
    assert.equal((await links.read(link)).status, 'open');
    await stage.expireLink(link.id, new Date(Number(realNow()) + 3_600_001));
    assert.equal((await links.read(link)).status, 'expired');
  });

  it('ends a session after its 24 hours, and a single-use link then opens another one', async () => {
    const link = await links.link();
    const token = await links.open(link);
    const found = await links.find(token);
    await stage.expireSession(found?.session.id ?? '', new Date(Number(realNow()) + 25 * 3_600_000));
    assert.deepEqual((await links.find(token))?.session.status_reason, 'time');
    assert.notEqual(await links.open(link), token);
  });

  it('does not stop an attempt in flight: a deactivated link counts it when it succeeds', async () => {
    const link = await links.link();
    const token = await links.open(link);
    stage.ledger.beforeAnswer = async () => {
      await links.deactivate(link);
    };
    assert.equal(links.outcome(await links.pay(token)), 'completed');
    const ended = await links.read(link);
    assert.deepEqual([ended.status, ended.payments_count, ended.collected_amount], ['deactivated', 1, 2500]);
    assert.ok((await links.events()).includes('payment_link.paid'));
  });

  it('refuses the payer and the biller alike once the link is deactivated', async () => {
    const link = await links.link();
    const token = await links.open(link);
    await links.pay(token, { method: card('tok_sandbox_visa_decline_insufficient_funds') });
    const intent = (await links.find(token))?.intent;
    await links.deactivate(link);
    assert.equal(links.outcome(await links.pay(token, { version: 1 })), 'ended expired link_deactivated');
    const { body: method } = await stage.request('POST', '/payment_methods', card().data);
    const confirm = { payment_method: method.payment_method.id };
    const reply = await stage.request('POST', `/payment_intents/${intent?.id}/confirm`, confirm);
    assert.deepEqual([reply.status, reply.body.error.code], [422, 'invalid_state']);
    assert.equal(stage.ledger.taken.size, 0);
  });

  it('completes a challenge after the link was deactivated, and counts it: a link with all its payments stays ended', async () => {
    const link = await links.link();
    const token = await links.open(link);
    await links.pay(token, { method: card('tok_sandbox_visa_3ds_required') });
    await links.deactivate(link);
    const intent = (await links.find(token))?.intent?.id ?? '';
    await completeChallenge(stage.db.sql, stage.charging.hook, await links.call(), intent, 'succeed');
    assert.equal((await links.read(link)).payments_count, 1);
    assert.equal((await links.find(token))?.state, 'completed');
    const renewed = await stage.request('POST', `/payment_links/${link.id}/renew`, {});
    assert.deepEqual([renewed.status, renewed.body.error.code], [422, 'invalid_state']);
    assert.equal((await links.read(link)).status, 'deactivated');
  });

  it('waits for an attempt that is slower than its time: the failure expires link and session, the success does not', async () => {
    for (const [token, expected] of [
      ['tok_sandbox_visa_decline_card_lost', ['expired', 'expired']],
      ['tok_sandbox_visa_succeed', ['completed', 'completed']],
    ] as const) {
      const link = await links.link({ expires_at: new Date(Number(realNow()) + 60_000).toISOString() });
      const page = await links.open(link);
      stage.ledger.beforeAnswer = async () => {
        await stage.expireLink(link.id, new Date(Number(realNow()) + 61_000));
        const waiting = await links.read(link);
        assert.deepEqual([waiting.status, waiting.wake_at], ['open', null]);
      };
      await links.pay(page, { method: card(token) });
      stage.ledger.beforeAnswer = async () => {};
      assert.deepEqual([(await links.read(link)).status, (await links.find(page))?.state], expected);
    }
  });

  it('fails a challenge that is approved after its 15 minutes or after the link, although its workflow is late', async () => {
    const soon = { expires_at: new Date(Number(realNow()) + 5 * 60_000).toISOString() };
    for (const [link, minutes, status] of [
      [await links.link(), 14, 'succeeded'],
      [await links.link(), 15, 'failed'],
      [await links.link(soon), 4, 'succeeded'],
      [await links.link(soon), 5, 'failed'],
    ] as const) {
      const token = await links.open(link);
      await links.pay(token, { method: card('tok_sandbox_visa_3ds_required') });
      const intent = (await links.find(token))?.intent?.id ?? '';
      const later = { ...(await links.call()), now: addMs(realNow(), minutes * 60_000) };
      const answered = await completeChallenge(stage.db.sql, stage.charging.hook, later, intent, 'succeed');
      assert.equal(answered.status, status, `${minutes} minutes`);
      assert.equal((await links.read(link)).payments_count, status === 'succeeded' ? 1 : 0);
    }
  });

  it('leaves no session open if its customer was deleted while its payment was under way', async () => {
    const customer = await stage.merchant.customer();
    const terms = { name: 'Invoice 1042', amount: 2500, currency: 'AUD', customer_id: customer.id };
    const { body } = await stage.request('POST', '/checkout_sessions', terms);
    const token = String(body.url).split('/').at(-1) ?? '';
    await links.pay(token, { method: card('tok_sandbox_visa_3ds_required') });
    await stage.request('DELETE', `/customers/${customer.id}`);
    const waiting = await links.find(token);
    assert.equal(waiting?.state, 'challenge');
    await completeChallenge(stage.db.sql, stage.charging.hook, await links.call(), waiting?.intent?.id ?? '', 'fail');
    const found = await links.find(token);
    assert.deepEqual([found?.session.status, found?.session.status_reason], ['expired', 'customer_deleted']);
  });

  it('leaves no session behind if the biller cancels its payment', async () => {
    const link = await links.link();
    const token = await links.open(link);
    await links.pay(token, { method: card('tok_sandbox_visa_3ds_required') });
    const intent = (await links.find(token))?.intent?.id ?? '';
    assert.equal((await stage.request('POST', `/payment_intents/${intent}/cancel`)).status, 200);
    const found = await links.find(token);
    assert.deepEqual([found?.state, found?.session.status_reason], ['expired', 'payment_canceled']);
    assert.notEqual(await links.open(link), token);
  });
});

describe('links and sessions that are stuck by what PostgreSQL knows', () => {
  const stage = useStage();
  const links = useLinks(stage);

  it('are those that have not ended five minutes after their time, each with how to free it', async () => {
    const hour = new Date(Number(realNow()) + 3_600_000).toISOString();
    const link = await links.link({ expires_at: hour });
    const session = (await links.find(await links.open(link)))?.session.id ?? '';
    const stuckOf = async (id: string) => (await stuckBySubject(stage.db.sql, id)).link_overdue;
    assert.deepEqual([await stuckOf(link.id), await stuckOf(session)], [undefined, undefined]);
    const late = new Date(Number(realNow()) - 6 * 60_000);
    await stage.db.sql`update payment_links set wake_at = ${late}, expires_at = ${late} where id = ${link.id}`;
    await stage.db.sql`update checkout_sessions set wake_at = ${late}, expires_at = ${late} where id = ${session}`;
    for (const id of [link.id, session]) {
      const stuck = await stuckOf(id);
      assert.equal(stuck?.since, late.toISOString());
      assert.ok(stuck?.remedy.includes(`recheck ${id} `), stuck?.remedy);
    }
    await stage.db.sql`update payment_links set wake_at = null where id = ${link.id}`;
    assert.equal((await stuckOf(link.id))?.why, 'it waited for a payment, and none is under way');
  });
});
