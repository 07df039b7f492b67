import { findMismatches, repair } from '../../src/operations/reconciler/reconciler.ts';
import type { Attack } from './attack.ts';

const reconcileTries = 20;

/**
 * Temporal's database lost altogether: an empty one takes its place, and then, as the operator's page says, `npm run
 * reconcile`. Plans are rebuilt from ours, and nothing is charged again.
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
        for (let tries = 1; ; tries += 1) {
          try {
            await repair(cluster.sql, await findMismatches(cluster.sql, cluster.temporalClient(), 'payments'));
            return true;
          } catch (error) {
            if (tries === reconcileTries) throw error;
            await new Promise((resolve) => setTimeout(resolve, 500));
          }
        }
      },
    };
  },
};
