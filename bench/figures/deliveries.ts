import { commitEvents } from '../../lab/events.ts';
import { eventually } from '../../lab/eventually.ts';
import type { Bench, Measurement } from '../bench.ts';
import { figure } from '../figure.ts';
import { type PartUse, watchParts } from '../part-use.ts';
import { recordedProcesses } from '../processes.ts';
import { startBenchReceiver } from '../receiver.ts';

const usualCount = 1_000;
const timeoutMs = 180_000;
const partsShown = [
  { part: 'worker', name: 'worker' },
  { part: 'temporal', name: 'Temporal' },
  { part: 'postgres', name: 'PostgreSQL' },
  { part: 'api', name: 'API' },
];

/** Many events that are committed at once, and how fast one healthy endpoint gets them. */
export const deliveries: Measurement = {
  name: 'deliveries',
  needs: 'copy',
  async measure(bench) {
    const count = bench.quick ? 100 : usualCount;
    const receiver = await startBenchReceiver();
    const { webhookEndpoints } = bench.client;
    const endpoint = await webhookEndpoints.create({ url: `${receiver.url}/hooks` });
    const parts = await recordedProcesses(bench.copy.dataDir);
    const rates: number[] = [];
    const uses: PartUse[][] = [];
    const rounds = bench.quick ? 1 : 3;
    try {
      // The first round meets cold code.
      for (let round = 0; round <= rounds; round++) {
        const watch = await watchParts(parts);
        const ids = await commitEvents(bench.sql, endpoint.id, count);
        const begun = performance.now();
        const arrived = () => ids.filter((id) => receiver.arrivals.has(id)).length;
        await eventually(
          () => `${arrived()} of ${count} events have come`,
          () => arrived() === count,
          { timeoutMs, everyMs: 10 },
        );
        const last = Math.max(...ids.map((id) => receiver.arrivals.get(id) ?? 0));
        await untilRecorded(bench, endpoint.id);
        const use = await watch.stop();
        if (round === 0) continue;
        rates.push((count * 1000) / (last - begun));
        uses.push(use);
      }
    } finally {
      await webhookEndpoints.delete(endpoint.id);
      await receiver.close();
    }
    return {
      name: 'deliveries',
      title: `${count} events committed at once, to one endpoint that returns 200 at once`,
      how: [
        'The events are written by `record` in one transaction, with their deliveries and outbox entries, as every change writes them. Time runs from the commit to the last arrival.',
        'Processor time runs until the outcome of every delivery is recorded.',
      ],
      figures: [
        figure('deliveries.rate', 'deliveries a second', '1/s', rates),
        ...partsShown.map(({ part, name }) =>
          figure(
            `deliveries.processor.${part}`,
            `${name}: processor time for one delivery`,
            'ms',
            uses.map((use) => ((use.find((one) => one.part === part)?.processorSeconds ?? 0) * 1000) / count),
          ),
        ),
      ],
    };
  },
};

async function untilRecorded({ sql }: Bench, endpointId: string): Promise<void> {
  await eventually('every outcome is recorded', async () => {
    const rows = await sql`select 1 from webhook_deliveries where endpoint_id = ${endpointId} and status = 'pending'`;
    return rows.length === 0;
  });
}
