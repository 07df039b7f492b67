import {
  allHandlersFinished,
  CancellationScope,
  condition,
  defineSignal,
  isCancellation,
  proxyActivities,
  proxyLocalActivities,
  setHandler,
  workflowInfo,
} from '@temporalio/workflow';
import type { WebhookActivities } from '../activities/webhook-activities.ts';
import { type IssuedBy, readIssuedBy } from '../messages/operator-command.ts';
import { signals } from '../messages/signals.ts';
import { webhookTaskQueue } from '../messages/task-queues.ts';
import { commands } from '../messages/updates.ts';
import { issuerInput, nameOf } from './command-queue.ts';
import { showDelivery } from './operator-page/delivery.ts';
import { openPage } from './operator-page/page.ts';
import { inProcess } from './options.ts';

const retryNow = defineSignal(signals.retryNow);
const giveUp = defineSignal(signals.giveUp);

type Progress = NonNullable<Awaited<ReturnType<WebhookActivities['attemptWebhookDelivery']>>>;

/** What operators and the API have requested, for the loop to act on. */
interface Inbox {
  retryNow: boolean;
  giveUp: boolean;
  givenUpBy: IssuedBy | null;
  /** The `retryNow` commands: who issued each, and its result. */
  retries: { by: IssuedBy | null; result: string | null }[];
  isUnderWay: boolean;
  /** The last command and its result. */
  last: string | null;
  /** The result that pending commands return once the delivery has ended. */
  ended: string | null;
}

const local = proxyLocalActivities<WebhookActivities>({ ...inProcess, summary: 'retry now (an operator)' });

/**
 * One event on its way to one endpoint: attempt, wait, attempt again, until it is delivered, failed or given up. The
 * database records each attempt under its number, with the instant of the next one.
 */
export async function webhookDelivery(deliveryId: string): Promise<void> {
  const page = openPage();
  const inbox = openInbox();
  let known: number | null = null;
  for (;;) {
    inbox.retryNow = false;
    const made = await attempt(deliveryId, known, inbox);
    if (made === null || 'givenUp' in made) {
      inbox.ended = made?.givenUp ?? 'Nothing was done: there is no such delivery.';
      break;
    }
    showDelivery(page, deliveryId, made, inbox.last);
    inbox.ended = made.status === 'pending' ? null : `Nothing was done: the delivery is ${made.status}.`;
    known = made.status === 'pending' ? made.attempts : null;
    if (known !== null) {
      const summary = `attempt ${made.attempts + 1} to ${made.about.endpointId}, after: ${made.lastAnswer}`;
      const isWanted = () => inbox.retryNow || inbox.giveUp || inbox.retries.length > 0;
      await condition(isWanted, made.waitMs, { summary });
      await noteRetries(deliveryId, inbox);
    } else if (!inbox.retryNow) {
      break;
    } // a retry arrived during the last attempt: the database decides whether there is more to do
  }
  await condition(allHandlersFinished);
}

function openInbox(): Inbox {
  const inbox: Inbox = {
    retryNow: false,
    giveUp: false,
    givenUpBy: null,
    retries: [],
    isUnderWay: false,
    last: null,
    ended: null,
  };
  setHandler(
    retryNow,
    () => {
      inbox.retryNow = true;
    },
    { description: 'Sent by the API: makes the next attempt now instead of at its time. Safe to send twice.' },
  );
  setHandler(
    giveUp,
    () => {
      inbox.giveUp = true;
    },
    { description: 'For programs: like the Update `giveUp`, but without a result.' },
  );
  setHandler(commands.retryNow, (by?: IssuedBy | null) => requestRetry(inbox, readIssuedBy(by)), {
    validator: (by?: IssuedBy | null) => void readIssuedBy(by),
    description: `Makes the next attempt now instead of at its time; it counts as one of its schedule. ${issuerInput}`,
  });
  setHandler(commands.giveUp, (by?: IssuedBy | null) => requestGiveUp(inbox, readIssuedBy(by)), {
    validator: (by?: IssuedBy | null) => void readIssuedBy(by),
    description: `Ends the delivery as failed; it can be retried later, by the API. Safe to send twice. ${issuerInput}`,
  });
  return inbox;
}

async function requestRetry(inbox: Inbox, by: IssuedBy | null): Promise<string> {
  if (inbox.isUnderWay) return 'Nothing was done: an attempt is under way, or waits for its turn at a busy endpoint.';
  const retry: Inbox['retries'][number] = { by, result: null };
  inbox.retries.push(retry);
  await condition(() => retry.result !== null || inbox.ended !== null);
  return retry.result ?? inbox.ended ?? '';
}

async function requestGiveUp(inbox: Inbox, by: IssuedBy | null): Promise<string> {
  inbox.giveUp = true;
  inbox.givenUpBy ??= by;
  await condition(() => inbox.ended !== null);
  return inbox.ended ?? '';
}

/** Records who requested the attempt that follows. */
async function noteRetries(deliveryId: string, inbox: Inbox): Promise<void> {
  const { retries } = inbox;
  for (let retry = retries[0]; retry !== undefined; retry = retries[0]) {
    retry.result = await local.noteWebhookRetry(deliveryId, retry.by);
    retries.shift();
    inbox.last = `retry now (${nameOf(retry.by)}). ${retry.result}`;
  }
}

/** Makes one attempt. Gives up at once when requested, even while the attempt cannot be made. */
async function attempt(
  deliveryId: string,
  known: number | null,
  inbox: Inbox,
): Promise<Progress | { givenUp: string } | null> {
  const { attemptWebhookDelivery, giveUpWebhookDelivery } = activitiesFor(known);
  const isGivenUp = () => inbox.giveUp;
  inbox.isUnderWay = true;
  const scope = new CancellationScope();
  const made = scope.run(() => attemptWebhookDelivery(deliveryId, known));
  made.catch(() => {}); // handled below, unless the delivery is given up
  await Promise.race([made, condition(isGivenUp)]);
  inbox.isUnderWay = false;
  if (!isGivenUp()) return made;
  scope.cancel();
  await made.catch((error: unknown) => {
    if (!isCancellation(error)) throw error;
  });
  // A run of an earlier version recorded no result here.
  const result: string | undefined = await giveUpWebhookDelivery(deliveryId, inbox.givenUpBy);
  return { givenUp: result ?? 'The delivery is given up.' };
}

/**
 * Returns the activities on the webhooks' own task queue. A failure here never comes from the receiver, only from our
 * side, so it is retried.
 */
function activitiesFor(known: number | null): WebhookActivitiesProxy {
  return proxyActivities<WebhookActivities>({
    taskQueue: webhookTaskQueue(workflowInfo().taskQueue),
    startToCloseTimeout: '25 seconds', // 15 for the receiver, the rest for the database; then a worker counts as dead
    retry: { initialInterval: '500ms', backoffCoefficient: 2, maximumInterval: '30s' },
    summary: known === null ? 'first attempt' : `attempt ${known + 1}`,
  });
}
type WebhookActivitiesProxy = ReturnType<typeof proxyActivities<WebhookActivities>>;
