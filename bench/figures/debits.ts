import { Client, Connection } from '@temporalio/client';
import { inParallel, range } from '../../lab/parallel.ts';
import { makeDebtor } from '../../lab/payer.ts';
import type { Bench, Measurement } from '../bench.ts';
import { allWaiting, dueBesideCards } from '../beside-cards.ts';
import { besideOf, type Figure, figure } from '../figure.ts';
import { advance, type Scene, setUp, tearDown } from '../scenery.ts';

const namespace = 'payments';
const amount = 1500;
const days = 14;
/** The attempts after 14 days. The last payment is due at their end: a debit is only accepted by then. */
const left = { card: { succeeded: 3 }, debit: { succeeded: 2, accepted: 1 } };

/** Bank debits beside cards: an advance of a clock, and what falls due at one instant in real time. */
export const debits: Measurement = {
  name: 'debits',
  needs: 'copy',
  async measure(bench) {
    const connection = await Connection.connect({ address: bench.copy.temporalAddress });
    try {
      const temporal = new Client({ connection, namespace });
      return {
        name: 'debits',
        title: 'Bank debits beside cards',
        how: [
          `Advance: a new clock for each sample with one weekly plan, ${days} days, turn by turn. By card two payments are made. By debit two are accepted, two handed over and two settled: six steps in place of two.`,
          `At one instant: ${bench.plans} payers in real time, each with one debit that the bank has; charge_date is moved two weeks back and next_at to one instant by SQL, and the workflows are poked. Time runs until the events of all results are committed. Beside it, in turns, as many weekly plans by card fall due.`,
          'Afterwards each debit must have succeeded once, by one attempt.',
        ],
        figures: [...(await advances(bench)), ...(await results(bench, temporal))],
      };
    } finally {
      await connection.close();
    }
  },
};

async function advances(bench: Bench): Promise<Figure[]> {
  const one = { customers: 1, plansEach: 1, frequency: 'weekly' } as const;
  const scenes: Record<keyof typeof left, Scene> = { card: one, debit: { ...one, byDebit: true } };
  const taken = { card: [] as number[], debit: [] as number[] };
  const play = async (kind: keyof typeof left) => {
    const played = await setUp(bench, scenes[kind]);
    const seconds = await advance(bench, played, days);
    await expectOutcomes(bench, played.clockId, left[kind]);
    await tearDown(bench, played);
    return seconds;
  };
  for (const kind of ['card', 'debit'] as const) await play(kind); // the first ones meet cold code
  for (let round = 0; round < (bench.quick ? 2 : 15); round += 1) {
    for (const kind of ['card', 'debit'] as const) taken[kind].push(await play(kind));
  }
  const beside = besideOf('by card', taken.debit, taken.card);
  return [
    figure('debits.advance', `${days} days, one weekly plan by debit`, 's', taken.debit, {
      target: { atMost: 0.2 },
      beside,
    }),
    ...(beside === null
      ? []
      : [
          figure('debits.advance.ratio', 'the same ÷ that of a plan by card', 'ratio', [beside.ratio], {
            target: { atMost: 2 },
          }),
        ]),
  ];
}

async function expectOutcomes({ sql }: Bench, clockId: string, expected: Record<string, number>): Promise<void> {
  const rows = await sql<{ outcome: string; count: number }[]>`
    select a.outcome, count(*)::integer as count
    from customers c
    join payment_intents i on i.customer_id = c.id
    join payment_attempts a on a.payment_intent_id = i.id
    where c.test_clock_id = ${clockId}
    group by a.outcome`;
  const wrong = rows.filter(({ outcome, count }) => expected[outcome] !== count);
  if (wrong.length === 0 && rows.length === Object.keys(expected).length) return;
  throw new Error(`clock ${clockId}: expected ${JSON.stringify(expected)}, got ${JSON.stringify(rows)}`);
}

function results(bench: Bench, temporal: Client): Promise<Figure[]> {
  const { plans: count, sql, log } = bench;
  return dueBesideCards(bench, temporal, {
    id: 'debits.results',
    title: `from the instant to the last of ${count} results`,
    name: 'debits',
    workflowType: 'bankDebit',
    atMost: 12,
    make() {
      log(`debits: making ${count} debits`);
      return makeSubmitted(bench, temporal);
    },
    move: (ids, at) =>
      sql`update bank_debits set next_at = ${at}, expected_result_at = ${at} where attempt_id = any(${[...ids]})`,
    expectDone: (ids) => expectSettled(bench, ids),
  });
}

/** Makes payments in real time whose debits the bank has had for two weeks. Returns the ids of their attempts. */
async function makeSubmitted({ client, sql, plans: count }: Bench, temporal: Client): Promise<string[]> {
  const intents = await inParallel(range(count), 12, async () => {
    const { customerId, methodId } = await makeDebtor(client);
    const payment = {
      amount,
      currency: 'AUD',
      customer_id: customerId,
      payment_method: methodId,
      confirm: true,
    } as const;
    return (await client.paymentIntents.create(payment)).id;
  });
  await allWaiting(temporal, 'bankDebit', count);
  const rows = await sql<{ attempt_id: string }[]>`
    update bank_debits
    set charge_date = charge_date - 14, hand_over_at = hand_over_at - interval '14 days',
      submitted_at = hand_over_at - interval '14 days', lodged_at = hand_over_at - interval '14 days'
    where payment_intent_id = any(${intents})
    returning attempt_id`;
  const ids = rows.map(({ attempt_id: id }) => id);
  await sql`update payment_attempts set outcome = 'submitted' where id = any(${ids})`;
  return ids;
}

/** @throws unless each of these attempts has succeeded, as the only one of its payment */
async function expectSettled({ sql }: Bench, ids: readonly string[]): Promise<void> {
  const [row] = await sql<[{ count: number }]>`
    select count(*)::integer as count
    from payment_attempts a join payment_intents i on i.id = a.payment_intent_id
    where a.id = any(${[...ids]}) and a.outcome = 'succeeded' and i.status = 'succeeded' and i.attempt_count = 1`;
  if (row.count !== ids.length) throw new Error(`${row.count} of ${ids.length} debits have succeeded once`);
}
