import { proxyActivities, proxyLocalActivities } from '@temporalio/workflow';
import type { CollectionActivities } from '../activities/collection-activities.ts';
import { type Collection, collectWhenDue } from './collection.ts';
import { inWords } from './command-queue.ts';
import { inProcess, overTheNetwork } from './options.ts';

const local = proxyLocalActivities<CollectionActivities>(inProcess);
const remote = proxyActivities<CollectionActivities>(overTheNetwork);

/** A payment with a scheduled date. The workflow makes it on that date, unless a confirm or a cancel comes first. */
export async function scheduledPayment(intentId: string, atOnce = false): Promise<void> {
  const collection: Collection = {
    workflowType: 'scheduledPayment',
    read: (id) => local.readScheduledPayment(id),
    collect: (id, at, { livemode, next }) =>
      livemode
        ? remote.collectScheduledPayment.executeWithOptions({ ...overTheNetwork, summary: next }, [id, at])
        : local.collectScheduledPayment.executeWithOptions({ ...inProcess, summary: next }, [id, at]),
    commands: ['recheck', 'retryNow'],
    execute: (id, command) =>
      local.pressScheduledPayment.executeWithOptions({ ...inProcess, summary: inWords(command) }, [id, command]),
  };
  await collectWhenDue(intentId, collection, { atOnce });
}
