import { commitEvents } from '../../lab/events.ts';
import { eventually } from '../../lab/eventually.ts';
import type { Bench, Measurement } from '../bench.ts';
import { figure } from '../figure.ts';
import { type PartUse, watchParts } from '../part-use.ts';
import { recordedProcesses } from '../processes.ts';
import { startBenchReceiver } from '../receiver.ts';

/** How many events one transaction commits. */
const eventsAtOnce = 5_000;
const parts = [
  { part: 'worker', name: 'worker' },
  { part: 'temporal', name: 'Temporal' },
] as const;

interface Worked {
  uses: PartUse[];
  perSecond: number;
}

/** Memory of worker and Temporal while a backlog of deliveries is worked off, beside that of a tenth of it. */
export const webhookBacklog: Measurement = {
  name: 'webhook-backlog',
  needs: 'copy',
  async measure(bench) {
    const [few, many] = bench.quick ? [300, 3_000] : [10_000, 100_000];
    const receiver = await startBenchReceiver();
    const { webhookEndpoints } = bench.client;
    const endpoint = await webhookEndpoints.create({ url: `${receiver.url}/hooks` });
    try {
      await workOff(bench, endpoint.id, few);
      const small = await workOff(bench, endpoint.id, few);
      const large = await workOff(bench, endpoint.id, many);
      const peak = ({ uses }: Worked, part: string) => uses.find((one) => one.part === part)?.peakMb ?? Number.NaN;
      const beside = (part: string) => {
        const before = peak(small, part);
        return { what: `${few}`, median: before, ratio: peak(large, part) / before };
      };
      return {
        name: 'webhook-backlog',
        title: `A backlog of ${many} deliveries to one endpoint that returns 200 at once, beside one of ${few}`,
        how: [
          `The events are committed ${eventsAtOnce} at a time, as fast as that goes; deliveries begin at once. Memory is the share (Pss) at its peak, looked at each second, until the outcome of every delivery is recorded. A first backlog of ${few} meets cold code.`,
        ],
        figures: [
          ...parts.map(({ part, name }) =>
            figure(`webhook-backlog.memory.${part}`, `${name}: memory at its peak`, 'MB', [peak(large, part)], {
              beside: beside(part),
              target: { aimRatio: 1 },
            }),
          ),
          figure('webhook-backlog.rate', 'deliveries a second', '1/s', [large.perSecond], {
            beside: { what: `${few}`, median: small.perSecond, ratio: large.perSecond / small.perSecond },
          }),
        ],
      };
    } finally {
      await webhookEndpoints.delete(endpoint.id);
      await receiver.close();
    }
  },
};

/** Commits so many events and waits until all are delivered. */
async function workOff(bench: Bench, endpointId: string, count: number): Promise<Worked> {
  const { copy, sql, log } = bench;
  const watch = await watchParts(await recordedProcesses(copy.dataDir));
  const begun = performance.now();
  for (let committed = 0; committed < count; committed += eventsAtOnce) {
    await commitEvents(bench.sql, endpointId, Math.min(eventsAtOnce, count - committed));
  }
  const pending = async () => {
    const [row] = await sql<[{ count: number }]>`
      select count(*)::integer from webhook_deliveries where endpoint_id = ${endpointId} and status = 'pending'`;
    return row.count;
  };
  log(`webhook-backlog: ${count} are committed, ${await pending()} wait`);
  const done = async () => (await pending()) === 0;
  await eventually(`${count} deliveries are made`, done, { timeoutMs: 60_000 + 30 * count, everyMs: 250 });
  const perSecond = (count * 1000) / (performance.now() - begun);
  const uses = await watch.stop();
  log(`webhook-backlog: ${count}: ${perSecond.toFixed(0)} a second`);
  return { uses, perSecond };
}
