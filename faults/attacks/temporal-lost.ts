import { untilItSucceeds } from '../../lab/eventually.ts';
import { findMismatches } from '../../src/operations/reconciler/reconciler.ts';
import { repair } from '../../src/operations/reconciler/repair.ts';
import type { Attack } from './attack.ts';

/**
 * Temporal's database lost altogether: an empty one takes its place, and then, as the operator's page says, `npm run
 * reconcile`. Plans are rebuilt from ours. Nothing may be charged twice.
 */
export const loseTemporal: Attack = {
  kind: "Temporal's database lost",
  weight: 0.6,
  isQuick: false,
  draw({ cluster }) {
    if (!cluster.temporal.isUp) return null;
    return {
      title: "Temporal's database lost, then reconciled",
      targets: ['temporal'],
      async run() {
        await cluster.temporal.loseDatabase();
        const { sql, side } = cluster;
        const reconcile = async () => repair(sql, [side], await findMismatches(sql, side));
        // Other faults hit meanwhile, and each of them can break an attempt.
        await untilItSucceeds(reconcile, { timeoutMs: 300_000, everyMs: 500 });
        return true;
      },
    };
  },
};
