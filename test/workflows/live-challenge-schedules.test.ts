import assert from 'node:assert/strict';
import { type Chance, chanceOf } from '../../lab/random.ts';
import { addMs, customerInstant } from '../../src/domain/instants.ts';
import { findViolations } from '../../src/operations/invariants/invariants.ts';
import { realNow } from '../../src/platform/real-time.ts';
import { createHttpProcessor, type HttpProcessor } from '../../src/processors/http-processor.ts';
import { sandboxProcessor } from '../../src/processors/sandbox.ts';
import { listenToCrashPoints } from '../../src/services/crash-points.ts';
import { expireDueSession } from '../../src/services/links/expiry.ts';
import { paySession } from '../../src/services/links/session-payment.ts';
import { returnUrlOf } from '../../src/services/pages/return-urls.ts';
import { recoverCharges } from '../../src/services/payments/payment-confirmation.ts';
import { settleChallenge, settleChallenges } from '../../src/services/payments/processor-challenge.ts';
import { chargeHook, linkedSubjects } from '../../src/services/subjects/charge-hook.ts';
import { sendChecked } from '../support/api.ts';
import type { Merchant } from '../support/merchant.ts';
import { searchMs, searchRuns, searchSeed } from '../support/search.ts';
import { useService } from '../support/service.ts';

const schedules = searchRuns(36);
const seed = searchSeed;
const atOnce = 6;
const minuteMs = 60_000;
const publicUrl = 'http://pages.test';

const lost = ['answer_lost', 'error_500', 'html', 'truncated', 'reset_before', 'busy'] as const;
const ofCharges = [...lost, 'http_500_stored', 'slow_200'] as const;
const atBank = ['passed', 'passed_150', 'passed_400', 'failed', 'failed_200', 'left', 'nowhere'] as const;
/** The steps after which a process may die. */
const deaths = ['challenge asked', 'challenge given up', 'challenge settled'] as const;

/** A payment that is confirmed, and what may be done with it meanwhile. */
interface Play {
  intent(): Promise<string | null>;
  confirm(): Promise<unknown>;
  end(): Promise<unknown>;
}

describe('challenges of live payments in random weather', function () {
  this.timeout(300_000 + 20 * searchMs);
  const service = useService({ live: true, idle: true, publicUrl });
  let processor: HttpProcessor;
  let merchant: Merchant;

  before('be another process', async () => {
    const returns = (id: string) => returnUrlOf(service.db.sql, { publicUrl, vault: service.vault }, id);
    processor = createHttpProcessor({ ...service.standIn, returnUrlOf: returns });
    merchant = await service.liveMerchant();
  });
  after(() => processor.close());
  afterEach('no process dies any more', () => listenToCrashPoints(() => {}));

  const send = (path: string, body: object, key: string = crypto.randomUUID()) =>
    sendChecked(`${service.url}/api/v1${path}`, 'POST', {
      ...{ key: merchant.key, body, headers: { 'Idempotency-Key': key } },
    });
  const made = async (path: string, body: object) => {
    const reply = await send(path, body);
    assert.ok(reply.status < 300, reply.text);
    return reply.body;
  };
  const wordsOf = (chance: Chance, words: readonly string[], most: number) =>
    Array.from({ length: chance.between(0, most) }, () => (chance.happens(0.4) ? '' : chance.pick(words))).join(',');

  async function payment(chance: Chance, metadata: Record<string, string>): Promise<Play> {
    const { id: customer_id } = await merchant.customer();
    const payment_method = await merchant.card(customer_id);
    const key = crypto.randomUUID();
    const terms = { customer_id, name: 'Gym', currency: 'AUD', metadata };
    const kind = chance.pick(['intent', 'session', 'subscription', 'deleted customer'] as const);
    if (kind === 'session') {
      const types = { payment_method_types: ['card', 'au_becs_debit'] };
      const { id, url } = await made('/checkout_sessions', { ...terms, ...types, amount: 2500 });
      const deps = { charging: charging(), vault: service.vault, ...linkedSubjects };
      const token = String(url).split('/').at(-1) ?? '';
      const form = { version: 0, form: key, method: { id: payment_method }, details: {} };
      return {
        intent: async () => {
          const [row] = await service.db.sql<{ id: string }[]>`
            select payment_intent_id as id from checkout_sessions where id = ${id}`;
          return row?.id ?? null;
        },
        confirm: () => paySession(service.db.sql, deps, token, form, { requestId: 'req_test', now: realNow() }),
        end: async () => {
          await service.db.sql`
            update checkout_sessions set expires_at = now(), wake_at = now()
            where id = ${id} and status in ('open', 'processing')`;
          const time = { at: customerInstant(Date.now() + 1), now: realNow(), maxAheadMs: Infinity };
          await expireDueSession(service.db.sql, chargeHook, id, time);
        },
      };
    }
    if (kind === 'subscription') {
      const items = [{ name: 'Gym', unit_amount_cents: 4900 }];
      const { id } = await made('/subscriptions', { ...terms, frequency_type: 'monthly', items });
      return {
        intent: async () => (await merchant.request('GET', `/subscriptions/${id}`)).body.latest_payment_intent_id,
        confirm: () => send(`/subscriptions/${id}/start`, {}, key),
        end: () => send(`/subscriptions/${id}/cancel`, { at: 'now' }),
      };
    }
    const { id } = await merchant.intent({ customer_id, payment_method, metadata });
    return {
      intent: async () => id,
      confirm: () => send(`/payment_intents/${id}/confirm`, {}, key),
      end: () =>
        kind === 'intent' ? send(`/payment_intents/${id}/cancel`, {}) : merchant.client.customers.delete(customer_id),
    };
  }

  const charging = () => ({ processors: { sandbox: sandboxProcessor, live: processor }, hook: chargeHook });
  /** What every worker does every five seconds, so much later. */
  async function keepHouse(laterMs: number): Promise<void> {
    const now = addMs(realNow(), laterMs);
    await recoverCharges(service.db.sql, charging(), now).catch(() => {});
    await settleChallenges(service.db.sql, charging(), now).catch(() => {});
  }

  /** A payment whose payer has a challenge, whose calls meet random weather, and that may end meanwhile. */
  async function play(number: number): Promise<string> {
    const chance = chanceOf(`${seed}/${number}`);
    const metadata = {
      _sandbox_outcome: 'requires_action',
      _stand_in_challenge: chance.pick(atBank),
      _stand_in: wordsOf(chance, ofCharges, 2),
      _stand_in_inquire: wordsOf(chance, lost, 5),
      _stand_in_cancel: wordsOf(chance, lost, 2),
    };
    const { intent, confirm, end } = await payment(chance, metadata);
    const comeBack = async () => {
      const id = await intent();
      const now = realNow();
      if (id !== null) {
        await settleChallenge(service.db.sql, charging(), id, { now, requestId: null, giveUp: 'if_due' }).catch(
          () => {},
        );
      }
    };
    const tries = [confirm, comeBack, () => keepHouse(2 * minuteMs), end] as const;
    await confirm().catch(() => {});
    for (let step = chance.between(1, 4); step > 0; step -= 1) {
      const chosen = [chance.pick(tries), ...(chance.happens(0.5) ? [chance.pick(tries)] : [])];
      await Promise.all(chosen.map((act) => act().catch(() => {})));
    }
    for (let look = 0; look < 30; look += 1) {
      await confirm().catch(() => {});
      await keepHouse(25 * 60 * minuteMs);
      // Of a single payment whose payer is told nowhere to go, only the biller decides.
      if (look > 10) await end().catch(() => {});
      const id = await intent();
      const status = id === null ? null : (await merchant.getIntent(id)).status;
      if (id !== null && status !== 'processing' && status !== 'requires_action')
        return judge(id, String(status), metadata);
      if (id === null) return 'never opened';
    }
    return assert.fail(`seed ${seed}/${number} has no outcome after fair weather: ${JSON.stringify(metadata)}`);
  }

  /** The processor's own ledger decides what is right. */
  async function judge(intentId: string, status: string, metadata: object): Promise<string> {
    const lines = (await service.standIn.calls()).filter((line) => line.payment_intent_id === intentId);
    const paid = lines.filter((line) => line.kind === 'charge' && !line.repeated && line.outcome === 'succeeded');
    const story = `seed ${seed}: ${intentId} is ${status}: ${JSON.stringify({ metadata, lines })}`;
    assert.equal(paid.length, status === 'succeeded' ? 1 : 0, story);
    return status;
  }

  it('end as the processor says, once, whatever answers are lost and whatever ends meanwhile', async () => {
    const outcomes: string[] = [];
    for (let from = 0; from < schedules; from += atOnce) {
      const numbers = Array.from({ length: Math.min(atOnce, schedules - from) }, (_, index) => from + index);
      outcomes.push(...(await Promise.all(numbers.map(play))));
    }
    for (const seen of ['succeeded', 'failed', 'canceled']) assert.ok(outcomes.includes(seen), outcomes.join());
    assert.deepEqual(await findViolations(service.db.sql), []);
  });

  for (const point of deaths) {
    for (const word of ['passed', 'failed', 'left'] as const) {
      it(`are settled once if a process dies at "${point}" and the payer has ${word}`, async () => {
        const { id: customer_id } = await merchant.customer();
        const payment_method = await merchant.card(customer_id);
        const metadata = { _sandbox_outcome: 'requires_action', _stand_in_challenge: word };
        const { id } = await merchant.intent({ customer_id, payment_method, metadata });
        await send(`/payment_intents/${id}/confirm`, {});
        let deadAt: string | null = null;
        listenToCrashPoints((passed) => {
          if (passed !== point || deadAt !== null) return;
          deadAt = passed;
          throw new Error('the process dies here');
        });
        await keepHouse(20 * minuteMs);
        const isReached = point !== 'challenge given up' || word === 'left';
        assert.equal(deadAt, isReached ? point : null);
        await keepHouse(20 * minuteMs);
        const { status } = await merchant.getIntent(id);
        assert.equal(await judge(id, status, metadata), word === 'passed' ? 'succeeded' : 'failed');
      });
    }
  }
});
