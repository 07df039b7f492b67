import { Client, Connection } from '@temporalio/client';
import { eventually } from '../../lab/eventually.ts';
import { inParallel, range } from '../../lab/parallel.ts';
import { makeDebtor } from '../../lab/payer.ts';
import { realNow } from '../../src/platform/real-time.ts';
import type { Bench, Measurement } from '../bench.ts';
import { type DueCourse, type DueRun, followCourse, leadFor, NotAllTimersSet, withLead } from '../due-course.ts';
import { besideOf, type Figure, figure } from '../figure.ts';
import { expectChargedOnce, lastEvent, makeLivePlans, pokeAll, setTimers } from '../live-plans.ts';
import { advance, type Scene, setUp, tearDown } from '../scenery.ts';

const namespace = 'payments';
const amount = 1500;
const days = 14;
/** The attempts after 14 days. The last payment is due at their end: a debit is only accepted by then. */
const left = { card: { succeeded: 3 }, debit: { succeeded: 2, accepted: 1 } };
/** A first guess of how long the timers of one take, in milliseconds. */
const timerMs = 15;

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

async function results(bench: Bench, temporal: Client): Promise<Figure[]> {
  const { plans: count, sql, client, log } = bench;
  log(`debits: making ${count} plans by card`);
  const cards = await makeLivePlans(client, temporal, count);
  const byCard = async (leadMs: number): Promise<DueRun> => {
    cards.charges += 1;
    const { dueAt, preparedMs, areSet } = await setTimers(sql, temporal, cards.ids, leadMs);
    const course = await follow(bench, dueAt);
    await expectChargedOnce(sql, cards);
    if (!areSet) throw new NotAllTimersSet(`not all of ${count} plans had their timer in time`);
    return { course, preparedMs };
  };
  const byDebit = async (leadMs: number): Promise<DueRun> => {
    log(`debits: making ${count} debits`);
    const ids = await makeSubmitted(bench, temporal);
    const begun = performance.now();
    const dueAt = new Date(Math.ceil((realNow().getTime() + leadMs) / 1000) * 1000);
    await sql`update bank_debits set next_at = ${dueAt}, expected_result_at = ${dueAt} where attempt_id = any(${ids})`;
    const areSet = await pokeAll(temporal, 'bankDebit', ids, dueAt);
    const preparedMs = performance.now() - begun;
    const course = await follow(bench, dueAt);
    await expectSettled(bench, ids);
    if (!areSet) throw new NotAllTimersSet(`not all of ${count} debits had their timer in time`);
    return { course, preparedMs };
  };
  const kinds = {
    debit: withLead(leadFor(timerMs * count), byDebit, log),
    card: withLead(leadFor(timerMs * count), byCard, log),
  };
  const courses = { debit: [] as DueCourse[], card: [] as DueCourse[] };
  for (let round = 0; round < (bench.quick ? 1 : 2); round += 1) {
    for (const kind of ['debit', 'card'] as const) courses[kind].push(await kinds[kind]());
  }
  const last = (kind: 'debit' | 'card') => courses[kind].map((course) => course.last);
  return [
    figure('debits.results', `from the instant to the last of ${count} results`, 's', last('debit'), {
      ...(count === 1000 ? { target: { atMost: 12 } } : {}),
      beside: besideOf('charges of plans by card', last('debit'), last('card')),
    }),
  ];
}

async function follow({ sql, plans: count }: Bench, dueAt: Date): Promise<DueCourse> {
  const before = await lastEvent(sql);
  return followCourse(dueAt.getTime(), count, async () => (await lastEvent(sql)) - before);
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
  const waiting = `WorkflowType = 'bankDebit' and ExecutionStatus = 'Running' and NextDueAt > '${realNow().toISOString()}'`;
  const areWaiting = async () => (await temporal.workflow.count(waiting)).count >= count;
  await eventually('all debits wait', areWaiting, { timeoutMs: Number.POSITIVE_INFINITY, everyMs: 100 });
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
