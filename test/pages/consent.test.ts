import assert from 'node:assert/strict';
import { describe, it } from 'mocha';
import { realNow } from '../../src/platform/real-time.ts';
import type { PaymentLinkCreate } from '../../src/resources/payment-link-input.ts';
import { useLinks } from '../support/links.ts';
import { type SeenPage, usePages } from '../support/pages.ts';
import { useStage } from '../support/stage.ts';

const account = {
  method: 'au_becs_debit',
  account_name: 'Jo Nguyen',
  bsb: '000-000',
  account_number: '12345678',
  agreed: 'yes',
};
/** How a payer pays: the fields of the form. */
const methods = {
  card: { method: 'tok_sandbox_visa_succeed' },
  challenge: { method: 'tok_sandbox_visa_3ds_required' },
  account,
} satisfies Record<string, Record<string, string>>;

/** A subject that a link names: what collects it until an instant, and that instant, the customer's time. */
interface Named {
  customer: string;
  applyTo: PaymentLinkCreate['apply_to'];
  collect: () => Promise<void>;
}

describe('what a page says is taken', () => {
  const stage = useStage();
  const links = useLinks(stage);
  const pages = usePages(stage);
  const today = () => realNow().toISOString().slice(0, 10);
  const dayFromNow = (days: number) => new Date(realNow().getTime() + days * 86_400_000).toISOString().slice(0, 10);
  const aMinuteOn = () => new Date(realNow().getTime() + 60_000);
  const declined = 'tok_sandbox_visa_decline_insufficient_funds';
  const lost = 'tok_sandbox_visa_decline_card_lost';

  async function plan(
    terms: object,
    { token, prepare }: { token?: string; prepare?: (id: string) => Promise<unknown> },
  ) {
    const { id: customer } = await stage.merchant.customer({
      fee_preferences: { customer_pays_transaction_fees: true },
    });
    await stage.merchant.card(customer, token);
    const { id } = await stage.merchant.plan({
      customer_id: customer,
      start_date: today(),
      recurring_amount_cents: 7500,
      frequency_type: 'monthly',
      name: 'Boat shed',
      ...terms,
    });
    await prepare?.(id);
    const applyTo = { payment_plan_id: id };
    return { customer, applyTo, collect: () => stage.collectAll(id, aMinuteOn()) };
  }
  const started = async (id: string) => {
    await stage.merchant.move(id, 'activate');
    await stage.collectAll(id, realNow());
  };

  async function subscription(terms: object = {}, prepare: (id: string) => Promise<unknown> = async () => {}) {
    const { id: customer } = await stage.merchant.customer();
    const id = await newSubscription(customer, terms);
    await prepare(id);
    const applyTo = { subscription_id: id };
    return { customer, applyTo, collect: () => stage.collectSubscriptionAll(id, aMinuteOn()) };
  }
  async function newSubscription(customer: string, terms: object): Promise<string> {
    const made = await stage.request('POST', '/subscriptions', {
      ...{ customer_id: customer, name: 'Boat shed', currency: 'AUD', frequency_type: 'monthly' },
      items: [{ name: 'Boat shed', unit_amount_cents: 4900 }],
      ...terms,
    });
    assert.equal(made.status, 201, made.text);
    return made.body.id;
  }
  /** One on a clock whose second period was declined. */
  async function unpaid(terms: object): Promise<Named> {
    const { clock, payer } = await stage.merchant.payerOnClock('2027-01-01T00:00:00Z');
    const metadata = { _sandbox_outcome_by_period: 'succeed;decline;succeed' };
    const id = await newSubscription(payer.id, { metadata, ...terms });
    await stage.request('POST', `/subscriptions/${id}/start`);
    await stage.advance(clock.id, '2027-02-01T12:00:00Z');
    const applyTo = { subscription_id: id };
    return { customer: payer.id, applyTo, collect: () => stage.collectSubscriptionAll(id, '2027-02-01T12:01:00Z') };
  }

  /** Everything that a link can name, in every state that decides what is collected. */
  const named: Record<string, () => Promise<Named>> = {
    'a customer alone': async () => {
      const { id } = await stage.merchant.customer();
      return { customer: id, applyTo: undefined, collect: async () => {} };
    },
    'a plan that is pending': () => plan({}, {}),
    'a plan that has collected': () => plan({}, { prepare: started }),
    'a plan that is due': () => plan({}, { prepare: (id) => stage.merchant.move(id, 'activate') }),
    'a plan between retries': () => plan({}, { token: declined, prepare: started }),
    'a plan that a failed payment has suspended': () => plan({}, { token: lost, prepare: started }),
    'a plan with its last payment unpaid': () => plan({ total_amount_cents: 5000 }, { token: lost, prepare: started }),
    'a plan that its biller has suspended': () =>
      plan(
        {},
        { token: declined, prepare: async (id) => [await started(id), await stage.merchant.move(id, 'suspend')] },
      ),
    'a subscription that is pending': () => subscription(),
    'a subscription of a later day': () => subscription({ start_date: dayFromNow(40) }),
    'a subscription with a trial': () => subscription({ trial_days: 14 }),
    'a subscription that is active': () =>
      subscription({}, async (id) => {
        const { body } = await stage.request('GET', `/subscriptions/${id}`);
        await stage.merchant.card(body.customer_id);
        await stage.request('POST', `/subscriptions/${id}/start`);
      }),
    'a subscription that is past due': () => unpaid({}),
    'a subscription that a failed payment has paused': () => unpaid({ failure_behaviour: 'stop' }),
    'a subscription that was canceled meanwhile': () => subscription(),
  };

  async function linkOf({ customer, applyTo }: Named, input: Partial<PaymentLinkCreate>) {
    const terms = applyTo === undefined ? {} : { apply_to: applyTo };
    const types = ['card', 'au_becs_debit'] as ('card' | 'au_becs_debit')[];
    return links.link({ customer_id: customer, payment_method_types: types, ...terms, ...input });
  }
  async function begin(link: Parameters<typeof links.tokenOf>[0]): Promise<[first: SeenPage, path: string]> {
    await stage.db.sql`delete from page_uses`;
    const path = `/pay/${links.tokenOf(link)}`;
    const first = await pages.open(path);
    const begun = await pages.post(path, first.hidden);
    assert.equal(begun.status, 303, begun.text);
    return [first, String(begun.headers.get('location'))];
  }
  const cents = (text: string | undefined) =>
    text === undefined ? 0 : Math.round(Number(text.replace(/,/g, '')) * 100);
  /** What a page says is taken at once: by the form, and by what the link names as soon as the form is done. */
  function said({ text }: SeenPage) {
    const [, now] = /Pay \$([\d.,]+\d)/.exec(text) ?? [];
    const [, further] =
      /As soon as this is (?:paid|saved), (?:a further )?\$([\d.,]+\d) is taken for “Boat shed”/.exec(text) ?? [];
    const isNothing = text.includes('No money is taken now');
    return { now: cents(now), further: cents(further), isNothing };
  }
  /** The totals of the attempts of the biller so far. */
  async function attempted(): Promise<number> {
    const [row] = await stage.db.sql<{ sum: number }[]>`
      select coalesce(sum(i.total_amount), 0)::integer as sum
      from payment_attempts a join payment_intents i on i.id = a.payment_intent_id
      where i.biller_id = ${stage.keys.biller.id}`;
    return row?.sum ?? 0;
  }

  for (const mode of ['setup', 'payment'] as const) {
    for (const [name, make] of Object.entries(named)) {
      for (const [way, fields] of Object.entries(methods)) {
        if (mode === 'setup' && way === 'challenge') continue;
        it(`is what is taken in the next minute: ${mode}, ${name}, by ${way}`, async () => {
          const subject = await make();
          const link = await linkOf(subject, { mode });
          if (name.includes('canceled')) {
            await stage.request('POST', `/subscriptions/${subject.applyTo?.subscription_id}/cancel`, { when: 'now' });
          }
          const [first, path] = await begin(link);
          const form = await pages.open(path);
          const { now, further, isNothing } = said(form);
          assert.equal(isNothing, now + further === 0, form.text);
          // The first page has no form to pay; it says the rest in the same words.
          assert.deepEqual({ ...said(first), now }, { now, further, isNothing }, first.text);
          const before = await attempted();
          const sent = await pages.post(path, { ...form.hidden, ...fields });
          assert.equal(sent.status, 303, sent.text);
          if (mode === 'payment' && way === 'challenge') {
            const [, bank = ''] = /href="(\/challenge\/[^"]+)"/.exec((await pages.open(path)).html) ?? [];
            await pages.post(bank, { ...(await pages.open(bank)).hidden, answer: 'approve' });
          }
          if (mode === 'payment' && way === 'account') {
            assert.equal((await attempted()) - before, now, 'the payment is on its way, and nothing else');
            const [intent] = await stage.db.sql`
              select id from payment_intents where payment_link_id = ${link.id}`;
            await stage.request('POST', `/test_helpers/payment_intents/${intent?.id}/bank_result`, {
              result: 'settled',
            });
          }
          await subject.collect();
          assert.equal((await attempted()) - before, now + further, form.text);
        });
      }
    }
  }

  it('is also when it is taken later, and how often', async () => {
    const terms = { start_date: dayFromNow(40), total_amount_cents: 30_000, frequency_period: 2 };
    const subject = await plan(terms, { prepare: (id) => stage.merchant.move(id, 'activate') });
    const { text } = await pages.open(`/checkout/${await links.open(await linkOf(subject, { mode: 'setup' }))}`);
    const inWords = new Date(dayFromNow(40)).toLocaleDateString('en-AU', { dateStyle: 'long' });
    const words = `“Boat shed” takes $76.61 on ${inWords}, $76.61 on `;
    assert.ok(text.includes('No money is taken now.') && text.includes(words), text);
    assert.match(text, /, and so on every 2 months until its total of \$300\.00 is reached\./);
  });

  it('asks again, and takes nothing, if anything that the page said has changed since it was shown', async () => {
    const subject = await subscription();
    const [, path] = await begin(await linkOf(subject, {}));
    const { hidden } = await pages.open(path);
    const id = subject.applyTo?.subscription_id;
    const changed = await stage.request('PUT', `/subscriptions/${id}`, {
      items: [{ name: 'Boat shed', unit_amount_cents: 9900 }],
    });
    assert.equal(changed.status, 200, changed.text);
    const again = await pages.post(path, { ...hidden, ...methods.card });
    assert.equal(again.status, 400);
    assert.ok(again.text.includes('What you will be charged has changed') && again.text.includes('$99.00'), again.text);
    const [at = '', version = '', code = ''] = String(hidden.form).split('.');
    const ofNew = String(again.hidden.form).split('.')[1] ?? '';
    assert.notEqual(version, ofNew);
    const forged = await pages.post(path, { ...hidden, form: [at, ofNew, code].join('.'), ...methods.card });
    assert.deepEqual([forged.status, await attempted()], [400, 0]);
    assert.equal((await pages.post(path, { ...again.hidden, ...methods.card })).status, 303);
    await subject.collect();
    assert.equal(await attempted(), 2500 + 9900);
  });

  it('shows the sum of a chosen amount and of what follows it before either is taken', async () => {
    const subject = await subscription();
    const [, path] = await begin(await linkOf(subject, { amount_range: { min: 500, max: 10_000 } }));
    const { hidden } = await pages.open(path);
    const shown = await pages.post(path, { ...hidden, ...methods.card, amount: '30' });
    assert.deepEqual([shown.status, await attempted()], [200, 0]);
    assert.ok(shown.text.includes('Together that is $79.00.'), shown.text);
    assert.ok(shown.text.includes('Pay $30.00, then $49.00'), shown.text);
    assert.equal((await pages.post(path, { ...shown.hidden, ...methods.card, amount: '30' })).status, 303);
  });

  describe('and that a way to pay is kept', () => {
    const consentOf = async (path: string) => {
      const found = await links.find(path.split('/').at(-1) ?? '');
      return (await stage.request('GET', `/checkout_sessions/${found?.session.id}`)).body.consent;
    };
    const forms = {
      'a link that always keeps it': [{ save_payment_method: 'always' }, {}, 'By paying, you allow'],
      'a link that offers it, to a payer who wants it': [
        { save_payment_method: 'offer' },
        { save: 'yes' },
        'Save this payment method: you allow',
      ],
      'a link that offers it, to a payer who does not': [{ save_payment_method: 'offer' }, {}, null],
      'a link that does not keep it': [{ save_payment_method: 'no' }, {}, null],
      'a link that saves it': [{ mode: 'setup' }, {}, 'By saving, you allow'],
    } as const;
    for (const [name, [input, fields, words]] of Object.entries(forms)) {
      it(`is said beside the button, and stored as it was said: ${name}`, async () => {
        const { id } = await stage.merchant.customer();
        const [, path] = await begin(await links.link({ customer_id: id, ...input }));
        const { hidden, text } = await pages.open(path);
        const headers = { 'User-Agent': 'Browser 1.0' };
        const paid = await pages.post(path, { ...hidden, ...methods.card, ...fields }, headers);
        assert.ok(paid.headers.get('location')?.startsWith(`${path}/done?payer=`), paid.text);
        const consent = await consentOf(path);
        if (words === null) return assert.equal(consent, null);
        const { text: agreed, accepted_at: at, ...from } = consent;
        for (const line of agreed.split('\n')) assert.ok(text.includes(line), `${line}: ${text}`);
        assert.ok(agreed.includes(words) && agreed.includes('without asking you again'), agreed);
        assert.ok(Math.abs(new Date(at).getTime() - realNow().getTime()) < 60_000);
        assert.deepEqual(from, { ip_address: '127.0.0.1', user_agent: 'Browser 1.0' });
      });
    }
  });
});
