import assert from 'node:assert/strict';
import { appendFile } from 'node:fs/promises';
import { after, before, describe, it } from 'mocha';
import { eventually } from '../../lab/eventually.ts';
import { type StandIn, startStandIn } from '../../lab/stand-in.ts';
import { createHttpProcessor, type HttpProcessor } from '../../src/processors/http-processor.ts';
import { type ChargeRequest, OutcomeUnknown } from '../../src/processors/processor.ts';
import { useFolder } from '../runtime/support.ts';

describe('the stand-in for a live processor', function () {
  this.timeout(60_000);
  const folder = useFolder();
  let standIn: StandIn;
  let processor: HttpProcessor;
  let last = 0;

  before('start it', async () => {
    standIn = await startStandIn(folder.path);
    processor = createHttpProcessor({ ...standIn, timeoutMs: 3_000 });
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
      openedAt: new Date('2026-01-01T00:00:00Z'),
      paymentMethodId: 'pm_1',
      paymentMethodType: 'card',
      paymentMethodToken: 'tok_sandbox_visa_succeed',
      fixtureToken: null,
      metadata: weather === '' ? {} : { _stand_in: weather },
      debit: null,
      ...over,
    };
  }
  const charge = (asked: ChargeRequest, by = processor) => by.charge(asked, asked.idempotencyKey);
  const callsOf = async ({ idempotencyKey: key }: ChargeRequest) =>
    (await standIn.calls()).filter((call) => call.idempotency_key === key);
  const takenFor = async (asked: ChargeRequest) =>
    (await callsOf(asked)).filter((call) => call.kind === 'charge' && call.repeated !== true).length;

  async function killAndWait(): Promise<void> {
    const { starts } = standIn.process;
    standIn.process.kill();
    assert.ok(await standIn.process.untilUp(30_000, starts));
  }

  it('decides by the token of the card, as the sandbox does by its fixture', async () => {
    const outcomes = [];
    for (const token of ['succeed', 'decline_insufficient_funds', 'decline_card_lost', '3ds_required', 'timeout']) {
      const outcome = await charge(request('', { paymentMethodToken: `tok_sandbox_visa_${token}` }));
      outcomes.push(outcome.kind === 'failed' ? outcome.code : outcome.kind);
    }
    const expected = ['succeeded', 'insufficient_funds', 'card_declined', 'requires_action', 'gateway_timeout'];
    assert.deepEqual(outcomes, expected);
  });

  it('rejects a token that it does not know, and takes nothing', async () => {
    const outcome = await charge(request('', { paymentMethodToken: 'tok_of_another_vault' }));
    assert.deepEqual(outcome.kind === 'failed' && outcome.code, 'processor_rejected');
  });

  it('takes money once per key, also after it was killed, and for requests at the same moment', async () => {
    const asked = request('');
    const both = await Promise.all([charge(asked), charge(asked)]);
    await killAndWait();
    assert.deepEqual([...both, await charge(asked)], Array(3).fill({ kind: 'succeeded' }));
    const calls = await callsOf(asked);
    assert.deepEqual([calls.length, await takenFor(asked)], [3, 1]);
  });

  it('keeps the outcome of a key whatever a repetition says, and refuses another amount under it', async () => {
    const asked = request('');
    await charge(asked);
    const declining = { ...asked, paymentMethodToken: 'tok_sandbox_visa_decline_insufficient_funds' };
    assert.deepEqual(await charge({ ...declining, paymentIntentId: 'pi_other' }), { kind: 'succeeded' });
    await assert.rejects(charge({ ...asked, totalAmount: 999 }), OutcomeUnknown);
    const amounts = (await callsOf(asked)).map((call) => call.kind === 'charge' && call.amount);
    assert.deepEqual(amounts, [1018, 1018, 999], 'the ledger shows that the key was used for another amount');
  });

  for (const [weather, taken] of [
    ['reset', 0],
    ['rate_limited', 0],
    ['busy', 0],
    ['answer_lost', 1],
    ['error_500', 1],
    ['html', 1],
    ['truncated', 1],
    ['slow_9000', 1],
  ] as const) {
    it(`in the weather ${weather} gives no outcome once, has taken ${taken}, and then tells the truth`, async () => {
      const client = createHttpProcessor({ ...standIn, timeoutMs: 1_000 });
      const asked = request(weather);
      await assert.rejects(charge(asked, client), OutcomeUnknown);
      assert.equal(await takenFor(asked), taken);
      await client.close();
      assert.deepEqual(await charge(asked), { kind: 'succeeded' });
      assert.equal(await takenFor(asked), 1);
    });
  }

  it('remembers over a kill how often it was asked under a key, and so which weather comes next', async () => {
    const asked = request('answer_lost,error_500');
    await assert.rejects(charge(asked), /connection/);
    await killAndWait();
    await assert.rejects(charge(asked), /responded 500/);
    assert.deepEqual(await charge(asked), { kind: 'succeeded' });
  });

  it('has a climate that can be changed, which leaves a key alone after three calls', async () => {
    await standIn.setClimate({ seed: '1', share: 1, kinds: ['error_500'] });
    const asked = request('');
    for (let nth = 1; nth <= 3; nth += 1) await assert.rejects(charge(asked), /responded 500/);
    assert.deepEqual(await charge(asked), { kind: 'succeeded' });
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

  it('refuses everybody without the secret', async () => {
    const stranger = createHttpProcessor({ url: standIn.url, secret: 'x'.repeat(24) });
    await assert.rejects(charge(request(''), stranger), /responded 401: it refuses us/);
    await stranger.close();
  });
});
