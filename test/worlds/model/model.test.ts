import assert from 'node:assert/strict';
import { describe, it } from 'mocha';
import { carryOutAdvance } from '../../support/advance.ts';
import { useStage } from '../../support/stage.ts';
import type { Place } from '../place.ts';
import { type Happening, tell } from '../telling.ts';
import { waysOf } from '../ways.ts';
import type { World } from '../world.ts';
import { moneyFaults } from './model.ts';
import type { Story } from './story.ts';

const world: World = {
  from: '2027-01-05T00:00:00.000Z',
  days: 30,
  time_zone: 'UTC',
  strides: '1',
  customers: [
    {
      card: 'tok_sandbox_visa_succeed',
      account: { lapses_in_days: null },
      first: 'card',
      subjects: [
        {
          kind: 'plan',
          terms: {
            ...{ name: 'Plan', currency: 'AUD', recurring_amount_cents: 2500, frequency_type: 'weekly' },
            ...{ start_date: '2027-01-05', until_further_notice: true },
          },
        },
        {
          kind: 'subscription',
          terms: {
            ...{ name: 'Membership', currency: 'AUD', frequency_type: 'weekly', payment_instrument_id: 'account' },
            ...{ items: [{ name: 'Membership', unit_amount_cents: 4500 }], effective_on: 'submitted' },
          },
        },
      ],
    },
  ],
  actions: [
    { at: 24, customer: 1, subject: 1, do: 'refund', body: {} },
    { at: 24 * 16, customer: 1, subject: 1, do: 'close' },
    {
      ...{ at: 24 * 17, customer: 1, subject: 2, do: 'change' },
      body: { items: [{ name: 'Membership', unit_amount_cents: 1500 }], when: 'now' },
    },
    { at: 24 * 21, customer: 1, subject: 2, do: 'cancel', body: { at: 'now' } },
  ],
};

describe('the model of what may be taken, on a world', () => {
  const stage = useStage();

  it('finds nothing in a sound one, and each rule finds what was damaged in it', async () => {
    const { sql } = stage.db;
    const carryOut = (clockId: string) => carryOutAdvance(sql, clockId);
    const place: Place = { url: stage.api.url, sql, vault: stage.vault, carryOut };
    const [way] = waysOf(world);
    assert.ok(way);
    const telling = await tell(place, world, way);
    assert.deepEqual([telling.faults, moneyFaults(telling.story)], [[], []]);
    const { story: sound } = telling;
    const rulesOf = (damage: (story: Story) => void) => {
      const damaged = structuredClone(sound);
      damage(damaged);
      return moneyFaults(damaged).map(({ rule }) => rule);
    };
    const firstDay = { at: '2027-01-05T00:00:00.000Z', sequence: 0 };
    for (const end of ['payment_plan.closed', 'subscription.canceled']) {
      const rules = rulesOf((damaged) => {
        Object.assign(eventOf(damaged, end), firstDay);
      });
      assert.deepEqual(rules, ['after an end nothing is taken'], end);
    }
    const twice = rulesOf((damaged) => {
      damaged.happenings.unshift(eventOf(damaged, 'payment_intent.succeeded'));
    });
    assert.deepEqual(twice, ['nothing is paid for twice, and nothing for nothing']);
    const back = ['never more is given back than is held'];
    const refunded = rulesOf((damaged) => {
      eventOf(damaged, 'refund.succeeded').data.amount += 1;
    });
    assert.deepEqual(refunded, back);
    const subscription = 'customer1/subscription2';
    assert.ok(sound.resources[subscription].credit_balance_cents > 0);
    const credited = rulesOf(({ resources }) => {
      resources[subscription].credit_balance_cents += 1;
    });
    assert.deepEqual(credited, back);
    const owed = rulesOf(({ resources }) => {
      resources['customer1/plan1'].state = 'active';
    });
    assert.deepEqual(owed, ['what is owed has a date, or a reason that a biller can act on']);
  });
});

function eventOf({ happenings }: Story, type: string): Happening {
  const found = happenings.find((happening) => happening.type === type);
  assert.ok(found, `no ${type} in the story`);
  return found;
}
