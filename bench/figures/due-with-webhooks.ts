import { Client, Connection } from '@temporalio/client';
import { eventually } from '../../lab/eventually.ts';
import { inParallel } from '../../lab/parallel.ts';
import type { Bench, Measurement } from '../bench.ts';
import { followCourse, leadFor, NotAllTimersSet } from '../due-course.ts';
import { figure } from '../figure.ts';
import { expectChargedOnce, type LivePlans, lastEvent, makeLivePlans, setTimers } from '../live-plans.ts';
import { type BenchReceiver, startBenchReceiver } from '../receiver.ts';

const timeoutMs = 180_000;
const trialCount = 100;
const farAheadMs = 3_600_000;

/** Seconds after the instant at which all were due. */
interface Told {
  lastCharge: number;
  lastArrival: number;
}

/** Many plans in real time that fall due at one instant, with one endpoint that takes every event. */
export const dueWithWebhooks: Measurement = {
  name: 'due-with-webhooks',
  needs: 'copy',
  async measure(bench) {
    const count = bench.plans;
    const connection = await Connection.connect({ address: bench.copy.temporalAddress });
    const temporal = new Client({ connection, namespace: 'payments' });
    const receiver = await startBenchReceiver();
    const rounds: Told[] = [];
    try {
      const plans = await makeLivePlans(bench.client, temporal, count);
      const trial = plans.ids.slice(0, trialCount);
      const { preparedMs } = await setTimers(bench.sql, temporal, trial, farAheadMs);
      const endpoint = await bench.client.webhookEndpoints.create({ url: `${receiver.url}/hooks` });
      const { event_id: ping } = await bench.client.webhookEndpoints.ping(endpoint.id);
      await eventually('the endpoint has responded', () => receiver.arrivals.has(ping));
      let leadMs = leadFor((preparedMs / trial.length) * count);
      const wanted = bench.quick ? 1 : 2;
      for (let tries = 0; rounds.length < wanted && tries < wanted + 2; tries += 1) {
        try {
          rounds.push(await letFallDue(bench, temporal, { plans, receiver, leadMs }));
        } catch (error) {
          if (!(error instanceof NotAllTimersSet)) throw error;
          leadMs *= 2;
        }
      }
      await bench.client.webhookEndpoints.delete(endpoint.id);
      await inParallel(plans.ids, 12, (id) => bench.client.paymentPlans.close(id));
    } finally {
      await receiver.close();
      await connection.close();
    }
    return {
      name: 'due-with-webhooks',
      title: `${count} new plans in real time due at one instant, with one endpoint whose receiver returns 200 at once`,
      how: [
        'The plans are made, and made due, as in due-at-once. The last charge is the commit of its event; the last delivery is the arrival of the last event of all charges at the receiver, which is in the process of the benchmark.',
      ],
      figures: [
        figure(
          'due-with-webhooks.last',
          `from the instant to the last of ${count} charges`,
          's',
          rounds.map(({ lastCharge }) => lastCharge),
          { target: count === 1_000 ? { atMost: 7.5 } : null },
        ),
        figure(
          'due-with-webhooks.after',
          'from the last charge to the last delivery',
          's',
          rounds.map(({ lastCharge, lastArrival }) => Math.max(0, lastArrival - lastCharge)),
          { target: { atMost: 2 } },
        ),
      ],
    };
  },
};

async function letFallDue(
  { sql, log }: Bench,
  temporal: Client,
  { plans, receiver, leadMs }: { plans: LivePlans; receiver: BenchReceiver; leadMs: number },
): Promise<Told> {
  const count = plans.ids.length;
  plans.charges += 1;
  const before = await lastEvent(sql);
  const { dueAt, areSet } = await setTimers(sql, temporal, plans.ids, leadMs);
  const { last: lastCharge } = await followCourse(dueAt.getTime(), count, async () => (await lastEvent(sql)) - before);
  const events = await sql<{ id: string }[]>`
    select id from events where event_type = 'payment_intent.succeeded' and recorded_at >= ${dueAt}`;
  const left = () => events.filter(({ id }) => !receiver.arrivals.has(id)).length;
  await eventually(
    () => `${left()} of ${events.length} events come`,
    () => left() === 0,
    { timeoutMs, everyMs: 10 },
  );
  await expectChargedOnce(sql, plans);
  if (events.length !== count) throw new Error(`${events.length} events of ${count} charges`);
  const arrivedAt = Math.max(...events.map(({ id }) => receiver.arrivals.get(id) ?? 0));
  const lastArrival = (performance.timeOrigin + arrivedAt - dueAt.getTime()) / 1000;
  if (!areSet) throw new NotAllTimersSet(`not all of ${count} plans had their timer in time`);
  log(
    `due with webhooks: last charge after ${lastCharge.toFixed(2)} s, last delivery after ${lastArrival.toFixed(2)} s`,
  );
  return { lastCharge, lastArrival };
}
