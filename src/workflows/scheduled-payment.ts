import { proxyActivities, proxyLocalActivities } from '@temporalio/workflow';
import type { CollectionActivities } from '../activities/collection-activities.ts';
import { collectWhenDue } from './collection.ts';
import { inProcess, overTheNetwork } from './options.ts';

const local = proxyLocalActivities<CollectionActivities>(inProcess);
const remote = proxyActivities<CollectionActivities>(overTheNetwork);

/** A payment with a scheduled date: makes it on that date, unless a confirm or a cancel comes first. */
export async function scheduledPayment(intentId: string): Promise<void> {
  await collectWhenDue(intentId, {
    read: (id) => local.readScheduledPayment(id),
    collect: (id, at, { livemode, next }) =>
      livemode
        ? remote.collectScheduledPayment.executeWithOptions({ ...overTheNetwork, summary: next }, [id, at])
        : local.collectScheduledPayment.executeWithOptions({ ...inProcess, summary: next }, [id, at]),
  });
}
