import { proxyActivities, proxyLocalActivities } from '@temporalio/workflow';
import type { CollectionActivities } from '../activities/collection-activities.ts';
import { type Collection, collectWhenDue } from './collection.ts';
import { inWords } from './operator-handlers.ts';
import { inProcess, overTheNetwork } from './options.ts';

const local = proxyLocalActivities<CollectionActivities>(inProcess);
const remote = proxyActivities<CollectionActivities>(overTheNetwork);

/**
 * A payment plan from its activation to its end. It collects each slot on its date and retries failed payments, in real
 * time or on its customer's test clock. While the plan is suspended, the workflow waits.
 */
export async function paymentPlan(planId: string, atOnce = false): Promise<void> {
  const collection: Collection = {
    read: (id) => local.readPlan(id),
    collect: (id, at, { livemode, next }) =>
      livemode
        ? remote.collectPlan.executeWithOptions({ ...overTheNetwork, summary: next }, [id, at])
        : local.collectPlan.executeWithOptions({ ...inProcess, summary: next }, [id, at]),
    buttons: ['recheck', 'retryNow', 'skipSlot'],
    press: (id, deed) => local.pressPlan.executeWithOptions({ ...inProcess, summary: inWords(deed) }, [id, deed]),
  };
  await collectWhenDue(planId, collection, { atOnce });
}
