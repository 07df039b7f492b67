import assert from 'node:assert/strict';
import { describe, it } from 'mocha';
import type Stripe from 'stripe';
import { entriesOf } from '../../processors/stripe/balance-entries.ts';
import { account, useStripe } from './support.ts';

type Member = Record<string, unknown> & { kind: string };

describe('the books of Stripe', function () {
  this.timeout(60_000);
  const stripe = useStripe();

  async function list(after: string | null) {
    const { status, body } = await stripe.call('/movements', { after });
    assert.equal(status, 200, JSON.stringify(body));
    return { movements: body.movements as Member[], cursor: String(body.cursor) };
  }
  async function paid() {
    const reserved = await stripe.reserved(await stripe.card());
    await stripe.call('/charges', { ...reserved.body, reference: reserved.reference }, reserved.key);
    return reserved;
  }
  const booked = async (after: string) =>
    (await list(after)).movements.filter(({ kind }) => !/charge|refund/.test(kind));
  const lookAgain = () => stripe.sql`update processor_stripe.payouts set look_at = now() where look_at <> 'infinity'`;

  it('have what a charge and a refund came to, once, with Stripe’s fee and date', async () => {
    const { cursor } = await list(null);
    const charged = await paid();
    const refund = { payment_intent_id: 'pi_1', charge_reference: charged.reference, amount: 400, currency: 'AUD' };
    await stripe.call('/refunds', refund, 're_booked');
    const members = await booked(cursor);
    const fee = stripe.rig.books.feeOf(1018);
    assert.deepEqual(
      members.map(({ kind, idempotency_key, reference, amount, fee, net, currency, account }) => [
        ...[kind, idempotency_key, reference, amount, fee, net, currency, account],
      ]),
      [
        ['settlement', charged.key, charged.reference, 1018, fee, 1018 - fee, 'AUD', account],
        ['settlement', 're_booked', charged.reference, -400, 0, -400, 'AUD', account],
      ],
    );
    assert.match(String(members[0]?.available_on), /^20\d\d-\d\d-\d\d$/);
    assert.deepEqual(await booked(cursor), members);
    assert.deepEqual((await list((await list(cursor)).cursor)).movements, []);
  });

  it('have a payout, its states, and what it pays', async () => {
    await list(null);
    await stripe.rig.books.payOut();
    const { cursor } = await list(null);
    const charged = await paid();
    stripe.rig.books.change({ type: 'stripe_fee', amount: -55, description: 'Radar' });
    const payout = await stripe.rig.books.payOut();
    await list(cursor);
    stripe.rig.books.end(payout.id, 'paid');
    await lookAgain();
    const members = await booked(cursor);
    const states = members
      .filter(({ kind }) => kind === 'payout')
      .map(({ id, amount, status }) => [id, amount, status]);
    assert.deepEqual(states, [
      [payout.id, payout.amount, 'in_transit'],
      [payout.id, payout.amount, 'paid'],
    ]);
    const items = members.filter(({ payout: of }) => of === payout.id);
    assert.deepEqual(items.map(({ kind, idempotency_key: key, fee }) => [kind, key, fee]).sort(), [
      ['fee', undefined, 55],
      ['settlement', charged.key, stripe.rig.books.feeOf(1018)],
    ]);
    const sum = items.reduce((total, { net }) => total + Number(net), 0);
    assert.equal(sum, payout.amount);
  });

  it('have a payout that the bank has refused, and its money in the next one', async () => {
    await paid();
    await list(null);
    const refused = await stripe.rig.books.payOut();
    const { cursor } = await list(null);
    stripe.rig.books.end(refused.id, 'failed');
    await lookAgain();
    await list(cursor);
    const next = await stripe.rig.books.payOut();
    await list(cursor);
    await lookAgain();
    const members = await booked(cursor);
    const failed = members.find(({ kind, status }) => kind === 'payout' && status === 'failed');
    assert.deepEqual([failed?.id, failed?.failure_code], [refused.id, 'account_closed']);
    const back = members.filter(({ kind }) => kind === 'payout_failure');
    assert.deepEqual(
      back.map(({ reference, amount, payout }) => [reference, amount, payout]),
      [
        [refused.id, refused.amount, undefined],
        [refused.id, refused.amount, next.id],
      ],
    );
  });

  it('have what is for no payment of ours as an adjustment, with Stripe’s words', async () => {
    const { cursor } = await list(null);
    stripe.rig.books.change({ type: 'reserve_transaction', amount: -500, description: 'held' });
    stripe.rig.books.change({ type: 'contribution', amount: -3 });
    assert.deepEqual(
      (await booked(cursor)).map(({ kind, amount, description }) => [kind, amount, description]).sort(),
      [
        ['adjustment', -3, 'contribution'],
        ['adjustment', -500, 'reserve_transaction: held'],
      ],
    );
  });

  it('are left out if the key may not read them: charges are listed, and the account is not degraded', async () => {
    const { cursor } = await list(null);
    stripe.rig.faults.plan('GET /v1/balance_transactions', { kind: 'status', status: 403, when: 'before' });
    const { key } = await paid();
    const { movements } = await list(cursor);
    assert.deepEqual(
      movements.map(({ kind, idempotency_key }) => [kind, idempotency_key]),
      [['charge', key]],
    );
    const [row] = await stripe.sql`select status from processor_stripe.accounts where account = ${account}`;
    assert.notEqual(row?.status, 'degraded');
  });

  it('are as Stripe’s document allows it to be asked for', async () => {
    assert.deepEqual(await stripe.rig.shadow.complaints(), []);
  });
});

describe('a balance transaction of Stripe', () => {
  const place = { account: 'acct_1', livemode: true };
  const ours = { attempt: 'att_1', biller: 'acct_1', payment_intent: 'pi_ours' };
  const charge = { object: 'charge', id: 'ch_1', currency: 'aud', payment_intent: 'pi_1', metadata: ours };
  const dispute = { object: 'dispute', id: 'dp_1', currency: 'aud', payment_intent: 'pi_1', metadata: {} };
  const refund = { object: 'refund', id: 're_1', currency: 'aud', payment_intent: 'pi_1', metadata: {} };
  const card = { idempotency_key: 'att_1', isDebit: false };
  const debit = { idempotency_key: 'att_1', isDebit: true };

  function read(over: object, known: typeof card | null = card) {
    const transaction = {
      ...{ id: 'txn_1', amount: 1018, fee: 47, net: 971, currency: 'aud', created: 1_800_000_000, type: 'charge' },
      ...{ available_on: 1_800_172_800, source: charge, description: null, reporting_category: 'charge', ...over },
    };
    const [first] = entriesOf(transaction as unknown as Stripe.BalanceTransaction, place, known);
    const { kind, idempotency_key: key, reference, amount, fee, net } = first?.member ?? {};
    return [kind, key, reference, amount, fee, net];
  }

  for (const [what, over, known, entry] of [
    ['a charge of ours', {}, card, ['settlement', 'att_1', 'pi_1', 1018, 47, 971]],
    ['a charge in another currency', { currency: 'usd' }, card, ['adjustment', undefined, 'pi_1', 1018, 47, 971]],
    [
      'a charge of another program',
      { source: { ...charge, metadata: {} } },
      null,
      ['adjustment', undefined, undefined, 1018, 47, 971],
    ],
    [
      'a charge of another biller of this account',
      { source: { ...charge, metadata: { ...ours, biller: 'acct_2' } } },
      null,
      [undefined, undefined, undefined, undefined, undefined, undefined],
    ],
    [
      'the dispute of a card',
      { type: 'adjustment', source: dispute, amount: -1018, fee: 2500, net: -3518 },
      card,
      ['dispute', undefined, 'pi_1', -1018, 2500, -3518],
    ],
    [
      'the dispute of a debit, which the service has as returned',
      { type: 'adjustment', source: dispute, amount: -1018, fee: 0, net: -1018 },
      debit,
      ['settlement', 'att_1', 'pi_1', -1018, 0, -1018],
    ],
    [
      'a debit that failed after it was collected',
      { type: 'payment_failure_refund', source: refund, amount: -1018, fee: 250, net: -1268 },
      debit,
      ['settlement', 'att_1', 'pi_1', -1018, 250, -1268],
    ],
    [
      'a refund that has come back',
      { type: 'refund_failure', source: refund, amount: 400, fee: 0, net: 400 },
      card,
      ['adjustment', undefined, 'pi_1', 400, 0, 400],
    ],
    [
      'a fee of Stripe with tax',
      { type: 'stripe_fee', source: null, amount: -110, fee: 0, net: -110 },
      null,
      ['fee', undefined, undefined, 0, 110, -110],
    ],
  ] as const) {
    it(`is read: ${what}`, () => assert.deepEqual(read(over, known), entry));
  }
});
