import { proxyActivities, proxyLocalActivities } from '@temporalio/workflow';
import type { CollectionActivities } from '../activities/collection-activities.ts';
import type { Collection } from './collection.ts';
import { inWords } from './command-queue.ts';
import { inProcess, overTheNetwork } from './options.ts';

const local = proxyLocalActivities<CollectionActivities>(inProcess);
const remote = proxyActivities<CollectionActivities>(overTheNetwork);

/** The names of the activities of one kind of subject, as they are in histories. */
interface Names {
  read:
    | 'readPlan'
    | 'readScheduledPayment'
    | 'readBankDebit'
    | 'readPaymentLink'
    | 'readCheckoutSession'
    | 'readSubscription';
  collect:
    | 'collectPlan'
    | 'collectScheduledPayment'
    | 'collectBankDebit'
    | 'expirePaymentLink'
    | 'expireCheckoutSession'
    | 'collectSubscription';
  execute:
    | 'pressPlan'
    | 'pressScheduledPayment'
    | 'pressBankDebit'
    | 'pressPaymentLink'
    | 'pressCheckoutSession'
    | 'pressSubscription';
}

/**
 * Returns how a subject is read and collected. The way is the same in both modes, but for one thing: a sandbox charge
 * stays in the worker, a live one waits for a processor elsewhere.
 */
export function collectingBy(
  workflowType: Collection['workflowType'],
  names: Names,
  commands: Collection['commands'],
): Collection {
  return {
    workflowType,
    commands,
    read: (id) => local[names.read](id),
    collect: (id, at, { livemode, next }) =>
      livemode
        ? remote[names.collect].executeWithOptions({ ...overTheNetwork, summary: next }, [id, at])
        : local[names.collect].executeWithOptions({ ...inProcess, summary: next }, [id, at]),
    execute: (id, command) =>
      local[names.execute].executeWithOptions({ ...inProcess, summary: inWords(command) }, [id, command]),
  };
}
