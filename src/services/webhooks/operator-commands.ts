import { tenantOf } from '../../db/tenant.ts';
import { failDeliveries, lockDelivery, selectDeliveryToMake } from '../../db/webhook-deliveries.ts';
import { lockWebhookEndpoint } from '../../db/webhook-endpoints.ts';
import { redeliver } from '../../db/webhook-redeliveries.ts';
import type { Db, Tx } from '../../platform/postgres/connection.ts';
import { atomically } from '../../platform/postgres/transaction.ts';
import type { RealInstant } from '../../platform/real-time.ts';
import {
  type Actor,
  type AuditEntry,
  type ChangeOrigin,
  changesBetween,
  operator,
  recordAudit,
} from '../accounts/audit.ts';
import { CommandRefused } from '../command-refused.ts';

type Delivery = NonNullable<Awaited<ReturnType<typeof lockDelivery>>>;

/**
 * Ends a delivery as failed by an operator command. It can be retried later. Returns a sentence.
 * @throws CommandRefused if it has ended already.
 */
export async function giveUpDelivery(
  db: Db,
  id: string,
  now: RealInstant,
  by: Actor = operator(null),
): Promise<string> {
  return atomically(db, async (tx) => {
    const before = await lockDelivery(tx, id);
    if (before === null) throw new CommandRefused('Nothing to give up: the delivery does not exist.');
    const [after] = await failDeliveries(tx, [id], 'given up by an operator', now);
    if (after === undefined) {
      throw new CommandRefused(`Nothing to give up: the delivery is ${before.status} (${attempts(before)}).`);
    }
    await record(tx, 'webhook_delivery.given_up', [before, after], { by, now });
    return `The delivery is given up (${attempts(before)}). It can be retried later.`;
  });
}

/**
 * Records an operator's command to make the next attempt of a pending delivery now. The delivery's workflow makes the
 * attempt. Returns a sentence.
 * @throws CommandRefused if the delivery has ended.
 */
export async function noteDeliveryRetry(db: Db, id: string, { by, now }: ChangeOrigin): Promise<string> {
  return atomically(db, async (tx) => {
    const delivery = await lockDelivery(tx, id);
    if (delivery === null) throw new CommandRefused('Nothing to retry: the delivery does not exist.');
    if (delivery.status !== 'pending') {
      throw new CommandRefused(`Nothing to retry: the delivery is ${delivery.status} (${attempts(delivery)}).`);
    }
    await record(tx, 'webhook_delivery.retried_now', [delivery, { ...delivery, next_attempt_at: now }], { by, now });
    return `Attempt ${delivery.attempt_count + 1} is made now.`;
  });
}

/**
 * Delivers again now, by an operator command, even if the delivery has ended: its workflow is started or signalled.
 * Returns a sentence.
 * @throws CommandRefused if the endpoint is disabled or deleted.
 */
export async function retryDeliveryByOperator(db: Db, id: string, by: Actor, now: RealInstant): Promise<string> {
  return atomically(db, async (tx) => {
    const found = await selectDeliveryToMake(tx, id);
    if (found === null) throw new CommandRefused('Nothing to retry: the delivery does not exist.');
    const { endpoint_id: endpointId } = found;
    const tenant = tenantOf(found);
    // Lock order: the endpoint first, then its deliveries.
    const endpoint = await lockWebhookEndpoint(tx, tenant, endpointId);
    if (endpoint === null) throw new CommandRefused(`Nothing to retry: the endpoint ${endpointId} was deleted.`);
    if (endpoint.status === 'disabled') {
      const why = `the endpoint ${endpointId} is disabled (${endpoint.disabled_reason})`;
      throw new CommandRefused(`Nothing to retry: ${why}. Its biller can enable it.`);
    }
    const before = await lockDelivery(tx, id);
    await redeliver(tx, id, now);
    const after = await lockDelivery(tx, id);
    if (before === null || after === null) throw new Error(`delivery ${id} was deleted while it was locked`);
    await record(tx, 'webhook_delivery.retried_now', [before, after], { by, now });
    return `Attempt ${after.attempt_count + 1} is made now.`;
  });
}

async function record(
  tx: Tx,
  action: Extract<AuditEntry['action'], `webhook_delivery.${string}`>,
  [before, after]: [Delivery, Delivery],
  { by, now }: ChangeOrigin,
): Promise<void> {
  const tenant = tenantOf(before);
  const changes = changesBetween(audited(before), audited(after));
  await recordAudit(tx, { action, by, at: now, tenant, subjectId: before.id, changes });
}

function audited({ status, next_attempt_at, failure_reason }: Delivery) {
  return { status, next_attempt_at, failure_reason };
}

function attempts({ attempt_count: count }: Delivery): string {
  return count === 1 ? '1 attempt' : `${count} attempts`;
}
