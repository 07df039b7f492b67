import assert from 'node:assert/strict';
import { appendFile } from 'node:fs/promises';
import { after, before, describe, it } from 'mocha';
import { eventually } from '../../lab/eventually.ts';
import { type StandIn, startStandIn } from '../../lab/stand-in.ts';
import { declined } from '../../src/domain/charge-outcome.ts';
import { customerInstant, withoutClock } from '../../src/domain/instants.ts';
import { realInstant, realNow } from '../../src/platform/real-time.ts';
import { createHttpProcessor, type HttpProcessor } from '../../src/processors/http-processor.ts';
import {
  type ChargeRequest,
  OutcomeUnknown,
  type ReadBankAccount,
  type RefundRequest,
  RequestRefused,
} from '../../src/processors/processor.ts';
import { useFolder } from '../runtime/support.ts';

const account = { bsbNumber: '062000', accountNumber: '12345678', accountName: 'Jo Nguyen' };
/** A debit of an account that a payer has typed. */
const typed = {
  paymentMethodType: 'au_becs_debit',
  paymentMethodToken: null,
  debit: {
    scheme: 'au_becs' as const,
    chargeDate: '2027-03-25',
    mandateReference: 'DDR-1',
    lodgementReference: 'L-1',
    mandate: {
      acceptedAt: customerInstant('2025-12-24T03:00:00Z'),
      type: 'online' as const,
      ipAddress: '203.0.113.7',
      userAgent: 'Mozilla/5.0',
      signatoryName: 'Jo Nguyen',
      textSha256: 'a'.repeat(64),
    },
  },
};

describe('the stand-in for a live processor', function () {
  this.timeout(60_000);
  const folder = useFolder();
  let standIn: StandIn;
  let processor: HttpProcessor;
  let last = 0;

  before('start it', async () => {
    standIn = await startStandIn(folder.path);
    processor = createHttpProcessor({ ...standIn, timeoutMs: 3_000, readAccount: async () => account });
  });
  after('end it', async () => {
    await processor.close();
    await standIn.stop();
  });

  /** A request of its own, of a card that is good, in this weather. */
  function request(weather: string, over: Partial<ChargeRequest> = {}): ChargeRequest {
    last += 1;
    return {
      idempotencyKey: `att_${last}`,
      paymentIntentId: `pi_${last}`,
      amount: 1000,
      totalAmount: 1018,
      currency: 'AUD',
      attempt: 1,
      openedAt: realInstant('2026-01-01T00:00:00Z'),
      paymentMethodId: 'pm_1',
      paymentMethodType: 'card',
      paymentMethodToken: 'tok_sandbox_visa_succeed',
      fixtureToken: null,
      metadata: weather === '' ? {} : { _stand_in: weather },
      debit: null,
      ...over,
    };
  }
  /** Reserves a payment, or finds its reservation, and returns the reference. */
  async function reserve(asked: ChargeRequest, by = processor): Promise<string> {
    const reserved = await by.prepare(asked);
    assert.ok(reserved.kind === 'reserved');
    return reserved.reference;
  }
  const charge = async (asked: ChargeRequest, by = processor) => by.charge(asked, await reserve(asked, by));
  const inquire = async (asked: ChargeRequest, at = customerInstant('2026-01-01T00:00:00Z')) =>
    processor.inquire(asked, await reserve(asked), at);
  const cardState = async (asked: ChargeRequest) => (await inquire(asked)).kind;
  const callsOf = async ({ idempotencyKey: key }: ChargeRequest) =>
    (await standIn.calls()).filter((call) => call.idempotency_key === key);
  const chargesOf = async (asked: ChargeRequest) =>
    (await callsOf(asked)).flatMap((call) => (call.kind === 'charge' ? [call] : []));
  const takenFor = async (asked: ChargeRequest) => (await chargesOf(asked)).filter(({ repeated }) => !repeated).length;

  async function killAndWait(): Promise<void> {
    const { starts } = standIn.process;
    standIn.process.kill();
    assert.ok(await standIn.process.untilUp(30_000, starts));
  }

  it('decides by the token of the card, as the sandbox does by its fixture', async () => {
    const outcomes = [];
    const declines = ['decline_insufficient_funds', 'decline_card_lost', 'decline_expired_card'];
    for (const token of ['succeed', ...declines, '3ds_required', 'timeout']) {
      const outcome = await charge(request('', { paymentMethodToken: `tok_sandbox_visa_${token}` }));
      outcomes.push(outcome.kind === 'failed' ? outcome.code : outcome.kind);
    }
    const declined = ['insufficient_funds', 'card_declined', 'expired_card'];
    assert.deepEqual(outcomes, ['succeeded', ...declined, 'requires_action', 'gateway_timeout']);
  });

  it('does not reserve a payment by a token that it does not know', async () => {
    const outcome = await processor.prepare(request('', { paymentMethodToken: 'tok_of_another_vault' }));
    assert.deepEqual(outcome, declined('processor_rejected'));
  });

  it('reserves once under a key, and anew when it has forgotten its keys', async () => {
    const asked = request('');
    const first = await reserve(asked);
    await killAndWait();
    assert.equal(await reserve(asked), first);
    await standIn.setClimate({ seed: '1', share: 0, kinds: [], forgetsKeys: true });
    assert.notEqual(await reserve(asked), first);
    await standIn.setClimate(null);
    assert.equal(await takenFor(asked), 0);
  });

  it('takes money once for a reservation, also after it was killed, and for requests at the same moment', async () => {
    const asked = request('');
    const both = await Promise.all([charge(asked), charge(asked)]);
    await killAndWait();
    assert.deepEqual([...both, await charge(asked)], Array(3).fill({ kind: 'succeeded' }));
    assert.deepEqual([(await chargesOf(asked)).length, await takenFor(asked)], [3, 1]);
  });

  it('keeps the outcome of a reservation whatever a repetition says, and refuses another amount or key', async () => {
    const asked = request('');
    const reference = await reserve(asked);
    await processor.charge(asked, reference);
    const declining = { ...asked, paymentMethodToken: 'tok_sandbox_visa_decline_insufficient_funds' };
    const again = await processor.charge({ ...declining, paymentIntentId: 'pi_other' }, reference);
    assert.deepEqual(again, { kind: 'succeeded' });
    for (const other of [{ totalAmount: 999 }, { idempotencyKey: 'att_other' }]) {
      await assert.rejects(processor.charge({ ...asked, ...other }, reference), /responded 400/);
    }
    await assert.rejects(processor.prepare({ ...asked, totalAmount: 999 }), /responded 400/);
    assert.equal(await takenFor(asked), 1);
  });

  it('reports the outcome of a payment by its reference, and changes nothing', async () => {
    const asked = request('');
    assert.equal(await cardState(asked), 'not_charged');
    await charge(asked);
    assert.equal(await cardState(asked), 'succeeded');
    await assert.rejects(processor.inquire(asked, 'ref_unknown', withoutClock(realNow())), /responded 404/);
  });

  it('cancels a reservation that was not charged, for good', async () => {
    const asked = request('');
    const reference = await reserve(asked);
    await processor.cancel(reference);
    await killAndWait();
    assert.equal(await cardState(asked), 'canceled');
    await assert.rejects(processor.charge(asked, reference), RequestRefused);
    assert.equal(await takenFor(asked), 0);
  });

  it('does not cancel a payment that was charged', async () => {
    const asked = request('');
    await charge(asked);
    await processor.cancel(await reserve(asked));
    assert.equal(await cardState(asked), 'succeeded');
  });

  it('follows a debit through its result and its return, by the customer’s time', async () => {
    const asked = request('', { ...typed, metadata: { _sandbox_bank_outcome: 'late_dishonour' } });
    const resultAt = new Date('2027-03-30T22:00:00.000Z');
    assert.deepEqual(await charge(asked), { kind: 'submitted', expectedAt: resultAt });
    const kinds = [];
    for (const at of ['2027-03-30T21:59:59Z', '2027-03-30T22:00:00Z', '2027-04-04T23:00:00Z']) {
      kinds.push((await inquire(asked, customerInstant(at))).kind);
    }
    assert.deepEqual(kinds, ['submitted', 'succeeded', 'returned']);
  });

  it('reserves a debit of an account with its number and accepted mandate alone, and keeps four digits of it', async () => {
    const asked = request('', typed);
    await reserve(asked);
    const [call] = await callsOf(asked);
    assert.ok(call?.kind === 'prepare');
    assert.equal(call.body.payment_method.bank_account?.account_number, '****5678');
    assert.doesNotMatch(JSON.stringify(await standIn.calls()), /12345678/);
    const { mandate } = typed.debit;
    const refused: [ReadBankAccount, Partial<ChargeRequest>][] = [
      [async () => null, typed],
      [async () => ({ ...account, bsbNumber: '06200' }), typed],
      [async () => ({ ...account, accountNumber: '' }), typed],
      [async () => ({ ...account, accountName: '' }), typed],
      [async () => account, { debit: { ...typed.debit, mandate: { ...mandate, acceptedAt: null } } }],
      [async () => account, { debit: { ...typed.debit, mandate: { ...mandate, signatoryName: null } } }],
      [async () => account, { debit: { ...typed.debit, mandate: { ...mandate, ipAddress: null } } }],
    ];
    for (const [readAccount, over] of refused) {
      const client = createHttpProcessor({ ...standIn, readAccount });
      assert.deepEqual(await client.prepare(request('', { ...typed, ...over })), declined('processor_rejected'));
      await client.close();
    }
  });

  it('gives a refund once under its key, and reports its outcome', async () => {
    const refund: RefundRequest = {
      idempotencyKey: 're_1',
      paymentIntentId: 'pi_1',
      chargeReference: null,
      amount: 300,
      currency: 'AUD',
      metadata: { _stand_in: 'answer_lost' },
    };
    assert.deepEqual(await processor.inquireRefund(refund), { kind: 'not_found' });
    await assert.rejects(processor.refund(refund), OutcomeUnknown);
    assert.deepEqual(await processor.inquireRefund(refund), { kind: 'succeeded' });
    assert.deepEqual(await processor.refund(refund), { kind: 'succeeded' });
    const given = (await standIn.calls()).filter((call) => call.kind === 'refund' && !call.repeated);
    assert.equal(given.length, 1);
  });

  it('lists what it has taken and given back after a cursor, in order, also after it was killed', async () => {
    const { cursor, movements, hasMore } = await processor.movements(null);
    assert.deepEqual([movements, hasMore], [[], false]);
    const [paid, refused] = [request(''), request('', { paymentMethodToken: 'tok_sandbox_visa_timeout' })];
    for (const asked of [paid, refused, paid]) await charge(asked);
    const refund = { ...paid, idempotencyKey: 're_2', chargeReference: await reserve(paid), amount: 300, metadata: {} };
    await processor.refund(refund);
    await killAndWait();
    const since = await processor.movements(cursor);
    assert.deepEqual(
      since.movements.map(({ kind, idempotencyKey, amount }) => [kind, idempotencyKey, amount]),
      [
        ['charge', paid.idempotencyKey, 1018],
        ['refund', 're_2', 300],
      ],
    );
    assert.deepEqual((await processor.movements(since.cursor)).movements, []);
  });

  for (const [weather, taken] of [
    ['reset_before', 0],
    ['rate_limited', 0],
    ['busy', 0],
    ['answer_lost', 1],
    ['error_500', 1],
    ['html', 1],
    ['truncated', 1],
    ['slow_9000', 1],
  ] as const) {
    it(`gives no outcome once in the weather ${weather}, has taken ${taken}, and then tells the truth`, async () => {
      const client = createHttpProcessor({ ...standIn, timeoutMs: 1_000 });
      const asked = request(weather);
      await assert.rejects(charge(asked, client), OutcomeUnknown);
      assert.equal(await takenFor(asked), taken);
      await client.close();
      assert.equal(await cardState(asked), taken === 1 ? 'succeeded' : 'not_charged');
      assert.deepEqual(await charge(asked), { kind: 'succeeded' });
      assert.equal(await takenFor(asked), 1);
    });
  }

  it('never tells by charging that it has taken the money in the weather http_500_stored, only by the reference', async () => {
    const asked = request('http_500_stored');
    for (let nth = 1; nth <= 3; nth += 1) await assert.rejects(charge(asked), /responded 500/);
    await killAndWait();
    await assert.rejects(charge(asked), /responded 500/);
    assert.equal(await cardState(asked), 'succeeded');
    assert.equal(await takenFor(asked), 1);
  });

  for (const [weather, state] of [
    ['refused', 'not_charged'],
    ['refused_after', 'succeeded'],
  ] as const) {
    it(`refuses a charge in the weather ${weather}, and its reference then says ${state}`, async () => {
      const asked = request(weather);
      await assert.rejects(charge(asked), RequestRefused);
      assert.equal(await cardState(asked), state);
    });
  }

  for (const [kind, key] of [
    ['prepare', '_stand_in_prepare'],
    ['inquire', '_stand_in_inquire'],
    ['cancel', '_stand_in_cancel'],
  ] as const) {
    it(`has weather of its own for ${kind}, chosen by ${key}`, async () => {
      const asked = request('', { metadata: { [key]: 'error_500' } });
      if (kind === 'prepare') await assert.rejects(reserve(asked), /responded 500/);
      if (kind === 'inquire') await assert.rejects(inquire(asked), /responded 500/);
      if (kind === 'cancel') await assert.rejects(processor.cancel(await reserve(asked)), /responded 500/);
      assert.equal(await cardState(asked), kind === 'cancel' ? 'canceled' : 'not_charged');
    });
  }

  it('remembers over a kill how often it was asked under a key, and so which weather comes next', async () => {
    const asked = request('answer_lost,error_500');
    await assert.rejects(charge(asked), /connection/);
    await killAndWait();
    await assert.rejects(charge(asked), /responded 500/);
    assert.deepEqual(await charge(asked), { kind: 'succeeded' });
  });

  it('has a climate that can be changed, which leaves a key alone after three calls of a kind', async () => {
    await standIn.setClimate({ seed: '1', share: 1, kinds: ['error_500'] });
    const asked = request('');
    for (let nth = 1; nth <= 3; nth += 1) await assert.rejects(reserve(asked), /responded 500/);
    const reference = await reserve(asked);
    for (let nth = 1; nth <= 3; nth += 1) await assert.rejects(processor.charge(asked, reference), /responded 500/);
    assert.deepEqual(await processor.charge(asked, reference), { kind: 'succeeded' });
    await standIn.setClimate(null);
    assert.deepEqual(await charge(request('')), { kind: 'succeeded' });
  });

  it('cuts off a line that it died in, and reads the others', async () => {
    const asked = request('');
    await charge(asked);
    await standIn.process.hold();
    await appendFile(standIn.ledgerFile, '{"kind":"charge","idempotency_key":"att_torn","am');
    standIn.process.release();
    await eventually('it is up', () => standIn.process.state === 'up');
    assert.deepEqual(await charge(asked), { kind: 'succeeded' });
    assert.equal(await takenFor(asked), 1);
    assert.equal((await standIn.calls()).at(-1)?.idempotency_key, asked.idempotencyKey);
  });

  it('refuses all callers without the secret', async () => {
    const stranger = createHttpProcessor({ url: standIn.url, secret: 'x'.repeat(24) });
    await assert.rejects(charge(request(''), stranger), /responded 401: it refuses the credentials/);
    await stranger.close();
  });
});
