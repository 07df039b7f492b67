const webhookSuffix = '-webhooks';

/**
 * The task queue of webhook deliveries, beside the one of everything else: it is polled by a worker with slots of its own,
 * so that slow receivers hold up each other at most, and never a payment plan. Of itself, it is itself: a delivery that
 * runs on it has its attempts there too, and the worker that began the one takes the other at once.
 */
export function webhookTaskQueue(base: string): string {
  return base.endsWith(webhookSuffix) ? base : base + webhookSuffix;
}
