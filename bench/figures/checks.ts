import { setTimeout as pause } from 'node:timers/promises';
import { inParallel, itemInTurn, range } from '../../lab/parallel.ts';
import { makePayer } from '../../lab/payer.ts';
import type { Bench, Measurement } from '../bench.ts';
import { besideOf, figure } from '../figure.ts';
import { startLoadGenerator } from '../load/jobs.ts';
import { stockCustomers } from '../load/stock.ts';

const connections = 16;
const stock = 100_000;
const pageSize = 20;

/** Payments while housekeeping checks the invariants as fast as it may, and while it checks none. */
export const checks: Measurement = {
  name: 'checks',
  needs: 'copy',
  async measure(bench) {
    const { client, copy, sql, quick, log } = bench;
    const { baseUrl, key, databaseUrl, billerId } = copy;
    const payers = await inParallel(range(100), 8, () => makePayer(client));
    const fetched = await stockCustomers(sql, billerId, quick ? 1_000 : stock);
    const place = { baseUrl, key, databaseUrl, billerId, payers, fetched, deepCursor: itemInTurn(fetched, pageSize) };
    const generator = await startLoadGenerator();
    const [rounds, milliseconds] = quick ? [1, 2_000] : [6, 10_000];
    const job = { operation: 'payment', by: 'api', keyed: false, connections, milliseconds } as const;
    const [without, withChecks, checked]: [number[], number[], number[]] = [[], [], []];
    try {
      await generator.run({ place, job });
      for (let round = 0; round < rounds; round++) {
        await setDue(bench, 'infinity');
        without.push((await generator.run({ place, job })).perSecond);
        await setDue(bench, '-infinity');
        const end = keepDue(bench);
        withChecks.push((await generator.run({ place, job })).perSecond);
        checked.push(await end());
        log(`checks: ${without.at(-1)?.toFixed(0)} a second without, ${withChecks.at(-1)?.toFixed(0)} with`);
      }
    } finally {
      await setDue(bench, '-infinity');
      await generator.stop();
    }
    return {
      name: 'checks',
      title:
        'Payments in one request each, while housekeeping checks the invariants without a pause, and while it does not',
      how: [
        `${connections} connections; stretches of ${milliseconds / 1000} s, turn by turn, ${rounds} of each, after a warm-up, in a database of ${fetched.length.toLocaleString('en')} customers and all payments of the run.`,
        'Without: every check counts as just made. With: every check is due again each half second, so that they take all that they may, a tenth of one connection. In practice each is due twice a minute.',
      ],
      figures: [
        figure('checks.without', 'payments a second, no invariant is checked', '1/s', without),
        figure('checks.with', 'payments a second, all are checked again and again', '1/s', withChecks, {
          beside: besideOf('without', withChecks, without),
          target: { aimRatio: 0.95 },
        }),
        figure('checks.made', 'checks that were made in such a stretch', 'rows', checked),
      ],
    };
  },
};

/** Sets when all checks were made last: none is due when that is to come. Returns how many it has changed. */
async function setDue({ sql }: Pick<Bench, 'sql'>, triedAt: string): Promise<number> {
  const { count } = await sql`
    update invariant_checks set tried_at = ${triedAt}::text::timestamptz where tried_at <> ${triedAt}::text::timestamptz`;
  return count;
}

/** Keeps all checks due. Returns what ends that, and tells how many were made meanwhile. */
function keepDue(bench: Bench): () => Promise<number> {
  let isOver = false;
  const keeping = (async () => {
    let made = 0;
    while (!isOver) {
      await pause(500);
      made += await setDue(bench, '-infinity');
    }
    return made;
  })();
  return () => {
    isOver = true;
    return keeping;
  };
}
