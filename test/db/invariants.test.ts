import assert from 'node:assert/strict';
import { execFile } from 'node:child_process';
import { promisify } from 'node:util';
import { before, describe, it } from 'mocha';
import { selectOpenAdvance } from '../../src/db/test-clocks.ts';
import { addMs, customerInstant } from '../../src/domain/instants.ts';
import {
  findViolations,
  invariants,
  type Violation,
  violationsSeenBy,
} from '../../src/operations/invariants/invariants.ts';
import { atomically } from '../../src/platform/postgres/transaction.ts';
import { realNow } from '../../src/platform/real-time.ts';
import { sandboxProcessor } from '../../src/processors/sandbox.ts';
import { createCustomer } from '../../src/services/customers/customers.ts';
import { createPaymentMethod } from '../../src/services/customers/payment-methods.ts';
import { followLedgers } from '../../src/services/ledger/follower.ts';
import { createCheckoutSession } from '../../src/services/links/checkout-sessions.ts';
import { createPaymentLink } from '../../src/services/links/payment-links.ts';
import { createMandate } from '../../src/services/mandates/mandates.ts';
import { createPaymentPlan } from '../../src/services/plans/payment-plans.ts';
import { collectDuePayment } from '../../src/services/plans/plan-collection.ts';
import { transitionPlan } from '../../src/services/plans/plan-transitions.ts';
import { chargeHook } from '../../src/services/subjects/charge-hook.ts';
import { startSubscription } from '../../src/services/subscriptions/collecting-requests.ts';
import { createSubscription } from '../../src/services/subscriptions/subscriptions.ts';
import { completeAdvance } from '../../src/services/test-clocks/clock-advance.ts';
import { advanceTestClock, createTestClock } from '../../src/services/test-clocks/test-clocks.ts';
import { useDatabase } from '../support/database.ts';
import { makeCall, makeEndpoint, webhookDeps } from '../support/webhooks.ts';

const run = promisify(execFile);
const frozen = customerInstant('2027-01-10T00:00:00.000Z');
const token_metadata = { type: 'fixture', token: 'tok_sandbox_visa_succeed', data: '' };

const disputeId = `'dp_${'0'.repeat(32)}'`;

/** Makes a dispute of INTENT that nobody has opened, in this state. */
function dispute(status: 'needs_response' | 'lost'): string {
  const end = status === 'lost' ? "'lost', now(), now()" : 'null, null, null';
  return `insert into disputes (id, biller_id, livemode, payment_intent_id, test_clock_id, currency, amount, tax_amount, status,
      result, closes_at, closed_at, created_at, updated_at)
    select ${disputeId}, i.biller_id, i.livemode, i.id, c.test_clock_id, i.currency, i.amount, 0, '${status}', ${end}, now(), now()
    from payment_intents i left join customers c on c.id = i.customer_id where i.id = INTENT`;
}

const payoutId = `'po_${'0'.repeat(32)}'`;

/** Something that the live processor has said, and that is not posted. */
const processorEntry = `
  insert into processor_entries (biller_id, livemode, processor_id, kind, amount, fee, currency, occurred_at)
  select id, true, 'bt_1', 'adjustment', 70000, 7, 'AUD', now() from billers limit 1`;

/** Makes a payout that nobody has made: in transit, without items. */
function payout(more: Record<string, string> = {}): string {
  const columns = {
    ...{ id: payoutId, biller_id: 'id', livemode: 'false', currency: "'AUD'", amount: '5', status: "'in_transit'" },
    ...{ reconciliation_status: "'completed'", paid_out_on: "'2026-01-05'", arrives_on: "'2026-01-06'" },
    ...{ arrives_at: 'now()', created_at: 'now()', updated_at: 'now()', ...more },
  };
  return `insert into payouts (${Object.keys(columns)}) select ${Object.values(columns)} from billers limit 1`;
}

/** For each invariant, what damages the sound database below so that it is broken. `PLAN` and the like are its ids. */
const damages: Record<string, string> = {
  'a payment intent succeeds at most once': `
    insert into payment_attempts select 'att_00000000000000000000000000000001', payment_intent_id, number, payment_method_id,
      source, request_key, request_key_expires_at, outcome, code, message, at, opened_at, settled_at from payment_attempts where payment_intent_id = INTENT`,
  'an attempt that the live processor has charged has not failed': `
    insert into payment_reservations (attempt_id, number, livemode, reference, taken_at)
    select id, 99, true, 'ref_taken', now() from payment_attempts where payment_intent_id = INTENT;
    update payment_attempts set outcome = 'failed', code = 'card_declined', message = 'declined' where payment_intent_id = INTENT`,
  'an attempt that has succeeded in live mode is in the list of the live processor': `
    insert into live_charging (cursor, listed_since, compared_at) values ('1', '-infinity', 'infinity');
    insert into payment_reservations (attempt_id, number, livemode, reference)
    select id, 99, true, 'ref_taken' from payment_attempts where payment_intent_id = INTENT`,
  'a live charge that has succeeded is of the amount that the list of the live processor has': `
    insert into payment_reservations (attempt_id, number, livemode, reference, taken_at, taken_amount)
    select id, 99, true, 'ref_taken', now(), 1 from payment_attempts where payment_intent_id = INTENT`,
  'a live refund is in the list of the live processor exactly when it has succeeded': `
    insert into refunds (id, biller_id, livemode, payment_intent_id, amount, surcharge_amount, currency, status, opened_at,
      listed_at, created_at, updated_at)
    select 're_00000000000000000000000000000001', biller_id, true, id, 1, 0, currency, 'failed', now(), now(), now(), now()
    from payment_intents where id = INTENT`,
  'a payment intent has at most one attempt under way': `
    update payment_attempts set outcome = 'processing', settled_at = null;
    insert into payment_attempts select 'att_00000000000000000000000000000001', payment_intent_id, number, payment_method_id,
      source, request_key, request_key_expires_at, outcome, code, message, at, opened_at, settled_at from payment_attempts where payment_intent_id = INTENT`,
  'at most ten attempts of payers on a payment intent fail, and it counts none that did not': `
    update payment_intents set payer_failures = 1 where id = INTENT`,
  'the attempts of a payment intent are numbered from 1 without gaps, as many as it counts': `
    update payment_attempts set number = 2 where payment_intent_id = INTENT`,
  'a payment intent says when it was collected exactly if it ever was, and not before the attempt that did it': `
    update payment_intents set collected_at = null where id = INTENT`,
  'no live payment is charged under the Idempotency-Key of an equal one before that key has expired': `
    update payment_intents set livemode = true where id = INTENT;
    update payment_attempts set request_key = 'k', opened_at = now() - interval '1 hour' where payment_intent_id = INTENT;
    insert into payment_intents (id, biller_id, livemode, customer_id, amount, agreed_amount, fee_amount, surcharge_applied,
      surcharge_asked, currency, status, attempt_count, created_at, updated_at)
    select 'pi_00000000000000000000000000000001', biller_id, livemode, customer_id, amount, amount, fee_amount,
      surcharge_applied, surcharge_asked, currency, status, attempt_count, created_at, updated_at from payment_intents where id = INTENT;
    insert into payment_attempts (id, payment_intent_id, number, source, request_key, outcome, at, opened_at, settled_at)
    select 'att_00000000000000000000000000000001', 'pi_00000000000000000000000000000001', 1, source, 'k', outcome, at,
      now(), settled_at from payment_attempts where payment_intent_id = INTENT`,
  'a payment intent that is processing has its last attempt': `
    update payment_intents set status = 'processing' where id = INTENT;
    delete from payment_attempts where payment_intent_id = INTENT`,
  'the status of a payment intent is what its last attempt came to': `update payment_intents set status = 'failed' where id = INTENT`,
  'no attempt follows a successful one': `
    insert into payment_attempts select 'att_00000000000000000000000000000001', payment_intent_id, number + 1, payment_method_id,
      source, request_key, request_key_expires_at, 'failed', 'x', 'x', at, opened_at, settled_at from payment_attempts where payment_intent_id = INTENT`,
  'a slot of a plan has one payment intent, and no other slot has it': `delete from payment_plan_slots where slot = 0`,
  'a slot is paid exactly when its payment intent has succeeded, and has its amount': `update payment_plan_slots set status = 'failed'`,
  'the payment of a slot is canceled exactly when the slot was given up, and so is never charged again': `
    update payment_plan_slots set status = 'given_up'`,
  'every slot that has come has a row, and none that has not': `update payment_plans set next_slot = next_slot + 1`,
  'an active plan wakes for its earliest retry, and one that is not active for nothing': `
    update payment_plans set next_attempt_at = '2027-01-11'`,
  'the next payment and the retries of an active plan are due when its calendar and dunning say': `
    update payment_plans set next_due_at = next_due_at - interval '7 days'`,
  'a scheduled payment is due when its date begins, by the clock of its biller': `
    update payment_intents set scheduled_payment_date = '2027-03-01', scheduled_at = '2027-02-01' where id = INTENT`,
  'an accepted debit is handed over at its cut-off': `
    update payment_attempts set outcome = 'accepted', settled_at = null where payment_intent_id = DEBITED;
    update bank_debits set next_at = hand_over_at - interval '1 day'`,
  'a mandate that has not ended is for an account that is not detached, of a customer that is not deleted': `
    update payment_methods set detached_at = '2027-01-10' where type = 'au_becs_debit'`,
  'a bank account that has a mandate is debited only while one is active': `
    update payment_attempts set payment_method_id = ACCOUNT, at = '2027-02-01';
    update mandates set status = 'canceled', status_reason = 'requested', ended_at = '2027-01-20'`,
  'a debit is of the payment, the plan, the account and the customer of its mandate': `
    update bank_debits set payment_plan_id = null`,
  'an attempt waits for a bank exactly while it is a debit with a next step': `
    update payment_attempts set outcome = 'submitted', settled_at = null where payment_intent_id = DEBITED`,
  'a plan wakes for the first step of its debits and the end of its challenges': `update payment_plans set next_debit_at = '2027-01-11'`,
  'a subscription wakes for the first step of its debits and the end of its challenges': `update subscriptions set next_debit_at = '2027-01-11'`,
  'a challenge of a payment of a plan or a subscription has an end, and only while it waits for the payer': `
    update payment_plan_slots set status = 'processing', challenge_ends_at = '2027-01-11'`,
  'a debit goes to the bank only under a mandate that is active then': `
    update mandates set status = 'canceled', status_reason = 'requested', ended_at = '2027-01-10'`,
  'a bank reports on a debit after its hand-over, and not before its charge date': `
    update bank_debits set result_at = '2027-01-11T04:00:00Z'`,
  'a debit has one event when it is accepted, and one when it comes back': `
    update events set event_type = 'other.event' where event_type = 'payment_intent.processing'`,
  'no event reports a failure right after a success': `
    update events set event_type = case sequence
      when (select max(sequence) from events where subject_id = DEBITED) then 'payment_intent.failed'
      else 'payment_intent.succeeded' end
    where subject_id = DEBITED`,
  'what came back of a payment is the whole of each time, without what a dispute found refunded': `
    update payment_intents set total_returned_amount = 5`,
  'the events of a biller and mode are numbered from 1 without gaps, up to its counter': `delete from events where sequence = 2`,
  'an attempt that succeeded or failed has exactly one event': `
    update events set event_type = 'payment_intent.failed' where event_type = 'payment_intent.succeeded'`,
  'a change of state has exactly one event': `update events set event_type = 'other.event' where event_type = 'payment_plan.activated'`,
  'the last event of a suspended plan reports its suspension': `
    update payment_plans set state = 'suspended', next_due_at = null`,
  'an event has a delivery for every endpoint that was enabled and subscribed before it': `delete from webhook_deliveries`,
  'an event is on its way to an endpoint once': `
    insert into webhook_deliveries select 'whd_00000000000000000000000000000001', biller_id, livemode, endpoint_id, event_id, status,
      attempt_count, series_start, next_attempt_at, failure_reason, created_at, finished_at from webhook_deliveries limit 1`,
  'a delivery that is done had a receiver that said so, and one that was given up says why': `
    update webhook_deliveries set status = 'delivered'`,
  'a plan has collected the sum of its payment intents that succeeded': `update payment_plans set collected_amount_cents = 999`,
  'what a plan has collected and can still collect for slots that have come is at most its total': `
    update payment_plans set total_amount_cents = 999, until_further_notice = false`,
  'a payment link has taken at most the payments that it takes': `
    update payment_intents set payment_link_id = LINKED where id in (INTENT, DEBITED)`,
  'no attempt is made on a payment of a link once the link has expired': `
    update payment_links set expires_at = '2027-01-01'; update payment_intents set payment_link_id = LINKED where id = INTENT`,
  'a payment link counts its payments that have succeeded, and their sum': `update payment_links set payments_count = 1`,
  'a checkout session is processing exactly while its payment is': `update checkout_sessions set status = 'processing'`,
  'the events of a payment link say in turn what it becomes, as its row does at last': `
    update payment_links set status = 'expired'`,
  'a plan whose total is collected has ended': `
    update payment_plans set total_amount_cents = 1000, until_further_notice = false`,
  'a plan that can collect has the amounts and the state that the service has given it': `
    update payment_plans set recurring_amount_cents = 10 * recurring_amount_cents`,
  'a payment intent has the amount that it was made with': `update payment_intents set amount = 10 * amount`,
  'an amount is charged with its surcharge and no more': `update payment_intents set surcharge_amount = 1`,
  'no charge has a surcharge that the rules of its date forbid': `
    update payment_intents set surcharge_amount = fee_amount, surcharge_applied = true,
      surcharge_basis = '{"country": "AU", "type": "card", "networks": ["amex", "visa"], "funding": null, "costs": {}}'
    where id = INTENT`,
  'a surcharge that is capped is at most the cost that its biller had stated': `
    update payment_intents set surcharge_amount = 20, surcharge_applied = true, surcharge_reason = 'capped',
      surcharge_basis = '{"country": "AU", "type": "card", "networks": ["amex"], "funding": null, "costs": {"amex": 190}}'
    where id = INTENT`,
  'every charge with a surcharge was decided by the rules, if its biller had a country or it is live': `
    update billers set country = 'AU', country_since = '2026-01-01';
    update payment_intents set surcharge_amount = fee_amount, surcharge_applied = true where id = INTENT`,
  'the tax of a payment intent is that of the part of its total that includes it, rounded half up': `
    update payment_intents set tax_basis = '{"label": "GST", "basisPoints": 1000, "taxable": 1000}', tax_amount = 90
    where id = INTENT`,
  'the refunds of a payment intent give back at most its tax, and all of it if they give back its total': `
    insert into refunds (id, biller_id, livemode, payment_intent_id, amount, surcharge_amount, tax_amount, currency, status,
      opened_at, created_at, updated_at)
    select 're_00000000000000000000000000000001', biller_id, livemode, id, 500, 0, 1, currency, 'processing', now(), now(),
      now()
    from payment_intents where id = INTENT`,
  'a payment intent has refunded the sum of its refunds that succeeded, at most what was charged': `
    update payment_intents set total_refunded_amount = 5 where id = INTENT`,
  'what a row points at is of its own biller and mode': `update payment_plans set livemode = true, test_clock_id = null`,
  'an event is of the biller and mode of what it is about': `
    update events set biller_id = OTHER where event_type = 'payment_plan.activated'`,
  'a payment, a plan, a mandate and a default method are for an account of their own customer': `
    update payment_methods set customer_id = STRANGER where id = METHOD`,
  'a plan, a mandate, a link, a session, a payment and their events are on the clock of their customer': `update customers set test_clock_id = null`,
  'nothing in live mode is made for the sandbox': `update test_clocks set livemode = true`,
  'the periods of a subscription do not overlap, unless they are void': `
    insert into subscription_periods (subscription_id, number, start_date, end_date, kind, status, lines, amount_cents, began_at)
      select id, 2, '2027-02-09', '2027-03-09', 'paid', 'paid', '[]', 0, now() from subscriptions`,
  'the amount of a period is the sum of its lines, and that of its payment intent': `
    update subscription_periods set lines = '[]'`,
  'the discounts of a period take off at most what its items cost: its one-off items are paid in full': `
    update subscription_periods set lines = '[
      {"kind": "one_off", "description": "Joining fee", "quantity": 1, "amount_cents": 5000},
      {"kind": "discount", "description": "Too much", "quantity": 1, "amount_cents": -100}
    ]'`,
  'a period is paid exactly when its payment intent has succeeded': `update subscription_periods set status = 'unpaid'`,
  'a payment intent of a subscription is of its customer, and the last of them is the one that it names': `
    update subscriptions set charges = 2`,
  'a subscription has as many paid periods as it counts': `update subscriptions set paid_periods = 2`,
  'what waits on the account of a subscription, less its credit, is the sum of its entries': `
    update subscriptions set credit_balance_cents = 100`,
  'a period takes from the account what its statement says, and gives back no more than that': `
    update subscription_periods set is_given_back = false, carried_cents = carried_cents - 1`,
  'the changes of a period that were made have the lines that it counts, and credit no more than was paid for it': `
    update subscription_periods set changed_cents = -100000`,
  'the credit of a period does not exceed what its payments hold after refunds and returns: the rest is withheld': `
    update subscription_periods set withheld_cents = 1`,
  'a change is made or credited exactly when its payment has succeeded, and its subscription waits for no other': `
    insert into subscription_changes (subscription_id, number, period, items, proration, lines, amount_cents, payment_intent_id, status, changed_at)
      select id, 1, 1, '[]', 'days', '[]', 4900, latest_payment_intent_id, 'failed', now() from subscriptions`,
  'the periods of a subscription and its next steps are those of its calendar': `
    update subscriptions set next_period_at = next_period_at - interval '9 days'`,
  'a subscription wakes for the retry of its unpaid period, and for no other': `
    update subscriptions set next_attempt_at = '2027-02-01'`,
  'the entries of a ledger transaction add up to 0, and are at least two': `
    alter table ledger_entries disable trigger ledger_entries_only_grow;
    update ledger_entries set amount = amount + 1 where account = 'fees'`,
  'an event that moves money is in the ledger once, with its amount, fee, currency, mode and clock': `
    update events set data = (data::jsonb || '{"fee_amount": 5}')::json where event_type = 'payment_intent.succeeded'`,
  'a transaction of the ledger comes from an event': `
    delete from webhook_deliveries; delete from events where event_type = 'payment_intent.succeeded'`,
  'the ledger has of a payment what its biller holds of it': `
    update payment_intents set total_refunded_amount = 1 where id = INTENT`,
  'the ledger has of a subscription the credit that its events have told': `
    update events set data = (data::jsonb || '{"credit_balance_cents": 5}')::json
    where event_type like 'subscription.%'`,
  'the ledger owes to subscribers the credit of their subscriptions': `
    update subscriptions set credit_balance_cents = 5`,
  'the balances of the ledger are the sums of its entries': `
    update ledger_balances set amount = amount + 1 where account = 'processor'`,
  'the ledger is at most ten minutes behind the events': `
    update events set recorded_at = recorded_at - interval '1 hour'; update ledger_positions set last_sequence = 1`,
  'a payout is the sum of its items in the ledger': payout(),
  'a row of the ledger of the sandbox waits for a payout, or is in one that has not failed': `
    delete from payable_transactions`,
  'the items of a payout are released if it has failed, and only then': `
    ${payout({ status: "'failed'", failure_code: "'declined'", ended_at: 'now()' })};
    insert into payout_items (payout_id, transaction_id) select ${payoutId}, min(id) from ledger_transactions`,
  'the ledger has at the bank what payouts have paid or have on the way': payout(),
  'an entry of the live processor waits, or is in exactly one transaction of the ledger': processorEntry,
  'the ledger has of an entry of the live processor its amount and its fee': `
    ${processorEntry};
    insert into posted_entries (entry, transaction_id, own, sequence)
      select p.id, t.id, true, 1 from processor_entries p, (select min(id) as id from ledger_transactions) t`,
  'a payout of the live processor has only what the processor has said that it pays': `
    ${payout({ livemode: 'true' })};
    insert into processor_payouts (payout_id, biller_id, livemode, reference)
      select ${payoutId}, biller_id, true, 'po_1' from payouts where id = ${payoutId};
    insert into payout_items (payout_id, transaction_id) select ${payoutId}, min(id) from ledger_transactions`,
  'a payout in real time ends within an hour after its arrival': payout({ arrives_at: "'2026-01-06'" }),
  'the ledger holds of a payment what its open dispute is about': dispute('needs_response'),
  'a payment under dispute has succeeded, and one whose dispute was lost came back then': dispute('lost'),
  'what was disputed of a payment and lost is what came back of it then': `
    ${dispute('lost')};
    update events set event_type = 'payment_intent.returned',
      data = (data::jsonb || '{"dispute_id": "dp_${'0'.repeat(32)}", "returned_amount": 5}')::json
    where event_type = 'payment_intent.succeeded' and subject_id = INTENT`,
  'the events of a subscription say in turn that it is in effect and that it is not, as its row does at last': `
    update subscriptions set in_effect = false, in_effect_until = null`,
};

describe('the check of the invariants', () => {
  const db = useDatabase(10, { isDamaged: true });
  const ids: Record<string, string> = {};

  before('make a sound database with something of everything, then let it be damaged', async () => {
    const { sql } = db;
    const [mine, other] = [await makeCall(sql), await makeCall(sql)];
    await makeEndpoint(sql, { ...mine, now: addMs(mine.now, -60_000) }, 'http://127.0.0.1:9/');
    const clock = await createTestClock(sql, mine, { frozen_time: frozen.toISOString() });
    const customer = await createCustomer(sql, mine, { name: 'Jo', test_clock: clock.id });
    const stranger = await createCustomer(sql, mine, { name: 'Bo' });
    const card = { type: 'card' as const, payment_method_data: { expiry_month: 1, expiry_year: 2040, token_metadata } };
    const method = await createPaymentMethod(sql, webhookDeps.vault, mine, {
      ...card,
      customer_reference: customer.id,
    });
    const debit = { bsb_number: '000-000', account_name: 'Jo', account_number: '12345678' };
    const account = await createPaymentMethod(sql, webhookDeps.vault, mine, {
      type: 'au_becs_debit',
      payment_method_data: debit,
      customer_reference: customer.id,
    });
    const acceptance = { type: 'imported' as const, accepted_at: '2026-01-01T00:00:00Z', signatory_name: 'Jo' };
    await createMandate(sql, mine, { payment_method_id: account.id, acceptance });
    const plan = await createPaymentPlan(sql, mine, {
      customer_id: customer.id,
      name: 'P',
      frequency_type: 'weekly',
      recurring_amount_cents: 1000,
      until_further_notice: true,
      currency: 'AUD',
      start_date: '2027-01-10',
    });
    const invoice = { name: 'Invoice', amount: 1000, currency: 'AUD' as const };
    const key = { setsDefaults: true };
    const link = await createPaymentLink(sql, webhookDeps.vault, mine, { ...invoice, customer_id: customer.id }, key);
    await createCheckoutSession(sql, webhookDeps.vault, chargeHook, mine, invoice, key);
    await transitionPlan(sql, mine, plan.id, 'activate');
    const charging = { processors: { sandbox: sandboxProcessor, live: null }, hook: chargeHook };
    await collectDuePayment(sql, charging, plan.id, { at: frozen, now: realNow() });
    const debited = await createPaymentPlan(sql, mine, {
      customer_id: customer.id,
      payment_instrument_id: account.id,
      name: 'D',
      frequency_type: 'weekly',
      recurring_amount_cents: 1000,
      until_further_notice: true,
      currency: 'AUD',
      start_date: '2027-01-11',
    });
    await transitionPlan(sql, mine, debited.id, 'activate');
    const subscription = await createSubscription(sql, mine, {
      customer_id: customer.id,
      name: 'S',
      currency: 'AUD',
      frequency_type: 'monthly',
      items: [{ name: 'S', unit_amount_cents: 1000 }],
    });
    await startSubscription(sql, charging, mine, subscription.id);
    await advanceTestClock(sql, mine, clock.id, '2027-01-14T00:00:00Z');
    // It is accepted, handed to the bank, and settled.
    for (const at of ['2027-01-11T00:00:00Z', '2027-01-11T05:00:00Z', '2027-01-12T22:00:00Z']) {
      const time = { at: customerInstant(at), now: realNow() };
      await collectDuePayment(sql, charging, debited.id, time);
    }
    const advance = await selectOpenAdvance(sql, clock.id);
    assert.ok(advance);
    await completeAdvance(sql, advance, realNow());
    await followLedgers(sql, new AbortController().signal);
    const intents = await sql<
      { id: string; payment_plan_id: string }[]
    >`select id, payment_plan_id from payment_intents`;
    Object.assign(ids, {
      INTENT: intents.find((intent) => intent.payment_plan_id === plan.id)?.id,
      DEBITED: intents.find((intent) => intent.payment_plan_id === debited.id)?.id,
      LINKED: link.id,
      OTHER: other.billerId,
      STRANGER: stranger.id,
      METHOD: method.id,
      ACCOUNT: account.id,
    });
  });

  it('finds nothing in a database that the services have written', async () => {
    assert.deepEqual(await findViolations(db.sql), []);
  });

  it('prints that all hold, and ends with 0', async () => {
    const { stdout } = await runCommand();
    assert.equal(stdout, `All ${invariants.length} invariants hold.\n`);
  });

  it('has a damage in this suite for each of its queries, and each a name of its own', () => {
    assert.deepEqual(invariants.map(({ name }) => name).sort(), Object.keys(damages).sort());
  });

  it('proves a part of each of the first four promises', () => {
    assert.deepEqual([...new Set(invariants.map(({ promise }) => promise))].sort(), [1, 2, 3, 4]);
  });

  for (const [name, damage] of Object.entries(damages)) {
    it(`finds what breaks: ${name}`, async () => {
      const found = await damaged(damage);
      const offender = found.find(({ invariant }) => invariant === name);
      assert.ok(offender, `only found: ${found.map(({ invariant }) => invariant).join('; ') || 'nothing'}`);
      assert.ok(offender.id.length > 0 && offender.detail.length > 0);
      assert.match(offender.remedy, /^.{20,}\.$/);
      assert.doesNotMatch(offender.remedy, /\bID\b/);
      assert.match(offender.id, /^\S+$/, 'it is part of a command');
      assert.doesNotMatch(offender.detail, /(^| )([,;)]|$)/, 'a value is missing in it');
    });
  }

  it('says of a payment without attempts that it has none', async () => {
    const found = await damaged('delete from payment_attempts where payment_intent_id = INTENT');
    const counted = found.find(({ invariant }) =>
      invariant.startsWith('the attempts of a payment intent are numbered'),
    );
    assert.equal(counted?.detail, 'counts 1 attempts and has none');
  });

  it('prints the offenders with their remedy, and ends with 1', async () => {
    await db.sql`update payment_plans set collected_amount_cents = 999`;
    await assert.rejects(runCommand(), (error: { code: number; stdout: string }) => {
      assert.equal(error.code, 1);
      const [name, offender, remedy] = error.stdout.split('\n');
      assert.match(name ?? '', /^Broken: a plan has collected the sum/);
      const id = /^ {2}(pp_\w+): says 999, its intents 1000$/.exec(offender ?? '')?.[1];
      assert.equal(
        remedy,
        `    remedy: npm run --silent ops -- recalculate ${id} (with --dry-run it only shows the correction).`,
      );
      assert.match(error.stdout, /1 of \d+ invariants are broken/);
      return true;
    });
    await db.sql`update payment_plans set collected_amount_cents = 1000`;
  });

  /** What is found in a copy of the database without constraints, damaged by this statement. */
  async function damaged(statement: string) {
    const sound = Symbol('sound');
    let found: Violation[] = [];
    await atomically(db.sql, async (tx) => {
      // Unique constraints that foreign keys need stay, and the foreign keys come back, unchecked, after the damage.
      const constraints = await tx<{ table: string; name: string; type: string; definition: string }[]>`
          select c.conrelid::regclass::text as table, c.conname as name, c.contype as type, pg_get_constraintdef(c.oid) as definition
          from pg_constraint c
          where c.connamespace = 'public'::regnamespace and c.contype in ('c', 'f', 'u', 'x') and c.conrelid <> 0
            and not exists (select from pg_constraint f where f.contype = 'f' and f.conindid = c.conindid and c.contype = 'u')`;
      for (const { table, name } of constraints) await tx.unsafe(`alter table ${table} drop constraint "${name}"`);
      const indexes = await tx<{ name: string }[]>`
          select indexrelid::regclass::text as name from pg_index i join pg_class c on c.oid = i.indrelid
          where i.indisunique and not i.indisprimary and c.relnamespace = 'public'::regnamespace
            and not exists (select from pg_constraint where conindid = i.indexrelid)`;
      for (const { name } of indexes) await tx.unsafe(`drop index if exists ${name}`);
      const filled = statement.replaceAll(/\b[A-Z]{5,}\b/g, (word) => `'${ids[word]}'`);
      await tx.unsafe(filled);
      for (const { table, name, definition } of constraints.filter(({ type }) => type === 'f')) {
        await tx.unsafe(`alter table ${table} add constraint "${name}" ${definition} not valid`);
      }
      found = await violationsSeenBy(tx);
      throw sound;
    }).catch((error: unknown) => {
      if (error !== sound) throw error;
    });
    return found;
  }

  function runCommand() {
    const script = new URL('../../src/processes/cli/main.ts', import.meta.url).pathname;
    return run(process.execPath, [script, 'check-invariants'], { env: { ...process.env, DATABASE_URL: db.url } });
  }
});
