import assert from 'node:assert/strict';
import { describe, it } from 'mocha';
import { realNow } from '../../src/platform/real-time.ts';
import { skipPlanSlot } from '../../src/services/plans/plan-slot-skipping.ts';
import type { Reply } from '../support/api.ts';
import { tester } from '../support/factories.ts';
import { frozen, usePayer } from '../support/payer.ts';
import { assertAccounted, eventsSoFar, toldSince } from './account.ts';
import type { SharedRow } from './barriers.ts';
import { type ByMoment, eachMoment, meet } from './moments.ts';

/** A plan whose first payment is due, and what a request may touch of it at that instant. */
interface Due {
  plan: string;
  card: string;
  otherCard: string;
}

interface Deed {
  names: string;
  terms?: object;
  /** The row that deed and charge both lock; the plan's unless it is the method's. */
  row?: 'payment_methods';
  does: (due: Due) => Promise<Reply>;
  /** Answer, plan, slots, money and events. */
  comesTo: ByMoment;
}

describe('a plan’s charge at its due instant', () => {
  const here = usePayer();
  const { stage } = here;
  const put = (path: string, body: object) => stage.request('PUT', path, body);
  const move = (transition: string) => (due: Due) => stage.request('POST', `/payment_plans/${due.plan}/${transition}`);
  const update = (change: object) => (due: Due) => put(`/payment_plans/${due.plan}`, change);
  const paid = 'payment_intent.succeeded';

  const ends = (transition: string, state: string): Deed => ({
    names: transition,
    does: move(transition),
    comesTo: {
      ahead: `200; ${state}, 0 collected; no slot; took nothing; payment_plan.${state}`,
      behind: `200; ${state}, 1000 collected; paid 1000; took 1000; payment_plan.${state} ${paid}`,
      'after settling': `200; ${state}, 1000 collected; paid 1000; took 1000; ${paid} payment_plan.${state}`,
    },
  });
  const deeds: Deed[] = [
    ends('suspend', 'suspended'),
    ends('deactivate', 'deactivated'),
    ends('close', 'closed'),
    {
      names: 'the deletion of its customer',
      does: () => stage.request('DELETE', `/customers/${here.customer}`),
      comesTo: ends('close', 'closed').comesTo,
    },
    {
      names: 'the deletion of its clock',
      does: () => stage.request('DELETE', `/test_helpers/test_clocks/${here.clock}`),
      comesTo: {
        ahead: '200; no plan; took nothing; test_clock.deleted',
        behind: '200; no plan; took 1000; test_clock.deleted',
        'after settling': `200; no plan; took 1000; ${paid} test_clock.deleted`,
      },
    },
    ...(['named', 'default'] as const).map(
      (how): Deed => ({
        names: `the detachment of its ${how} method`,
        terms: how === 'named' ? { payment_instrument_id: '' } : {},
        row: 'payment_methods',
        does: ({ card }) => stage.request('POST', `/payment_methods/${card}/detach`),
        comesTo: {
          ahead: '200; suspended, 0 collected; failed 1000; took nothing; payment_intent.failed payment_plan.suspended',
          behind: `200; active, 1000 collected; paid 1000; took 1000; ${paid}`,
        },
      }),
    ),
    {
      names: 'a change of its amount',
      does: update({ recurring_amount_cents: 700 }),
      comesTo: {
        ahead: `200; active, 700 collected; paid 700; took 700; ${paid}`,
        behind: `200; active, 1000 collected; paid 1000; took 1000; ${paid}`,
      },
    },
    {
      names: 'a change of its method to one that declines',
      does: ({ plan, otherCard }) => put(`/payment_plans/${plan}`, { payment_instrument_id: otherCard }),
      comesTo: {
        ahead: '200; active, 0 collected; retrying 1000; took nothing; payment_intent.failed',
        behind: `200; active, 1000 collected; paid 1000; took 1000; ${paid}`,
      },
    },
    {
      names: 'a skip of its slot by an operator',
      does: ({ plan }) =>
        skipPlanSlot(stage.db.sql, plan, 0, { by: tester, now: realNow() })
          .catch(() => {}) // is refused once it is charged
          .then(() => stage.request('GET', `/payment_plans/${plan}`)),
      comesTo: {
        ahead: '200; active, 0 collected; skipped null; took nothing; ',
        behind: `200; active, 1000 collected; paid 1000; took 1000; ${paid}`,
      },
    },
    {
      names: 'a total lowered below its payment',
      does: update({ total_amount_cents: 900 }),
      comesTo: {
        ahead: `200; closed, 900 collected; paid 900; took 900; ${paid} payment_plan.closed`,
        behind: `422; active, 1000 collected; paid 1000; took 1000; ${paid}`,
      },
    },
    {
      names: 'a total lowered to its payment',
      does: update({ total_amount_cents: 1000 }),
      comesTo: {
        ahead: `200; closed, 1000 collected; paid 1000; took 1000; ${paid} payment_plan.closed`,
        'after settling': `422; active, 1000 collected; paid 1000; took 1000; ${paid}`,
      },
    },
    {
      names: 'another worker that collects it',
      does: ({ plan }) => stage.collect(plan, frozen).then(() => stage.request('GET', `/payment_plans/${plan}`)),
      comesTo: { ahead: `200; active, 1000 collected; paid 1000; took 1000; ${paid}` },
    },
  ];

  /** What has become of the plan, in a line. */
  async function outcomeOf({ plan: id }: Due, { status }: Reply, from: number): Promise<string> {
    const plan = await stage.request('GET', `/payment_plans/${id}`);
    const slots =
      plan.status === 404 ? [] : (await stage.merchant.payments(id)).map((slot) => `${slot.status} ${slot.amount}`);
    const { state, collected_amount_cents: collected } = plan.body;
    return [
      status,
      plan.status === 404 ? 'no plan' : `${state}, ${collected} collected; ${slots.join(', ') || 'no slot'}`,
      `took ${[...stage.ledger.taken.values()].join(', ') || 'nothing'}`,
      (await toldSince(stage, from)).join(' '),
    ].join('; ');
  }

  for (const { names, terms = {}, row = 'payment_plans', does, comesTo } of deeds) {
    for (const [moment, line] of eachMoment(comesTo, row)) {
      it(`meets ${names} at this moment, ${moment}: ${line}`, async () => {
        const otherCard = await stage.merchant.card(here.customer, 'tok_sandbox_visa_decline_insufficient_funds');
        const named = 'payment_instrument_id' in terms ? { payment_instrument_id: here.card } : {};
        const { id } = await here.plan({ total_amount_cents: 5000, ...named });
        await stage.merchant.move(id, 'activate');
        const due = { plan: id, card: here.card, otherCard };
        const from = await eventsSoFar(stage);
        const shared: SharedRow = { table: row, id: row === 'payment_plans' ? id : here.card };
        const { reply } = await meet(
          stage,
          moment,
          shared,
          () => does(due),
          () => stage.collect(id, frozen),
        );
        assert.equal(await outcomeOf(due, reply, from), line);
        const requests = stage.ledger.requests.length;
        await stage.collect(id, frozen);
        assert.equal(stage.ledger.requests.length, requests, 'something more was charged at that instant');
        await assertAccounted(stage, line.includes('no plan') ? stage.ledger.taken.size : 0);
      });
    }
  }
});
