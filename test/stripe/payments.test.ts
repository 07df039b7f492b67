import assert from 'node:assert/strict';
import { describe, it } from 'mocha';
import { rigKey } from '../../lab/stripe-rig/servers.ts';
import { writeAccount } from '../../processors/stripe/accounts.ts';
import { sealingKeys, useStripe } from './support.ts';

describe('a payment by Stripe', function () {
  this.timeout(60_000);
  const stripe = useStripe();

  const charge = ({ key, body, reference }: { key: string; body: object; reference: string }) =>
    stripe.call('/charges', { ...body, reference }, key);
  const inquire = async (reference: string) => (await stripe.call('/inquire', { reference })).body.outcome;
  const atStripe = async (path: string, form?: Record<string, string>) => {
    const response = await fetch(`${stripe.rig.localstripe().url}/v1/${path}`, {
      method: form ? 'POST' : 'GET',
      headers: { authorization: `Bearer ${rigKey}` },
      ...(form && { body: new URLSearchParams(form) }),
    });
    return (await response.json()) as Record<string, unknown>;
  };
  const taken = async (key: string) => (await stripe.rig.judge()).successesOfAttempt.get(key) ?? 0;

  afterEach('Stripe’s own document takes every request', async () => {
    assert.deepEqual(await stripe.rig.shadow.complaints(), []);
  });

  it('is reserved without money, and a key reserves one payment even if other members differ', async () => {
    const first = await stripe.reserved(await stripe.card());
    const again = { ...first.body, payment_intent_id: 'pi_2', metadata: { other: 'yes' } };
    assert.equal((await stripe.call('/prepare', again, first.key)).body.reference, first.reference);
    assert.equal(await inquire(first.reference), 'not_charged');
    assert.equal(await taken(first.key), 0);
    const other = await stripe.call('/prepare', { ...first.body, amount: 5 }, first.key);
    assert.deepEqual([other.status, other.body.outcome], [400, undefined]);
  });

  it('is charged once by twenty calls at once, and one more later', async () => {
    const reserved = await stripe.reserved(await stripe.card());
    const answers = await Promise.all(Array.from({ length: 20 }, () => charge(reserved)));
    for (const { body, status } of answers) {
      assert.ok(body.outcome === 'succeeded' || (body.outcome === undefined && status === 409), JSON.stringify(body));
    }
    assert.equal((await charge(reserved)).body.outcome, 'succeeded');
    assert.equal(await inquire(reserved.reference), 'succeeded');
    assert.equal(await taken(reserved.key), 1);
  });

  it('is declined for good: the intent is canceled before the decline is told, and nobody can confirm it', async () => {
    const reserved = await stripe.reserved(await stripe.card('declined'));
    const answer = await charge(reserved);
    assert.deepEqual([answer.status, answer.body.outcome, answer.body.code], [402, 'failed', 'card_declined']);
    assert.equal((await atStripe(`payment_intents/${reserved.reference}`)).status, 'canceled');
    assert.equal((await charge(reserved)).body.outcome, 'failed');
    assert.equal(await inquire(reserved.reference), 'failed');
    assert.equal((await stripe.rig.judge()).charges.get(reserved.reference), 1);
  });

  for (const [said, code] of [
    [{ code: 'card_declined', decline_code: 'insufficient_funds' }, 'insufficient_funds'],
    [{ code: 'expired_card', decline_code: null }, 'expired_card'],
    [{ code: 'processing_error', decline_code: 'processing_error' }, 'gateway_timeout'],
    [{ code: 'card_declined', decline_code: 'do_not_honor' }, 'card_declined'],
  ] as const) {
    it(`is declined with ${code} if Stripe says ${said.decline_code ?? said.code}`, async () => {
      const token = await stripe.card('declined');
      stripe.rig.bridge.declineAs(token, said as never);
      const answer = await charge(await stripe.reserved(token));
      assert.deepEqual([answer.body.outcome, answer.body.code], ['failed', code]);
    });
  }

  const returnUrl = 'https://pay.example.com/challenge/pi_1_x';
  /** A reservation whose payer is there. */
  async function attended() {
    const body = stripe.payment(await stripe.card('challenge'), { attended: true, return_url: returnUrl });
    const key = `att_${crypto.randomUUID().slice(0, 8)}`;
    const { reference } = (await stripe.call('/prepare', body, key)).body;
    return { key, body, reference: String(reference) };
  }
  async function answerAtBank(reference: string, success: boolean) {
    const { client_secret } = await atStripe(`payment_intents/${reference}`);
    const form = { client_secret: String(client_secret), success: String(success) };
    return atStripe(`payment_intents/${reference}/_authenticate`, form);
  }

  it('that needs its payer says where to send him, in each answer while that is open, and is charged once', async () => {
    const reserved = await attended();
    const answers = [await charge(reserved), await charge(reserved), await stripe.call('/inquire', reserved)];
    for (const { status, body } of answers) {
      assert.deepEqual([status, body.outcome], [200, 'requires_action']);
      const { redirect_url } = body.next_action as { redirect_url: string };
      assert.match(redirect_url, new RegExp(`/3ds/${reserved.reference}$`));
    }
    assert.equal(await taken(reserved.key), 0);
    await answerAtBank(reserved.reference, true);
    assert.equal(await inquire(reserved.reference), 'succeeded');
    assert.equal((await charge(reserved)).body.outcome, 'succeeded');
    assert.equal(await taken(reserved.key), 1);
  });

  it('whose payer fails the challenge is declined for good with authentication_required', async () => {
    const reserved = await attended();
    await charge(reserved);
    await answerAtBank(reserved.reference, false);
    const { body } = await stripe.call('/inquire', { reference: reserved.reference });
    assert.deepEqual([body.outcome, body.code], ['failed', 'authentication_required']);
    assert.equal((await atStripe(`payment_intents/${reserved.reference}`)).status, 'canceled');
    assert.equal((await charge(reserved)).body.outcome, 'failed');
  });

  it('whose challenge is given up is canceled, and cannot be passed later; one that was passed first is paid', async () => {
    const [left, passed] = [await attended(), await attended()];
    for (const each of [left, passed]) await charge(each);
    await answerAtBank(passed.reference, true);
    assert.equal((await stripe.call('/cancel', { reference: left.reference })).body.outcome, 'canceled');
    assert.equal((await stripe.call('/cancel', { reference: passed.reference })).body.outcome, 'succeeded');
    await answerAtBank(left.reference, true);
    assert.equal(await inquire(left.reference), 'canceled');
    assert.deepEqual([await taken(left.key), await taken(passed.key)], [0, 1]);
  });

  it('whose payer is there is charged at once if the card needs nothing', async () => {
    const token = await stripe.card();
    const body = stripe.payment(token, { attended: true, return_url: returnUrl });
    const { reference } = (await stripe.call('/prepare', body, 'att_frictionless')).body;
    const answer = await charge({ key: 'att_frictionless', body, reference: String(reference) });
    assert.equal(answer.body.outcome, 'succeeded');
  });

  it('is confirmed as it was reserved, also by a process that does not know where the payer comes back to', async () => {
    const reserved = await attended();
    const { attended: _, return_url: __, ...unattended } = reserved.body as Record<string, unknown>;
    const asked = [unattended, reserved.body].map((body) => charge({ ...reserved, body }));
    // Of two at once, one that Stripe is busy with has no outcome.
    const told = (await Promise.all(asked)).flatMap(({ body }) => body.outcome ?? []);
    assert.deepEqual([...new Set(told)], ['requires_action']);
    const alone = await stripe.reserved(await stripe.card('challenge'));
    const late = await charge({ ...alone, body: { ...alone.body, attended: true, return_url: returnUrl } });
    assert.deepEqual([late.body.outcome, late.body.code], ['failed', 'authentication_required']);
  });

  it('that would need the payer fails with authentication_required, and is canceled', async () => {
    const reserved = await stripe.reserved(await stripe.card('challenge'));
    const answer = await charge(reserved);
    assert.deepEqual([answer.body.outcome, answer.body.code], ['failed', 'authentication_required']);
    assert.equal((await atStripe(`payment_intents/${reserved.reference}`)).status, 'canceled');
    assert.equal(await taken(reserved.key), 0);
  });

  it('is never charged after it was canceled', async () => {
    const reserved = await stripe.reserved(await stripe.card());
    assert.equal((await stripe.call('/cancel', { reference: reserved.reference })).body.outcome, 'canceled');
    assert.equal((await charge(reserved)).body.outcome, 'rejected');
    assert.equal(await inquire(reserved.reference), 'canceled');
    assert.equal(await taken(reserved.key), 0);
  });

  it('that was charged is not canceled: the outcome is told', async () => {
    const reserved = await stripe.reserved(await stripe.card());
    await charge(reserved);
    assert.equal((await stripe.call('/cancel', { reference: reserved.reference })).body.outcome, 'succeeded');
    assert.equal(await taken(reserved.key), 1);
  });

  it('that somebody has canceled in Stripe’s dashboard is told as canceled', async () => {
    const reserved = await stripe.reserved(await stripe.card());
    await atStripe(`payment_intents/${reserved.reference}/cancel`, {});
    assert.equal((await charge(reserved)).body.outcome, 'rejected');
    assert.equal(await inquire(reserved.reference), 'canceled');
  });

  it('that somebody has confirmed in Stripe’s dashboard is told as paid, and not charged again', async () => {
    const reserved = await stripe.reserved(await stripe.card());
    await atStripe(`payment_intents/${reserved.reference}/confirm`, {});
    assert.equal((await charge(reserved)).body.outcome, 'succeeded');
    assert.equal(await taken(reserved.key), 1);
  });

  it('whose answer is lost has no outcome, and is found as paid when it is asked for', async () => {
    const reserved = await stripe.reserved(await stripe.card());
    stripe.rig.faults.plan(/POST .*\/confirm/, { kind: 'reset_answer', at: 0 });
    const lost = await charge(reserved);
    assert.deepEqual([lost.status, lost.body.outcome], [503, undefined]);
    assert.equal(await inquire(reserved.reference), 'succeeded');
    assert.equal((await charge(reserved)).body.outcome, 'succeeded');
    assert.equal(await taken(reserved.key), 1);
  });

  for (const status of [409, 429, 500, 503] as const) {
    it(`has no outcome if Stripe responds ${status} to the confirmation, and nothing was taken`, async () => {
      const reserved = await stripe.reserved(await stripe.card());
      stripe.rig.faults.plan(/POST .*\/confirm/, { kind: 'status', status, when: 'before' });
      const answer = await charge(reserved);
      assert.equal(answer.body.outcome, undefined);
      assert.equal(await taken(reserved.key), 0);
      assert.equal((await charge(reserved)).body.outcome, 'succeeded');
      assert.equal(await taken(reserved.key), 1);
    });
  }

  it('whose decline was lost is not charged a second time', async () => {
    const reserved = await stripe.reserved(await stripe.card('declined'));
    stripe.rig.faults.plan(/POST .*\/confirm/, { kind: 'reset_answer', at: 0 });
    assert.equal((await charge(reserved)).body.outcome, undefined);
    stripe.rig.keys.age(25 * 3_600_000);
    assert.equal((await charge(reserved)).body.outcome, 'failed');
    assert.equal((await stripe.rig.judge()).charges.get(reserved.reference), 1);
  });

  it('is not confirmed later than 23 hours after it was reserved', async () => {
    const reserved = await stripe.reserved(await stripe.card());
    await stripe.sql`
      update processor_stripe.reservations set reserved_at = now() - interval '23 hours 1 minute'
      where reference = ${reserved.reference}`;
    assert.equal((await charge(reserved)).body.outcome, 'rejected');
    assert.equal(await taken(reserved.key), 0);
  });

  it('is found again by its attempt if this database has lost it and the other members differ', async () => {
    const reserved = await stripe.reserved(await stripe.card());
    await stripe.sql`delete from processor_stripe.reservations where reference = ${reserved.reference}`;
    const again = await stripe.call('/prepare', { ...reserved.body, payment_intent_id: 'pi_other' }, reserved.key);
    assert.equal(again.body.reference, reserved.reference);
  });

  it('is known by its reference for ever: what this database has lost is read from Stripe', async () => {
    const [open, paid] = [await stripe.reserved(await stripe.card()), await stripe.reserved(await stripe.card())];
    await charge(paid);
    await stripe.sql`
      delete from processor_stripe.reservations where reference in (${open.reference}, ${paid.reference})`;
    assert.equal(await inquire(open.reference), 'not_charged');
    assert.equal(await inquire(paid.reference), 'succeeded');
    assert.equal((await charge(open)).body.outcome, 'succeeded');
    assert.equal((await charge(paid)).body.outcome, 'succeeded');
    assert.deepEqual([await taken(open.key), await taken(paid.key)], [1, 1]);
  });

  it('is known by its reference although its key has reserved another one since', async () => {
    const lost = await stripe.reserved(await stripe.card());
    await charge(lost);
    await stripe.sql`delete from processor_stripe.reservations where reference = ${lost.reference}`;
    stripe.rig.keys.age(25 * 3_600_000);
    const later = await stripe.call('/prepare', lost.body, lost.key);
    assert.notEqual(later.body.reference, lost.reference);
    assert.equal(await inquire(lost.reference), 'succeeded');
    assert.equal(await inquire(String(later.body.reference)), 'not_charged');
  });

  it('of a method without a Stripe customer gets one, and the method can be charged again', async () => {
    const token = await stripe.card();
    for (let times = 0; times < 2; times++) {
      assert.equal((await charge(await stripe.reserved(token))).body.outcome, 'succeeded');
    }
    assert.match(String((await atStripe(`payment_methods/${token}`)).customer), /^cus_/);
  });

  it('of a method that Stripe does not know is rejected', async () => {
    const answer = await stripe.call('/prepare', stripe.payment('pm_unknown'), 'att_unknown');
    assert.deepEqual([answer.status, answer.body.outcome], [422, 'rejected']);
  });

  it('of another account is unknown under its reference', async () => {
    const reserved = await stripe.reserved(await stripe.card());
    const other = { account: 'acct_other', livemode: false };
    await writeAccount(stripe.sql, sealingKeys, other, { key: rigKey, by: 'test' });
    for (const path of ['/inquire', '/cancel', '/charges']) {
      const answer = await stripe.call(path, { ...reserved.body, ...reserved, ...other }, reserved.key);
      assert.deepEqual([answer.status, answer.body.outcome], [404, undefined]);
    }
    assert.equal(await inquire(reserved.reference), 'not_charged');
  });
});
