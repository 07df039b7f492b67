import assert from 'node:assert/strict';
import { type Chance, chanceOf } from '../../lab/random.ts';
import { addMs } from '../../src/domain/instants.ts';
import { realNow } from '../../src/platform/real-time.ts';
import { createHttpProcessor, type HttpProcessor } from '../../src/processors/http-processor.ts';
import { sandboxProcessor } from '../../src/processors/sandbox.ts';
import { recoverCharges } from '../../src/services/payments/payment-confirmation.ts';
import { chargeHook } from '../../src/services/subjects/charge-hook.ts';
import { sendChecked } from '../support/api.ts';
import type { Merchant } from '../support/merchant.ts';
import { searchMs, searchRuns, searchSeed } from '../support/search.ts';
import { useService } from '../support/service.ts';

const schedules = searchRuns(40);
const seed = searchSeed;
const atOnce = 6;
const dayMs = 24 * 3_600_000;

const lost = ['answer_lost', 'error_500', 'html', 'truncated', 'reset_before', 'busy'] as const;
const ofReservations = [...lost, 'refused'] as const;
const ofCharges = [...lost, 'http_500_stored', 'refused', 'refused', 'refused_after', 'slow_300'] as const;

describe('live charges in random weather', function () {
  this.timeout(300_000 + 20 * searchMs);
  const service = useService({ live: true, idle: true });
  let processor: HttpProcessor;
  let merchant: Merchant;
  let payer = '';
  let card = '';

  before('have a payer, and be another process', async () => {
    processor = createHttpProcessor(service.standIn);
    merchant = await service.liveMerchant();
    payer = (await merchant.customer()).id;
    card = await merchant.card(payer);
  });
  after(() => processor.close());

  const wordsOf = (chance: Chance, words: readonly string[], most: number) =>
    Array.from({ length: chance.between(0, most) }, () => (chance.happens(0.3) ? '' : chance.pick(words))).join(',');

  /** A payment whose calls meet random weather, asked for again and again, by several processes, days later too. */
  async function play(number: number): Promise<string> {
    const chance = chanceOf(`${seed}/${number}`);
    const metadata = {
      _stand_in_prepare: wordsOf(chance, ofReservations, 2),
      _stand_in: wordsOf(chance, ofCharges, 3),
      _sandbox_outcome: number % atOnce === 0 ? 'decline' : 'succeed',
      _stand_in_inquire: wordsOf(chance, lost, 4),
      _stand_in_cancel: wordsOf(chance, lost, 2),
    };
    const { id } = await merchant.intent({ customer_id: payer, payment_method: card, metadata });
    const key = crypto.randomUUID();
    const confirm = () =>
      sendChecked(`${service.url}/api/v1/payment_intents/${id}/confirm`, 'POST', {
        ...{ key: merchant.key, body: {}, headers: { 'Idempotency-Key': key } },
      });
    const recover = () => {
      const processors = { sandbox: sandboxProcessor, live: processor };
      const later = addMs(realNow(), dayMs);
      return recoverCharges(service.db.sql, { processors, hook: chargeHook }, later).catch(() => {});
    };
    const aDayPasses = () => service.db.sql`
      update payment_reservations set reserved_at = reserved_at - interval '25 hours'
      where attempt_id in (select id from payment_attempts where payment_intent_id = ${id})`;
    for (let step = 0; step < 40; step += 1) {
      if (chance.happens(0.2)) await aDayPasses();
      await (chance.happens(0.4) ? Promise.all([confirm(), recover()]) : confirm());
      const { status } = await merchant.getIntent(id);
      if (status !== 'processing') return judge(id, status, metadata);
    }
    return assert.fail(`seed ${seed}/${number}: ${id} has no outcome after fair weather: ${JSON.stringify(metadata)}`);
  }

  /** The processor's own ledger decides what is right. */
  async function judge(intentId: string, status: string, metadata: object): Promise<string> {
    const lines = (await service.standIn.calls()).filter((line) => line.payment_intent_id === intentId);
    const taken = lines.flatMap((line) =>
      line.kind === 'charge' && line.outcome === 'succeeded' && !line.repeated ? [line.reference] : [],
    );
    const rows = await service.db.sql<{ reference: string }[]>`
      select r.reference from payment_reservations r join payment_attempts a on a.id = r.attempt_id
      where a.payment_intent_id = ${intentId}`;
    const story = `seed ${seed}: ${intentId} is ${status}: ${JSON.stringify({ metadata, taken, rows })}`;
    assert.equal(taken.length, status === 'succeeded' ? 1 : 0, story);
    for (const reference of taken)
      assert.ok(
        rows.some((row) => row.reference === reference),
        story,
      );
    return status;
  }

  it('are made once or not at all, with the outcome that the processor has, whatever answers are lost', async () => {
    const outcomes: string[] = [];
    for (let from = 0; from < schedules; from += atOnce) {
      const numbers = Array.from({ length: Math.min(atOnce, schedules - from) }, (_, index) => from + index);
      outcomes.push(...(await Promise.all(numbers.map(play))));
    }
    assert.deepEqual([...new Set(outcomes)].sort(), ['failed', 'succeeded'], 'both were seen');
  });
});
