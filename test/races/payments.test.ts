import assert from 'node:assert/strict';
import { beforeEach, describe, it } from 'mocha';
import type { Reply } from '../support/api.ts';
import { usePayer } from '../support/payer.ts';
import { useStage } from '../support/stage.ts';
import { assertAccounted, eventsSoFar, toldSince } from './account.ts';
import type { SharedRow } from './barriers.ts';
import { type ByMoment, eachMoment, meet } from './moments.ts';

interface Deed {
  names: string;
  /** The row that deed and charge both lock. */
  row: 'payment_intents' | 'payment_methods' | 'customers' | 'test_clocks';
  does: (intent: string) => Promise<Reply>;
  /** The answer to the deed, to the confirm, the status of the intent, money and events. */
  confirm: ByMoment;
  /** The same, without a confirm, of a scheduled payment on a clock. */
  schedule?: ByMoment;
  /** The same of a create with confirm, in real time. */
  create?: ByMoment;
  /** Where they can meet, if not in both. */
  only?: Place;
}

/** On a clock a charge is opened with locks, in real time it is decided without them. */
type Place = 'on a clock' | 'in real time';

const date = '2027-01-11';

for (const place of ['on a clock', 'in real time'] as const) {
  describe(`a payment that is charged ${place}`, () => {
    const here = place === 'on a clock' ? usePayer() : useFreePayer();
    const { stage } = here;
    const post = (path: string, body?: object) => stage.request('POST', path, body);
    const confirm = (intent: string) => post(`/payment_intents/${intent}/confirm`, { payment_method: here.card });
    const create = () =>
      post('/payment_intents', {
        ...{ amount: 1000, currency: 'AUD', customer_id: here.customer, payment_method: here.card },
        confirm: true,
      });
    const paid = 'took 1000; payment_intent.succeeded';
    const nothing = 'took nothing; ';

    const deeds: Deed[] = [
      {
        names: 'another confirm',
        row: 'payment_intents',
        does: confirm,
        confirm: { ahead: `200, 422; succeeded; ${paid}`, behind: `422, 200; succeeded; ${paid}` },
        schedule: { ahead: `200; succeeded; ${paid}`, behind: `422; succeeded; ${paid}` },
      },
      {
        names: 'a confirm that fails, and is then tried again',
        row: 'payment_intents',
        does: (intent) => post(`/payment_intents/${intent}/confirm`, { payment_method: 'pm_none' }),
        confirm: { ahead: `400, 200; succeeded; ${paid}`, behind: `422, 200; succeeded; ${paid}` },
      },
      {
        names: 'a cancellation',
        row: 'payment_intents',
        does: (intent) => post(`/payment_intents/${intent}/cancel`),
        confirm: {
          ahead: '200, 422; canceled; took nothing; payment_intent.canceled',
          behind: `422, 200; succeeded; ${paid}`,
        },
        schedule: {
          ahead: '200; canceled; took nothing; payment_intent.canceled',
          behind: `422; succeeded; ${paid}`,
        },
      },
      {
        names: 'a refund',
        row: 'payment_intents',
        does: (intent) => post(`/payment_intents/${intent}/refunds`, {}),
        confirm: {
          ahead: `422, 200; succeeded; ${paid}`,
          'after settling': `201, 200; succeeded; ${paid} refund.succeeded`,
        },
        schedule: {
          ahead: `422; succeeded; ${paid}`,
          'after settling': `201; succeeded; ${paid} refund.succeeded`,
        },
      },
      {
        names: 'the detachment of its method',
        row: 'payment_methods',
        does: () => post(`/payment_methods/${here.card}/detach`),
        confirm: { ahead: '200, 400; requires_payment_method; took nothing; ', behind: `200, 200; succeeded; ${paid}` },
        schedule: { ahead: '200; failed; took nothing; payment_intent.failed', behind: `200; succeeded; ${paid}` },
        create: { ahead: `200, 400; none; ${nothing}`, behind: `200, 201; succeeded; ${paid}` },
      },
      {
        names: 'a change of its customer',
        row: 'customers',
        only: 'in real time',
        does: () => stage.request('PUT', `/customers/${here.customer}`, { name: 'Renamed' }),
        confirm: { ahead: `200, 200; succeeded; ${paid}` },
        create: { ahead: `200, 201; succeeded; ${paid}` },
      },
      {
        names: 'the deletion of its customer',
        row: 'customers',
        does: () => stage.request('DELETE', `/customers/${here.customer}`),
        confirm: { ahead: '200, 422; requires_payment_method; took nothing; ', behind: `200, 200; succeeded; ${paid}` },
        create: { ahead: `200, 400; none; ${nothing}`, behind: `200, 201; succeeded; ${paid}` },
      },
      {
        names: 'the deletion of its customer',
        row: 'payment_intents',
        only: 'on a clock',
        does: () => stage.request('DELETE', `/customers/${here.customer}`),
        confirm: {
          ahead: '200, 422; requires_payment_method; took nothing; ',
          behind: `200, 200; succeeded; ${paid}`,
        },
        schedule: {
          ahead: '200; canceled; took nothing; payment_intent.canceled',
          behind: `200; succeeded; ${paid}`,
        },
      },
      {
        names: 'the deletion of its clock',
        row: 'payment_intents',
        only: 'on a clock',
        does: () => stage.request('DELETE', `/test_helpers/test_clocks/${here.clock}`),
        confirm: {
          ahead: '200, 404; gone; took nothing; test_clock.deleted',
          behind: '200, 404; gone; took 1000; test_clock.deleted',
          'after settling': `200, 200; gone; ${paid} test_clock.deleted`,
        },
      },
      {
        names: 'an advance of its clock',
        row: 'test_clocks',
        only: 'on a clock',
        does: () => post(`/test_helpers/test_clocks/${here.clock}/advance`, { frozen_time: '2027-01-10T12:00:00Z' }),
        confirm: {
          ahead: '202, 422; requires_payment_method; took nothing; test_clock.advancing',
          behind: `202, 200; succeeded; took 1000; test_clock.advancing payment_intent.succeeded`,
          'after settling': `202, 200; succeeded; ${paid} test_clock.advancing`,
        },
      },
    ];

    /** What has become of the intent, in a line. */
    async function outcomeOf(intent: string | undefined, replies: Reply[], from: number): Promise<string> {
      const found = intent === undefined ? null : await stage.request('GET', `/payment_intents/${intent}`);
      return [
        replies.map((reply) => reply.status).join(', '),
        found === null ? 'none' : found.status === 404 ? 'gone' : found.body.status,
        `took ${[...stage.ledger.taken.values()].join(', ') || 'nothing'}`,
        (await toldSince(stage, from)).join(' '),
      ].join('; ');
    }

    const rowOf = (row: Deed['row'], intent: string): SharedRow => ({
      table: row,
      id: { payment_intents: intent, payment_methods: here.card, customers: here.customer, test_clocks: here.clock }[
        row
      ],
    });

    const own = deeds.filter(({ only }) => only === undefined || only === place);
    for (const { names, row, does, confirm: comesTo } of own) {
      for (const [moment, line] of eachMoment(comesTo, row)) {
        it(`meets ${names} (${row}) during a confirm, ${moment}: ${line}`, async () => {
          const { id } = await stage.merchant.intent({ customer_id: here.customer });
          const from = await eventsSoFar(stage);
          const met = await meet(
            stage,
            moment,
            rowOf(row, id),
            () => does(id),
            () => confirm(id),
          );
          assert.equal(await outcomeOf(id, [met.reply, met.charged], from), line);
          await assertAccounted(stage, line.includes('gone') ? stage.ledger.taken.size : 0);
        });
      }
    }

    for (const { names, row, does, create: comesTo } of place === 'in real time' ? own : []) {
      for (const [moment, line] of comesTo === undefined ? [] : eachMoment(comesTo, row)) {
        it(`meets ${names} during a create with confirm, ${moment}: ${line}`, async () => {
          const from = await eventsSoFar(stage);
          const met = await meet(stage, moment, rowOf(row, ''), () => does(''), create);
          assert.equal(await outcomeOf(met.charged.body.id, [met.reply, met.charged], from), line);
          const made = await stage.db.sql`select from payment_intents where biller_id = ${stage.keys.biller.id}`;
          assert.equal(made.length, line.includes('none') ? 0 : 1);
          await assertAccounted(stage);
        });
      }
    }

    for (const { names, row, does, schedule } of place === 'on a clock' ? own : []) {
      for (const [moment, line] of schedule === undefined ? [] : eachMoment(schedule, row)) {
        it(`meets ${names} (${row}) on its date, ${moment}: ${line}`, async () => {
          const { id } = await stage.merchant.intent({
            ...{ amount: 1000, currency: 'AUD', customer_id: here.customer },
            ...{ payment_method: here.card, scheduled_payment_date: date },
          });
          const from = await eventsSoFar(stage);
          const collect = () => stage.collectScheduled(id, `${date}T00:00:00Z`);
          const { reply } = await meet(stage, moment, rowOf(row, id), () => does(id), collect);
          assert.equal(await outcomeOf(id, [reply], from), line);
          const asked = stage.ledger.requests.length;
          await collect();
          assert.equal(stage.ledger.requests.length, asked, 'it was charged again on its date');
          await assertAccounted(stage);
        });
      }
    }
  });
}

/** A payer in real time for each test. The card is not the default: its detachment leaves the customer as it was. */
function useFreePayer() {
  const stage = useStage({ isAlone: true });
  const here = { stage, clock: '', customer: '', card: '' };
  beforeEach('have a payer', async () => {
    here.customer = (await stage.merchant.customer()).id;
    await stage.merchant.card(here.customer);
    here.card = await stage.merchant.card(here.customer);
  });
  return here;
}
