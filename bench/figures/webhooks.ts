import { setTimeout as pause } from 'node:timers/promises';
import { eventually } from '../../lab/eventually.ts';
import type { Bench, Measurement } from '../bench.ts';
import { figure } from '../figure.ts';
import { type BenchReceiver, startBenchReceiver } from '../receiver.ts';
import { advance, expectAttempts, type PlayedScene, setUp, tearDown } from '../scenery.ts';

const deliveredTimeoutMs = 30_000;

const nine = { customers: 3, plansEach: 3, frequency: 'weekly' } as const;

/** How long after `ready` a receiver has all webhooks of an advance. */
export const webhooks: Measurement = {
  name: 'webhooks',
  needs: 'copy',
  async measure(bench) {
    const receiver = await startBenchReceiver();
    const { webhookEndpoints } = bench.client;
    const endpoint = await webhookEndpoints.create({ url: `${receiver.url}/hooks` });
    const afterReady: number[] = [];
    const afterPost: number[] = [];
    const rounds = bench.quick ? 1 : 12;
    try {
      for (let round = -1; round < rounds; round++) {
        const played = await setUp(bench, nine);
        await untilQuiet(receiver);
        const begun = performance.now();
        const seconds = await advance(bench, played, 14);
        const last = await lastArrival(bench, played, receiver, begun);
        await expectAttempts(bench.sql, played, { succeeded: 27, failed: 0 });
        await tearDown(bench, played);
        await untilQuiet(receiver);
        if (round < 0) continue; // the first one meets cold code
        afterReady.push(Math.max(0, (last - begun) / 1000 - seconds));
        afterPost.push((last - begun) / 1000);
      }
    } finally {
      await webhookEndpoints.delete(endpoint.id);
      await receiver.close();
    }
    return {
      name: 'webhooks',
      title: 'Webhooks of an advance: 14 days, 9 weekly plans of 3 customers, 20 events',
      how: [
        'A receiver on loopback, in the process of the benchmark, that returns 200 at once; one endpoint that is subscribed to everything.',
        'The last arrival is that of the last of all events which the clock has in GET /events since the POST. Arrivals before `ready` count as 0.',
      ],
      figures: [
        figure('webhooks.after-ready', 'from `ready` seen by the client to the last delivery', 's', afterReady, {
          target: { atMost: 0.5 },
        }),
        figure('webhooks.after-post', 'from the POST of the advance to the last delivery', 's', afterPost),
      ],
    };
  },
};

/** When the last of the advance's events came. @throws Error if one has not come after 30 s */
async function lastArrival(
  { sql }: Bench,
  { clockId }: PlayedScene,
  { arrivals }: BenchReceiver,
  begun: number,
): Promise<number> {
  const events = await sql<{ id: string }[]>`
    select id from events where test_clock_id = ${clockId} and sequence >= (
      select max(sequence) from events where test_clock_id = ${clockId} and event_type = 'test_clock.advancing'
    )`;
  if (events.length !== 20) throw new Error(`expected 20 events of the advance, found ${events.length}`);
  const times = () => events.map(({ id }) => arrivals.get(id));
  const missing = () => `${times().filter((time) => time === undefined).length} webhooks come`;
  const lastOf = () => {
    const all = times();
    return all.every((time) => time !== undefined) && Math.max(...all);
  };
  return eventually(missing, lastOf, { timeoutMs: begun + deliveredTimeoutMs - performance.now(), everyMs: 2 });
}

/** Waits until nothing has come for a while. */
async function untilQuiet({ arrivals }: BenchReceiver): Promise<void> {
  for (let before = -1; before !== arrivals.size; ) {
    before = arrivals.size;
    await pause(300);
  }
}
