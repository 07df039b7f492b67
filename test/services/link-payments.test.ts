import assert from 'node:assert/strict';
import { describe, it } from 'mocha';
import { realNow } from '../../src/platform/real-time.ts';
import { completeChallenge } from '../../src/services/payments/challenge-completion.ts';
import { card, useLinks } from '../support/links.ts';
import { useStage } from '../support/stage.ts';

describe('a payment by a link', () => {
  const stage = useStage();
  const links = useLinks(stage);

  it('completes the link, makes the customer, and sends each event once', async () => {
    const link = await links.link();
    const token = await links.open(link);
    assert.equal(links.outcome(await links.pay(token)), 'completed');
    const paid = await links.read(link);
    assert.deepEqual([paid.status, paid.payments_count, paid.collected_amount], ['completed', 1, 2500]);
    const found = await links.find(token);
    assert.equal(found?.intent?.status, 'succeeded');
    assert.deepEqual(
      [found?.intent?.payment_link_id, found?.intent?.checkout_session_id],
      [link.id, found?.session.id],
    );
    assert.equal(found?.customer?.email, 'jo@example.com');
    assert.deepEqual(await links.events(), [
      'payment_link.created',
      'payment_intent.succeeded',
      'payment_link.paid',
      'payment_link.completed',
      'checkout_session.completed',
    ]);
    assert.deepEqual(await links.start(link), { kind: 'ended', state: 'completed', reason: null });
  });

  it('is one session and one payment for all pages of a single-use link', async () => {
    const link = await links.link();
    const tokens = await Promise.all([links.open(link), links.open(link), links.open(link)]);
    assert.equal(new Set(tokens).size, 1);
    const [token = ''] = tokens;
    const outcomes = await Promise.all([links.pay(token), links.pay(token), links.pay(token)]);
    assert.ok(outcomes.map(links.outcome).includes('completed'));
    assert.equal(stage.ledger.taken.size, 1);
    const rows = await stage.db.sql`select id from payment_intents where payment_link_id = ${link.id}`;
    assert.equal(rows.length, 1);
  });

  it('opens the form again after a decline, and charges another card', async () => {
    const link = await links.link();
    const token = await links.open(link);
    const declined = await links.pay(token, { method: card('tok_sandbox_visa_decline_insufficient_funds') });
    assert.equal(links.outcome(declined), 'open');
    const found = await links.find(token);
    assert.deepEqual([found?.intent?.last_error_code, found?.session.submissions], ['insufficient_funds', 1]);
    assert.equal(links.outcome(await links.pay(token, { version: 1 })), 'completed');
  });

  it('returns the result of the first submission to a second one of the same form', async () => {
    const token = await links.open(await links.link());
    const decline = { method: card('tok_sandbox_visa_decline_insufficient_funds') };
    await links.pay(token, decline);
    assert.equal(links.outcome(await links.pay(token, { method: card() })), 'open');
    assert.equal(stage.ledger.requests.length, 1);
    assert.deepEqual(await links.pay(token, { version: 7 }), { kind: 'stale' });
  });

  it('ends a session after ten failed attempts; the link opens another one', async () => {
    const link = await links.link();
    const token = await links.open(link);
    for (let version = 0; version < 10; version++) {
      await links.pay(token, { version, method: card('tok_sandbox_visa_decline_card_lost') });
    }
    const found = await links.find(token);
    assert.deepEqual([found?.state, found?.session.status_reason], ['expired', 'too_many_attempts']);
    assert.equal(links.outcome(await links.pay(token, { version: 10 })), 'ended expired too_many_attempts');
    assert.notEqual(await links.open(link), token);
  });

  it('detaches the card of a payer who does not want it kept, and keeps it if the link says always', async () => {
    const token = await links.open(await links.link());
    await links.pay(token);
    const kept = await links.open(await links.link({ save_payment_method: 'always' }));
    await links.pay(kept);
    const detached = async (of: string) => {
      const found = await links.find(of);
      const [row] = await stage.db.sql`
        select detached_at, customer_id from payment_methods where id = ${found?.session.payment_method_id ?? ''}`;
      return [row?.detached_at !== null, row?.customer_id === found?.customer?.id];
    };
    assert.deepEqual(
      [await detached(token), await detached(kept)],
      [
        [true, true],
        [false, true],
      ],
    );
  });

  it('keeps no card that was declined, and a saved card that was declined stays', async () => {
    const customer = await stage.merchant.customer();
    const saved = await stage.merchant.card(customer.id, 'tok_sandbox_visa_decline_insufficient_funds');
    const link = await links.link({ customer_id: customer.id, save_payment_method: 'always' });
    const token = await links.open(link);
    const isDeclined = card('tok_sandbox_visa_decline_card_lost');
    await links.pay(token, { method: isDeclined });
    await links.pay(token, { version: 1, method: { id: saved } });
    await links.pay(token, { version: 2, method: isDeclined });
    const methods = async () => {
      const rows = await stage.db.sql<{ id: string }[]>`
        select id from payment_methods where customer_id = ${customer.id} and detached_at is null order by id`;
      return rows.map(({ id }) => id);
    };
    assert.deepEqual(await methods(), [saved]);
    assert.equal(links.outcome(await links.pay(token, { version: 3 })), 'completed');
    assert.equal((await methods()).length, 2);
  });

  it('takes the amount that the payer chooses within the range, and another one after a decline', async () => {
    const link = await links.link({ amount_range: { min: 500, max: 9000 }, max_payments: null });
    const token = await links.open(link);
    const refused = await links.pay(token, { amount: 499 });
    assert.equal(refused.kind === 'invalid' && refused.errors[0]?.code, 'out_of_range');
    await links.pay(token, { amount: 800, method: card('tok_sandbox_visa_decline_insufficient_funds') });
    assert.equal(links.outcome(await links.pay(token, { version: 1, amount: 700 })), 'completed');
    assert.equal((await links.read(link)).collected_amount, 700);
    assert.equal((await links.read(link)).status, 'open');
  });

  it('charges the total of a chosen amount as it is now, not as it was before a decline', async () => {
    const customer = await stage.merchant.customer({ fee_preferences: { customer_pays_transaction_fees: true } });
    const link = await links.link({ amount_range: { min: 500, max: 9000 }, customer_id: customer.id });
    const token = await links.open(link);
    await links.pay(token, { amount: 800, method: card('tok_sandbox_visa_decline_insufficient_funds') });
    const fee_preferences = { customer_pays_transaction_fees: false };
    await stage.request('PUT', `/customers/${customer.id}`, { fee_preferences });
    await links.pay(token, { version: 1, amount: 800 });
    assert.equal((await links.find(token))?.intent?.total_amount, 800);
  });

  it('goes on when the biller cancels the payment of an amount that the payer has given up', async () => {
    const link = await links.link({ amount_range: { min: 500, max: 9000 } });
    const token = await links.open(link);
    await links.pay(token, { amount: 800, method: card('tok_sandbox_visa_decline_insufficient_funds') });
    const givenUp = (await links.find(token))?.intent?.id ?? '';
    await links.pay(token, { version: 1, amount: 700, method: card('tok_sandbox_visa_3ds_required') });
    assert.equal((await stage.request('POST', `/payment_intents/${givenUp}/cancel`)).status, 200);
    const found = await links.find(token);
    assert.equal(found?.state, 'challenge');
    assert.equal(await links.open(link), token);
    await completeChallenge(stage.db.sql, stage.charging.hook, await links.call(), found?.intent?.id ?? '', 'succeed');
    const { status, payments_count, collected_amount } = await links.read(link);
    assert.deepEqual([status, payments_count, collected_amount], ['completed', 1, 700]);
  });

  it('is one payment when two pages of a session send different amounts at once, and the other is told to wait', async () => {
    for (let round = 0; round < 10; round++) {
      const link = await links.link({ amount_range: { min: 500, max: 9000 } });
      const token = await links.open(link);
      const tabs = [700, 800, 900].map((amount) => links.pay(token, { amount }));
      const outcomes = (await Promise.all(tabs)).map(links.outcome);
      assert.ok(outcomes.includes('completed'), outcomes.join());
      const known = ['completed', 'processing', 'busy processing'];
      assert.deepEqual(
        outcomes.filter((outcome) => !known.includes(outcome)),
        [],
      );
      assert.equal((await links.read(link)).payments_count, 1);
    }
  });

  it('refuses a payer who leaves out what the link requires, and a way to pay that it does not offer', async () => {
    const token = await links.open(await links.link({ collect: { phone: 'required' } }));
    const refused = await links.pay(token, { details: { email: 'nobody' } });
    assert.deepEqual(refused.kind === 'invalid' ? refused.errors.map(({ path, code }) => `${path} ${code}`) : refused, [
      '/details/email invalid_format',
      '/details/name parameter_missing',
      '/details/phone parameter_missing',
    ]);
    const account = {
      type: 'au_becs_debit',
      payment_method_data: { bsb_number: '000-000', account_name: 'Jo', account_number: '123456' },
    } as const;
    const other = await links.pay(token, {
      method: { data: account },
      details: { name: 'Jo', email: 'a@b.co', phone: '1' },
    });
    assert.equal(other.kind === 'invalid' && other.errors[0]?.path, '/method');
  });

  it('waits for the challenge of the bank, then completes', async () => {
    const link = await links.link();
    const token = await links.open(link);
    const challenged = await links.pay(token, { method: card('tok_sandbox_visa_3ds_required') });
    assert.equal(links.outcome(challenged), 'challenge');
    const found = await links.find(token);
    const call = await links.call();
    await completeChallenge(stage.db.sql, stage.charging.hook, call, found?.intent?.id ?? '', 'succeed');
    assert.equal((await links.find(token))?.state, 'completed');
    assert.equal((await links.read(link)).status, 'completed');
  });

  it('is refused by a session whose mode is setup, and by an unknown token', async () => {
    const customer = await stage.merchant.customer();
    const token = await links.open(await links.link({ mode: 'setup', customer_id: customer.id }));
    assert.deepEqual(await links.pay(token), { kind: 'unknown' });
    assert.deepEqual(await links.pay('0'.repeat(32)), { kind: 'unknown' });
  });
});

describe('a setup link', () => {
  const stage = useStage();
  const links = useLinks(stage);

  it('saves the method of the payer, takes no money, and counts it', async () => {
    const customer = await stage.merchant.customer();
    const link = await links.link({ mode: 'setup', customer_id: customer.id });
    const token = await links.open(link);
    assert.equal(links.outcome(await links.save(token)), 'completed');
    const done = await links.read(link);
    assert.deepEqual([done.status, done.payments_count, done.collected_amount], ['completed', 1, 0]);
    assert.equal(stage.ledger.requests.length, 0);
    const [method] = await stage.db.sql`select customer_id, detached_at from payment_methods
      where id = ${(await links.find(token))?.session.payment_method_id ?? ''}`;
    assert.deepEqual({ ...method }, { customer_id: customer.id, detached_at: null });
    const events = await links.events();
    assert.ok(events.includes('payment_link.completed') && !events.includes('payment_link.paid'), events.join());
  });

  it('resumes a suspended plan: the new card becomes its instrument, and the unpaid payment is collected', async () => {
    const customer = await stage.merchant.customer();
    await stage.merchant.card(customer.id, 'tok_sandbox_visa_decline_card_lost');
    const today = realNow().toISOString().slice(0, 10);
    const plan = await stage.merchant.activePlan({ customer_id: customer.id, start_date: today });
    await stage.collectAll(plan.id, realNow());
    assert.equal((await stage.merchant.getPlan(plan.id)).state_reason, 'payment_failed');
    const link = await links.link({ mode: 'setup', customer_id: customer.id, apply_to: { payment_plan_id: plan.id } });
    const token = await links.open(link);
    assert.equal(links.outcome(await links.save(token)), 'completed');
    const continued = await stage.merchant.getPlan(plan.id);
    assert.equal(continued.state, 'active');
    assert.equal(continued.payment_instrument_id, (await links.find(token))?.session.payment_method_id);
    await stage.collectAll(plan.id, realNow());
    assert.deepEqual(
      (await stage.merchant.payments(plan.id)).map(({ status }) => status),
      ['paid'],
    );
  });

  it('leaves a plan as it is if the card was detached before the challenge of its payment was passed', async () => {
    const customer = await stage.merchant.customer();
    await stage.merchant.card(customer.id);
    const today = realNow().toISOString().slice(0, 10);
    const plan = await stage.merchant.plan({ customer_id: customer.id, start_date: today });
    const link = await links.link({ customer_id: customer.id, apply_to: { payment_plan_id: plan.id } });
    const token = await links.open(link);
    await links.pay(token, { method: card('tok_sandbox_visa_3ds_required') });
    const intent = (await links.find(token))?.intent;
    await stage.request('POST', `/payment_methods/${intent?.payment_method_id}/detach`);
    await completeChallenge(stage.db.sql, stage.charging.hook, await links.call(), intent?.id ?? '', 'succeed');
    assert.equal((await links.read(link)).status, 'completed');
    assert.equal((await stage.merchant.getPlan(plan.id)).payment_instrument_id, plan.payment_instrument_id);
  });
});
