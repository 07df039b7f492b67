/**
 * The task queue of the calls to webhook receivers, beside the one that the workflows run on. It is polled by a worker
 * with slots of its own, so that slow receivers hold up each other at most, and never a payment plan.
 */
export function webhookTaskQueue(base: string): string {
  return `${base}-webhooks`;
}
