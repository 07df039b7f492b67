import assert from 'node:assert/strict';
import { describe, it } from 'mocha';
import { addMs } from '../../src/domain/instants.ts';
import { realNow } from '../../src/platform/real-time.ts';
import { executeSubscriptionCommand } from '../../src/services/subjects/operator-commands.ts';
import { useSubscriber } from '../support/subscriber.ts';

/** Each title names what comes after the end of the grace and before the workflow’s own step. */
describe('a subscription whose grace has ended', () => {
  const subscriber = useSubscriber();
  const { stage } = subscriber;
  const afterGrace = '2027-02-20T00:00:00Z';

  /** Past due since 10 February, with grace until the 17th. The clock is at the 20th, and no step was made since. */
  async function pastGrace(): Promise<{ id: string; intent: string }> {
    const id = await subscriber.started({ metadata: { _sandbox_outcome_by_period: 'succeed;decline,succeed' } });
    await stage.collectSubscriptionAll(id, '2027-02-10T00:00:00Z');
    const { state, in_effect, latest_payment_intent_id: intent } = await subscriber.get(id);
    assert.deepEqual([state, in_effect], ['past_due', true]);
    await stage.db.sql`update test_clocks set frozen_time = ${afterGrace} where id = ${subscriber.here.clock}`;
    return { id, intent };
  }
  const effects = async (id: string) =>
    (await subscriber.events(id)).filter((line) => / in_effect_changed /.test(line));
  const ended = ['2027-01-10 in_effect_changed true', '2027-02-20 in_effect_changed false'];

  it('says so in an event when its payment is confirmed', async () => {
    const { id, intent } = await pastGrace();
    const card = await stage.merchant.card(subscriber.here.customer);
    const { body } = await stage.request('POST', `/payment_intents/${intent}/confirm`, { payment_method: card });
    assert.equal(body.status, 'succeeded');
    assert.deepEqual(await effects(id), [...ended, '2027-02-20 in_effect_changed true']);
  });

  for (const name of ['retryNow', 'recheck'] as const) {
    it(`says so in an event when an operator sends ${name}`, async () => {
      const { id } = await pastGrace();
      const by = { kind: 'command_line', id: 'ada' } as const;
      await stage.db
        .sql`update subscriptions set next_attempt_at = next_attempt_at + interval '1 hour' where id = ${id}`;
      await executeSubscriptionCommand(stage.db.sql, id, { name, by }, addMs(realNow(), 3_600_000));
      assert.deepEqual(await effects(id), ended);
    });
  }
});
