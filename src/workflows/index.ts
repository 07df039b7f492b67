import type { SubjectKind } from '../messages/subject-kinds.ts';
import * as subjects from './collection.ts';

// Temporal finds a workflow by the name of its export.
export * from './collection.ts';
export { testClock } from './test-clock.ts';
export { webhookBatch } from './webhook-batch.ts';
export { webhookDelivery } from './webhook-delivery.ts';

subjects satisfies Record<SubjectKind, (id: string, atOnce?: boolean) => Promise<void>>;
