import assert from 'node:assert/strict';
import { afterEach, describe, it } from 'mocha';
import { addMs } from '../../src/domain/instants.ts';
import { realNow } from '../../src/platform/real-time.ts';
import { OutcomeUnknown } from '../../src/processors/processor.ts';
import { type CrashPoint, listenToCrashPoints } from '../../src/services/crash-points.ts';
import { recoverCharges } from '../../src/services/payments/payment-confirmation.ts';
import type { Reply } from '../support/api.ts';
import type { StageOptions } from '../support/stage.ts';
import { useSubscriber } from '../support/subscriber.ts';
import { assertAccounted } from './account.ts';

const resumedAt = '2027-03-05T09:00:00Z';
const retriedAt = '2027-02-10T09:00:00Z';

/** The commands that collect, and a subscription for which each is due, with one payment made and one to come. */
const commands = ['resume', 'retry_now'] as const;
type Command = (typeof commands)[number];

function useCommands(options: StageOptions = {}) {
  const subscriber = useSubscriber(options);
  const { stage, here } = subscriber;
  return {
    ...subscriber,
    async waitingFor(command: Command): Promise<string> {
      if (command === 'retry_now') {
        const metadata = { _sandbox_outcome_by_period: 'succeed;decline,succeed' };
        const id = await subscriber.started({ metadata });
        await here.advance(retriedAt);
        return id;
      }
      const id = await subscriber.started();
      await subscriber.ask(id, 'pause');
      await here.advance(resumedAt);
      return id;
    },
    send: (id: string, command: string, { key, body }: { key?: string; body?: object } = {}): Promise<Reply> =>
      stage.api.send('POST', `/api/v1/subscriptions/${id}/${command}`, {
        key: stage.keys.sandboxSecret,
        ...(key === undefined ? {} : { headers: { 'Idempotency-Key': key } }),
        ...(body === undefined ? {} : { body }),
      }),
    /** What the workflow does that wakes now. */
    wakes: async (id: string): Promise<void> => {
      const { frozen_time: at } = await stage.merchant.getClock(here.clock);
      await stage.collectSubscription(id, at);
    },
    attemptsOf: async (id: string): Promise<number> => {
      const { latest_payment_intent_id: intent } = await subscriber.get(id);
      const [row] = await stage.db.sql<{ count: number }[]>`
        select count(*)::integer as count from payment_attempts where payment_intent_id = ${intent}`;
      return row?.count ?? 0;
    },
  };
}

/** How many attempts the payment of the period has once the command has charged. */
const attempts = { resume: 1, retry_now: 2 };

describe('a command on a subscription whose process dies while it collects', () => {
  const life = useCommands({ isAlone: true });
  const { stage } = life;
  afterEach('pass on', () => listenToCrashPoints(() => {}));

  const dieAt = (point: CrashPoint) =>
    listenToCrashPoints((passed) => {
      if (passed !== point) return;
      listenToCrashPoints(() => {});
      throw new Error('the process is gone');
    });

  /** Paid once, by the one attempt of the command, and told once. */
  async function assertPaidOnce(id: string, command: Command): Promise<void> {
    const { state, in_effect: isServed, current_period: period } = await life.get(id);
    assert.deepEqual([state, isServed, period.number, period.status], ['active', true, 2, 'paid']);
    assert.deepEqual([stage.ledger.taken.size, await life.attemptsOf(id)], [2, attempts[command]]);
    const said = (await life.events(id)).filter((line) => line.includes(' in_effect_changed '));
    assert.deepEqual(
      said.map((line) => line.split(' ').at(-1)),
      said.map((_, index) => String(index % 2 === 0)),
    );
    await assertAccounted(stage);
  }

  for (const command of commands) {
    for (const point of ['confirm opened', 'confirm charged', 'confirm completed'] as const) {
      it(`is finished, after "${point}" of ${command}, by a repetition with the same key, and the money is taken once`, async () => {
        const id = await life.waitingFor(command);
        dieAt(point);
        assert.equal((await life.send(id, command, { key: 'k' })).status, 500);
        const again = await life.send(id, command, { key: 'k' });
        assert.deepEqual([again.status, again.body.state, again.body.in_effect], [200, 'active', true], again.text);
        assert.equal((await life.send(id, command, { key: 'k' })).text, again.text);
        await assertPaidOnce(id, command);
      });

      it(`is finished, after "${point}" of ${command}, by housekeeping and the workflow that wakes`, async () => {
        const id = await life.waitingFor(command);
        dieAt(point);
        assert.equal((await life.send(id, command, { key: 'k' })).status, 500);
        await life.wakes(id);
        await recoverCharges(stage.db.sql, stage.charging, addMs(realNow(), 3_600_000));
        await life.wakes(id);
        await assertPaidOnce(id, command);
        const again = await life.send(id, command, { key: 'k' });
        assert.deepEqual([again.status, again.body.state], [200, 'active'], again.text);
        await assertPaidOnce(id, command);
      });
    }

    it(`says that ${command} got no answer, and a second request does not charge again`, async () => {
      const id = await life.waitingFor(command);
      stage.ledger.beforeAnswer = async () => {
        stage.ledger.beforeAnswer = async () => {};
        throw new OutcomeUnknown('its process died');
      };
      assert.equal((await life.send(id, command)).status, 503);
      const waiting = await life.get(id);
      assert.equal(waiting.current_period.status, 'processing');
      if (command === 'resume') assert.equal(waiting.in_effect, false);
      assert.equal((await life.send(id, command)).status, 422);
      await recoverCharges(stage.db.sql, stage.charging, addMs(realNow(), 3_600_000));
      await assertPaidOnce(id, command);
    });
  }
});

describe('commands that collect, at the same time', () => {
  const life = useCommands({ isAlone: true });
  const { stage, here } = life;

  for (const command of commands) {
    it(`${command} twice: one charges, and the other is refused`, async () => {
      const id = await life.waitingFor(command);
      const replies = await Promise.all([life.send(id, command), life.send(id, command)]);
      assert.deepEqual(replies.map(({ status }) => status).sort(), [200, 422]);
      assert.deepEqual([stage.ledger.taken.size, await life.attemptsOf(id)], [2, attempts[command]]);
      await assertAccounted(stage);
    });

    it(`${command} twice with one key: both get the one response`, async () => {
      const id = await life.waitingFor(command);
      const replies = await Promise.all([1, 2, 3].map(() => life.send(id, command, { key: 'k' })));
      assert.deepEqual(new Set(replies.map(({ text }) => text)).size, 1);
      assert.deepEqual([replies[0]?.status, stage.ledger.taken.size], [200, 2]);
      await assertAccounted(stage);
    });

    it(`${command} beside the workflow that wakes, before and after the processor has the charge`, async () => {
      const id = await life.waitingFor(command);
      stage.ledger.beforeAnswer = async () => {
        stage.ledger.beforeAnswer = async () => {};
        await life.wakes(id);
      };
      const [reply] = await Promise.all([life.send(id, command), life.wakes(id)]);
      assert.deepEqual([reply.status, reply.body.state, reply.body.in_effect], [200, 'active', true], reply.text);
      assert.deepEqual([stage.ledger.taken.size, await life.attemptsOf(id)], [2, attempts[command]]);
      await assertAccounted(stage);
    });

    for (const [rival, body] of [
      ['cancel', { at: 'now' }],
      ['cancel', {}],
      ['pause', {}],
    ] as const) {
      it(`${command} beside ${rival} ${JSON.stringify(body)}: what is paid is served or credit`, async () => {
        const id = await life.waitingFor(command);
        const [reply, other] = await Promise.all([life.send(id, command), life.send(id, rival, { body })]);
        assert.ok([200, 422].includes(reply.status) && [200, 422].includes(other.status), reply.text + other.text);
        const after = await life.get(id);
        if (after.state === 'canceled' && stage.ledger.taken.size === 2) {
          const isServed = after.paid_periods === 2;
          assert.ok(isServed || after.credit_balance_cents === 4900, JSON.stringify(after));
        }
        await stage.collectSubscriptionAll(id, (await stage.merchant.getClock(here.clock)).frozen_time);
        if (after.state === 'canceled') assert.ok(stage.ledger.taken.size <= 2);
        await assertAccounted(stage);
      });
    }

    it(`${command} beside an advance: it comes before, or is refused, and is charged once`, async () => {
      const id = await life.waitingFor(command);
      const target = command === 'resume' ? '2027-03-06T00:00:00Z' : '2027-02-10T18:00:00Z';
      const [reply] = await Promise.all([life.send(id, command), stage.merchant.beginAdvance(here.clock, target)]);
      await stage.carryOut(here.clock);
      if (reply.status === 200) assert.equal(reply.body.state, 'active');
      else assert.deepEqual([reply.status, reply.body.error.code], [422, 'test_clock_advancing']);
      assert.equal(stage.ledger.taken.size, reply.status === 200 ? 2 : 1);
      await assertAccounted(stage);
    });
  }

  it('resume beside two workers that look: its period begins once', async () => {
    const id = await life.waitingFor('resume');
    await Promise.all([life.send(id, 'resume'), life.wakes(id), life.wakes(id)]);
    assert.equal((await life.periods(id)).length, 2);
    assert.equal(stage.ledger.taken.size, 2);
    await assertAccounted(stage);
  });
});
