import assert from 'node:assert/strict';
import { describe, it } from 'mocha';
import type { BankOutcomeWord } from '../../src/domain/schemes/sandbox-debits.ts';
import { type Debtor, useDebits } from '../support/debits.ts';
import { useStage } from '../support/stage.ts';

interface Expected {
  /** What the payment's events say after `processing`, oldest first, and its status in the end. */
  told: ('succeeded' | 'failed' | 'returned')[];
  code: string | null;
  bankCode: string | null;
  mandate: string;
  /** State and reason of a plan of one payment that stops at a failure. */
  plan: string;
  /** The same of a subscription in its first period, which was in effect before the result. */
  subscription: string;
}

const settled: Expected = {
  told: ['succeeded'],
  code: null,
  bankCode: null,
  mandate: 'active null',
  plan: 'closed total_collected',
  subscription: 'active null true',
};
const refused = (code: string, bankCode: string | null, mandate: string): Expected => ({
  told: ['failed'],
  code,
  bankCode,
  mandate,
  plan: 'suspended payment_failed',
  subscription: 'paused payment_failed false',
});
const returned = (code: string, bankCode: string | null, mandate: string): Expected => ({
  told: ['succeeded', 'returned'],
  code,
  bankCode,
  mandate,
  plan: 'closed payment_returned',
  subscription: 'paused payment_failed false',
});

/** Every word of `_sandbox_bank_outcome`. */
const bankOutcomes: Record<BankOutcomeWord, Expected> = {
  settled,
  dishonoured: refused('insufficient_funds', '6', 'active null'),
  account_invalid: refused('account_invalid', '1', 'failed account_invalid'),
  account_closed: refused('account_closed', '3', 'failed account_closed'),
  account_holder_deceased: refused('account_holder_deceased', '4', 'failed account_holder_deceased'),
  payment_stopped: refused('payment_stopped', '2', 'canceled payment_stopped'),
  mandate_canceled: refused('payment_stopped', '2', 'canceled payment_stopped'),
  late_dishonour: returned('insufficient_funds', '6', 'active null'),
  disputed: returned('debit_disputed', null, 'canceled debit_disputed'),
};

/** Those of `_sandbox_outcome`, as far as a debit knows them: the last two fail when the bank gets it. */
const outcomes: Record<string, Expected> = {
  decline: refused('insufficient_funds', '6', 'active null'),
  timeout: refused('gateway_timeout', null, 'active null'),
  requires_action: refused('authentication_required', null, 'active null'),
};

const expected: [metadata: Record<string, string>, Expected][] = [
  ...Object.entries(bankOutcomes).map(
    ([word, of]) => [{ _sandbox_bank_outcome: word }, of] as [Record<string, string>, Expected],
  ),
  ...Object.entries(outcomes).map(
    ([word, of]) => [{ _sandbox_outcome: word }, of] as [Record<string, string>, Expected],
  ),
];

/** A debit that is charged on Tuesday, 2 March 2027, reported on Thursday, and can come back until 5 April. */
const due = '2027-03-02';
const times = { accepted: '2027-03-02T00:00:00Z', reported: '2027-03-03T22:00:00Z', over: '2027-04-06T00:00:00Z' };

describe('a debit', () => {
  const stage = useStage();
  const debits = useDebits(stage);

  /** A payment, and the plan or subscription that it belongs to. */
  interface Begun {
    intent: string;
    plan?: string;
    subscription?: string;
  }

  /** How each kind of payment is begun by the time at which it is accepted. */
  const kinds: Record<string, (payer: Debtor, metadata: Record<string, string>) => Promise<Begun>> = {
    async 'a payment intent'(payer: Debtor, metadata: Record<string, string>) {
      await stage.advance(payer.clock, times.accepted);
      return { intent: (await debits.debit(payer, undefined, { metadata })).id };
    },
    async 'a plan'(payer: Debtor, metadata: Record<string, string>) {
      const terms = {
        start_date: due,
        total_amount_cents: 1000,
        frequency_period: 8,
        failure_behaviour: 'stop',
      } as const;
      const { id: plan } = await debits.plan(payer, undefined, { ...terms, metadata });
      await stage.advance(payer.clock, times.accepted);
      const [payment] = await stage.merchant.payments(plan);
      return { intent: payment?.payment_intent_id ?? '', plan };
    },
    async 'a schedule'(payer: Debtor, metadata: Record<string, string>) {
      const { id } = await stage.merchant.intent({
        customer_id: payer.customer,
        payment_method: payer.account,
        scheduled_payment_date: due,
        metadata,
      });
      await stage.advance(payer.clock, times.accepted);
      return { intent: id };
    },
    async 'a subscription'(payer: Debtor, metadata: Record<string, string>) {
      const { body } = await stage.request('POST', '/subscriptions', {
        ...{ customer_id: payer.customer, payment_instrument_id: payer.account, name: 'Gym', currency: 'AUD' },
        ...{ frequency_type: 'yearly', start_date: due, items: [{ name: 'Gym', unit_amount_cents: 1000 }] },
        ...{ failure_behaviour: 'stop', effective_on: 'submitted', metadata },
      });
      const started = await stage.request('POST', `/subscriptions/${body.id}/start`);
      assert.equal(started.status, 200, started.text);
      await stage.advance(payer.clock, times.accepted);
      const begun = await subscriptionOf(body.id);
      assert.equal(`${begun.state} ${begun.in_effect}`, 'active true');
      return { intent: begun.latest_payment_intent_id, subscription: body.id };
    },
  };
  const subscriptionOf = async (id: string) => (await stage.request('GET', `/subscriptions/${id}`)).body;

  for (const [metadata, { told, code, bankCode, mandate, ...states }] of expected) {
    const [[member, word] = []] = Object.entries(metadata);
    for (const [kind, begin] of Object.entries(kinds)) {
      it(`ends as the bank says, for ${kind}: ${member} ${word}`, async () => {
        const payer = await debits.payer();
        const { intent: id, plan, subscription } = await begin(payer, metadata);
        const status = async () => (await stage.merchant.getIntent(id)).status;
        assert.equal(await status(), 'processing');
        await stage.advance(payer.clock, times.reported);
        assert.equal(await status(), told[0]);
        await stage.advance(payer.clock, times.over);

        const intent = await stage.merchant.getIntent(id);
        assert.deepEqual([intent.status, intent.last_payment_error?.code ?? null], [told.at(-1), code]);
        assert.equal(intent.total_returned_amount, told.at(-1) === 'returned' ? intent.total_amount : 0);
        const events = (await stage.merchant.events({ test_clock: payer.clock })).filter(({ data }) => data.id === id);
        assert.deepEqual(
          events.map(({ event_type: type }) => type),
          ['processing', ...told].map((what) => `payment_intent.${what}`),
        );
        const [debit, ...more] = await stage.db.sql`
          select bank_code, next_at from bank_debits where payment_intent_id = ${id}`;
        assert.deepEqual([debit?.bank_code, debit?.next_at, more.length], [bankCode, null, 0]);
        const { status: mandateStatus, status_reason: reason } = await debits.get(payer.mandate);
        assert.equal(`${mandateStatus} ${reason}`, mandate);
        if (subscription !== undefined) {
          const { state, state_reason: why, in_effect: inEffect } = await subscriptionOf(subscription);
          assert.equal(`${state} ${why} ${inEffect}`, states.subscription);
        }
        if (plan === undefined) return;
        const { state, state_reason: why, collected_amount_cents: collected } = await stage.merchant.getPlan(plan);
        assert.deepEqual([`${state} ${why}`, collected], [states.plan, told.at(-1) === 'succeeded' ? 1000 : 0]);
      });
    }
  }
});
