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
import { webhookTaskQueue } from '../messages/task-queues.ts';
import { buttons, nameOf, whoMayBeSent } from './operator-handlers.ts';
import { showDelivery } from './operator-page/delivery.ts';
import { inProcess } from './options.ts';

/** Makes the next attempt now instead of at its time. Sent by the API. Safe to send twice. */
export const retryNow = defineSignal('retryNow');
/** Ends the delivery as failed. It can be retried later. Safe to send twice. */
export const giveUp = defineSignal('giveUp');

type Progress = NonNullable<Awaited<ReturnType<WebhookActivities['attemptWebhookDelivery']>>>;

/** What operators and the API have requested, for the loop to act on. */
interface Wishes {
  retryNow: boolean;
  giveUp: boolean;
  givenUpBy: IssuedBy | null;
  /** The `retryNow` commands: who issued each, and its result. */
  retries: { by: IssuedBy | null; answer: string | null }[];
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
  const wishes = openWishes();
  let known: number | null = null;
  for (;;) {
    wishes.retryNow = false;
    const made = await attempt(deliveryId, known, wishes);
    if (made === null || 'givenUp' in made) {
      wishes.ended = made?.givenUp ?? 'Nothing is done: there is no such delivery.';
      break;
    }
    showDelivery(deliveryId, made, wishes.last);
    wishes.ended = made.status === 'pending' ? null : `Nothing is done: the delivery is ${made.status}.`;
    known = made.status === 'pending' ? made.attempts : null;
    if (known !== null) {
      const summary = `attempt ${made.attempts + 1} to ${made.about.endpointId}, after: ${made.lastAnswer}`;
      const isWanted = () => wishes.retryNow || wishes.giveUp || wishes.retries.length > 0;
      await condition(isWanted, made.waitMs, { summary });
      await noteRetries(deliveryId, wishes);
    } else if (!wishes.retryNow) {
      break;
    } // a retry arrived during the last attempt: the database decides whether there is more to do
  }
  await condition(allHandlersFinished);
}

function openWishes(): Wishes {
  const wishes: Wishes = {
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
      wishes.retryNow = true;
    },
    { description: 'Sent by the API: makes the next attempt now instead of at its time. Safe to send twice.' },
  );
  setHandler(
    giveUp,
    () => {
      wishes.giveUp = true;
    },
    { description: 'For programs: as the Update `giveUp`, but not answered.' },
  );
  setHandler(buttons.retryNow, (by?: IssuedBy | null) => pressRetry(wishes, readIssuedBy(by)), {
    validator: (by?: IssuedBy | null) => void readIssuedBy(by),
    description: `Makes the next attempt now instead of at its time; it counts as one of its schedule. ${whoMayBeSent}`,
  });
  setHandler(buttons.giveUp, (by?: IssuedBy | null) => pressGiveUp(wishes, readIssuedBy(by)), {
    validator: (by?: IssuedBy | null) => void readIssuedBy(by),
    description: `Ends the delivery as failed; it can be retried later, by the API. Safe to press twice. ${whoMayBeSent}`,
  });
  return wishes;
}

async function pressRetry(wishes: Wishes, by: IssuedBy | null): Promise<string> {
  if (wishes.isUnderWay) return 'Nothing is done: an attempt is under way, or waits for its turn at a busy endpoint.';
  const retry: Wishes['retries'][number] = { by, answer: null };
  wishes.retries.push(retry);
  await condition(() => retry.answer !== null || wishes.ended !== null);
  return retry.answer ?? wishes.ended ?? '';
}

async function pressGiveUp(wishes: Wishes, by: IssuedBy | null): Promise<string> {
  wishes.giveUp = true;
  wishes.givenUpBy ??= by;
  await condition(() => wishes.ended !== null);
  return wishes.ended ?? '';
}

/** Records who requested the attempt that follows. */
async function noteRetries(deliveryId: string, wishes: Wishes): Promise<void> {
  const { retries } = wishes;
  for (let retry = retries[0]; retry !== undefined; retry = retries[0]) {
    retry.answer = await local.noteWebhookRetry(deliveryId, retry.by);
    retries.shift();
    wishes.last = `retry now (${nameOf(retry.by)}). ${retry.answer}`;
  }
}

/** Makes one attempt. Gives up at once when requested, even while the attempt cannot be made. */
async function attempt(
  deliveryId: string,
  known: number | null,
  wishes: Wishes,
): Promise<Progress | { givenUp: string } | null> {
  const { attemptWebhookDelivery, giveUpWebhookDelivery } = activitiesFor(known);
  const toldToGiveUp = () => wishes.giveUp;
  wishes.isUnderWay = true;
  const scope = new CancellationScope();
  const made = scope.run(() => attemptWebhookDelivery(deliveryId, known));
  made.catch(() => {}); // handled below, unless the delivery is given up
  await Promise.race([made, condition(toldToGiveUp)]);
  wishes.isUnderWay = false;
  if (!toldToGiveUp()) return made;
  scope.cancel();
  await made.catch((error: unknown) => {
    if (!isCancellation(error)) throw error;
  });
  // A run of an earlier version recorded no result here.
  const answer: string | undefined = await giveUpWebhookDelivery(deliveryId, wishes.givenUpBy);
  return { givenUp: answer ?? 'The delivery is given up.' };
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
