const webhookSuffix = '-webhooks';

/**
 * Returns the task queue of webhook deliveries for a base queue. Its worker has slots of its own, so slow receivers
 * delay only each other and never a payment plan. Idempotent: passing the webhook queue returns it unchanged, so a
 * delivery that runs on it has its attempts there too.
 */
export function webhookTaskQueue(base: string): string {
  return base.endsWith(webhookSuffix) ? base : base + webhookSuffix;
}
