import assert from 'node:assert/strict';
import { type StandIn, startStandIn } from '../../lab/stand-in.ts';
import { declined } from '../../src/domain/charge-outcome.ts';
import { addMs, customerInstant, withoutClock } from '../../src/domain/instants.ts';
import { realInstant } from '../../src/platform/real-time.ts';
import { createHttpProcessor, type HttpProcessor } from '../../src/processors/http-processor.ts';
import type { ChargeRequest, PaymentProcessor, RefundRequest } from '../../src/processors/processor.ts';
import { sandboxProcessor } from '../../src/processors/sandbox.ts';
import { useFolder } from '../runtime/support.ts';

const at = realInstant('2027-01-05T00:00:00Z');
/** Charged before Easter: the result comes on Wednesday 31 March, 09:00 in Sydney. */
const debit = {
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
};
const account = { bsbNumber: '062000', accountNumber: '12345678', accountName: 'Jo Nguyen', email: null };
const resultAt = customerInstant('2027-03-30T22:00:00.000Z');
const lateAt = customerInstant('2027-04-04T23:00:00.000Z');

describe('every processor of the sandbox', function () {
  this.timeout(60_000);
  const folder = useFolder();
  let standIn: StandIn;
  let service: HttpProcessor;
  let last = 0;

  before('start a processor service', async () => {
    standIn = await startStandIn(folder.path);
    service = createHttpProcessor({ ...standIn, livemode: false, readAccount: async () => account });
  });
  after('end it', async () => {
    await service.close();
    await standIn.stop();
  });

  function request(over: Partial<ChargeRequest> = {}): ChargeRequest {
    last += 1;
    return {
      idempotencyKey: `att_${last}`,
      billerId: 'acct_1',
      paymentIntentId: `pi_${last}`,
      amount: 1000,
      totalAmount: 1018,
      currency: 'AUD',
      attempt: 1,
      openedAt: at,
      paymentMethodId: 'pm_1',
      paymentMethodType: 'card',
      paymentMethodToken: null,
      fixtureToken: null,
      metadata: {},
      attended: false,
      debit: null,
      ...over,
    };
  }

  const debitRequest = (word: string, over: Partial<ChargeRequest> = {}) =>
    request({ paymentMethodType: 'au_becs_debit', metadata: { _sandbox_bank_outcome: word }, debit, ...over });

  async function reserve(processor: PaymentProcessor, asked: ChargeRequest): Promise<string> {
    if (processor.prepare === null) return asked.idempotencyKey;
    const reserved = await processor.prepare(asked);
    assert.ok(reserved.kind === 'reserved');
    return reserved.reference;
  }

  for (const [where, of] of [
    ['inside the service', () => sandboxProcessor],
    ['behind HTTP', () => service],
  ] as const) {
    for (const [what, over, outcome] of [
      ['a good card', {}, { kind: 'succeeded' }],
      ['an amount that is declined', { amount: 1001 }, declined('insufficient_funds')],
      ['an amount that times out', { amount: 1099 }, declined('gateway_timeout')],
      ['a challenge', { amount: 1002 }, { kind: 'requires_action' }],
      ['a fixture that is declined', { fixtureToken: 'tok_sandbox_visa_decline_card_lost' }, declined('card_declined')],
      ['a token that no fixture has', { paymentMethodToken: 'tok_of_a_vault' }, { kind: 'succeeded' }],
      [
        'the second word of the metadata',
        { attempt: 2, metadata: { _sandbox_outcome: 'succeed,decline' } },
        declined('insufficient_funds'),
      ],
    ] as const) {
      it(`${where} charges ${what} once, and tells the same by the reference`, async () => {
        const [processor, asked] = [of(), request(over)];
        const reference = await reserve(processor, asked);
        for (let nth = 1; nth <= 2; nth += 1) assert.deepEqual(await processor.charge(asked, reference), outcome);
        assert.deepEqual(await processor.inquire(asked, reference, withoutClock(at)), { ...outcome, nextAt: null });
        await processor.cancel(asked, reference);
        // A challenge is no outcome yet: it can be given up, where the processor keeps what it was told.
        const isGivenUp = outcome.kind === 'requires_action' && processor.prepare !== null;
        const after = { ...(isGivenUp ? { kind: 'canceled' } : outcome), nextAt: null };
        assert.deepEqual(await processor.inquire(asked, reference, withoutClock(at)), after);
      });
    }

    it(`${where} submits a debit, and has its result when it is due`, async () => {
      for (const [word, result] of [
        ['settled', { kind: 'succeeded', nextAt: null }],
        ['account_closed', { ...declined('account_closed'), bankCode: '3', nextAt: null }],
      ] as const) {
        const [processor, asked] = [of(), debitRequest(word)];
        const reference = await reserve(processor, asked);
        assert.deepEqual(await processor.charge(asked, reference), { kind: 'submitted', expectedAt: resultAt });
        const before = await processor.inquire(asked, reference, addMs(resultAt, -1));
        assert.deepEqual(before, { kind: 'submitted', expectedAt: resultAt, nextAt: resultAt });
        assert.deepEqual(await processor.inquire(asked, reference, resultAt), result);
      }
    });

    it(`${where} says when a debit comes back, and why it has`, async () => {
      const [processor, asked] = [of(), debitRequest('late_dishonour')];
      const reference = await reserve(processor, asked);
      await processor.charge(asked, reference);
      const collected = await processor.inquire(asked, reference, resultAt);
      assert.deepEqual(collected, { kind: 'succeeded', nextAt: lateAt });
      const { code, message } = declined('insufficient_funds');
      const returned = { kind: 'returned', code, message, bankCode: '6', at: lateAt, nextAt: null };
      assert.deepEqual(await processor.inquire(asked, reference, lateAt), returned);
    });

    it(`${where} refuses a debit at once that no bank would take`, async () => {
      const asked = debitRequest('', { metadata: { _sandbox_outcome: 'timeout' } });
      const reference = await reserve(of(), asked);
      assert.deepEqual(await of().charge(asked, reference), declined('gateway_timeout'));
    });

    it(`${where} gives a refund once, and reports its outcome`, async () => {
      for (const [amount, outcome] of [
        [300, { kind: 'succeeded' }],
        [303, { kind: 'failed' }],
      ] as const) {
        last += 1;
        const asked: RefundRequest = {
          idempotencyKey: `re_${last}`,
          billerId: 'acct_1',
          paymentIntentId: 'pi_1',
          chargeReference: null,
          amount,
          currency: 'AUD',
          metadata: {},
        };
        for (let nth = 1; nth <= 2; nth += 1) assert.deepEqual(await of().refund(asked), outcome);
        assert.deepEqual(await of().inquireRefund(asked), outcome);
      }
    });
  }

  it('behind HTTP takes the reference of a biller for nothing under another', async () => {
    const asked = request();
    const reference = await reserve(service, asked);
    const other: ChargeRequest = { ...asked, billerId: 'acct_other' };
    await assert.rejects(service.charge(other, reference), /responded 404/);
    await assert.rejects(service.inquire(other, reference, withoutClock(at)), /responded 404/);
    await assert.rejects(service.cancel(other, reference), /responded 404/);
    await assert.rejects(service.prepare(other), /responded 404/);
    const refund = { idempotencyKey: 're_other', paymentIntentId: asked.paymentIntentId, chargeReference: reference };
    const stranger = { ...refund, billerId: 'acct_other' as const, amount: 1, currency: 'AUD', metadata: {} };
    await assert.rejects(service.refund(stranger), /responded 404/);
    await assert.rejects(service.inquireRefund(stranger), /responded 404/);
    const state = await service.inquire(asked, reference, withoutClock(at));
    assert.deepEqual(state, { kind: 'not_charged', nextAt: null });
  });
});
