import assert from 'node:assert/strict';
import { appendFile } from 'node:fs/promises';
import { after, before, describe, it } from 'mocha';
import { eventually } from '../../lab/eventually.ts';
import { type StandIn, startStandIn } from '../../lab/stand-in.ts';
import { declined } from '../../src/domain/charge-outcome.ts';
import { customerInstant } from '../../src/domain/instants.ts';
import { realInstant } from '../../src/platform/real-time.ts';
import { createHttpProcessor, type HttpProcessor } from '../../src/processors/http-processor.ts';
import {
  type ChargeRequest,
  OutcomeUnknown,
  type ReadBankAccount,
  RequestRefused,
} from '../../src/processors/processor.ts';
import { useFolder } from '../runtime/support.ts';

const account = { bsbNumber: '062000', accountNumber: '12345678', accountName: 'Jo Nguyen', email: null };
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
      billerId: 'acct_1',
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
      attended: false,
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

  it('cancels a reservation that was not charged, for good', async () => {
    const asked = request('');
    const reference = await reserve(asked);
    await processor.cancel(asked, reference);
    await killAndWait();
    assert.equal(await cardState(asked), 'canceled');
    await assert.rejects(processor.charge(asked, reference), RequestRefused);
    assert.equal(await takenFor(asked), 0);
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

  it('remembers over a kill how often it was asked under a key, and so which weather comes next', async () => {
    const asked = request('answer_lost,error_500');
    await assert.rejects(charge(asked), /connection/);
    await killAndWait();
    await assert.rejects(charge(asked), /responded 500/);
    assert.deepEqual(await charge(asked), { kind: 'succeeded' });
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
});
