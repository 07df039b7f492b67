import { proxyActivities, proxyLocalActivities } from '@temporalio/workflow';
import type { CollectionActivities } from '../activities/collection-activities.ts';
import { type Collection, collectWhenDue } from './collection.ts';
import { inWords } from './command-queue.ts';
import { inProcess, overTheNetwork } from './options.ts';

const local = proxyLocalActivities<CollectionActivities>(inProcess);
const remote = proxyActivities<CollectionActivities>(overTheNetwork);

/**
 * A payment plan from its activation to its end. It collects each slot on its date and retries failed payments, in real
 * time or on its customer's test clock. While the plan is suspended, the workflow waits.
 */
export async function paymentPlan(planId: string, atOnce = false): Promise<void> {
  const collection: Collection = {
    workflowType: 'paymentPlan',
    read: (id) => local.readPlan(id),
    collect: (id, at, { livemode, next }) =>
      livemode
        ? remote.collectPlan.executeWithOptions({ ...overTheNetwork, summary: next }, [id, at])
        : local.collectPlan.executeWithOptions({ ...inProcess, summary: next }, [id, at]),
    commands: ['recheck', 'retryNow', 'skipSlot'],
    execute: (id, command) =>
      local.pressPlan.executeWithOptions({ ...inProcess, summary: inWords(command) }, [id, command]),
  };
  await collectWhenDue(planId, collection, { atOnce });
}
