import {
  allHandlersFinished,
  CancellationScope,
  condition,
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
import {
  type CommandOutcome,
  type CommandQueue,
  issuerInput,
  openCommandQueue,
  resultOf,
  runCommands,
} from './command-queue.ts';
import { refusalOf } from './effect-failure.ts';
import { showDelivery } from './operator-page/delivery.ts';
import { openPage } from './operator-page/page.ts';
import { inProcess } from './options.ts';

type Progress = NonNullable<Awaited<ReturnType<WebhookActivities['attemptWebhookDelivery']>>>;

/** What operators and the API have requested, for the loop to act on. */
interface DeliveryInbox {
  /** The Updates `retryNow`. They are refused while an attempt is under way. */
  commandQueue: CommandQueue;
  retryNow: boolean;
  giveUp: boolean;
  givenUpBy: IssuedBy | null;
  /** The result of giving up. Null until then. */
  givenUp: CommandOutcome | null;
  isUnderWay: boolean;
}

const local = proxyLocalActivities<WebhookActivities>({ ...inProcess, summary: 'retry now (an operator)' });

/**
 * One event on its way to one endpoint: attempt, wait, attempt again, until it is delivered, failed or given up. The
 * database records each attempt under its number, with the instant of the next one.
 */
export async function webhookDelivery(deliveryId: string): Promise<void> {
  const page = openPage('webhookDelivery');
  const inbox = openDeliveryInbox();
  const { commandQueue } = inbox;
  let known: number | null = null;
  for (;;) {
    inbox.retryNow = false;
    const made = await attempt(deliveryId, known, inbox);
    if (made === null || 'givenUp' in made) {
      inbox.givenUp = made?.givenUp ?? null;
      commandQueue.closed = made?.givenUp.text ?? 'Nothing was done: there is no such delivery.';
      break;
    }
    showDelivery(page, deliveryId, made, commandQueue.last);
    commandQueue.closed = made.status === 'pending' ? null : `Nothing was done: the delivery is ${made.status}.`;
    known = made.status === 'pending' ? made.attempts : null;
    if (known !== null) {
      const summary = `attempt ${made.attempts + 1} to ${made.about.endpointId}, after: ${made.lastAnswer}`;
      const isWanted = () => inbox.retryNow || inbox.giveUp || commandQueue.waiting.length > 0;
      await condition(isWanted, made.waitMs, { summary });
      // Records who requested the attempt that follows.
      await runCommands(commandQueue, ({ by }) => local.noteWebhookRetry(deliveryId, by));
    } else if (!inbox.retryNow) {
      break;
    } // a retry arrived during the last attempt: the database decides whether there is more to do
  }
  await condition(allHandlersFinished);
}

function openDeliveryInbox(): DeliveryInbox {
  const flags = { retryNow: false, giveUp: false, givenUpBy: null, givenUp: null, isUnderWay: false };
  const commandQueue = openCommandQueue(
    ['retryNow'],
    () => {},
    () =>
      flags.isUnderWay ? 'Nothing was done: an attempt is under way, or waits for its turn at a busy endpoint.' : null,
  );
  const inbox: DeliveryInbox = Object.assign(flags, { commandQueue });
  setHandler(
    signals.retryNow,
    () => {
      inbox.retryNow = true;
    },
    { description: 'Sent by the API: makes the next attempt now instead of at its time. Safe to send twice.' },
  );
  setHandler(
    signals.giveUp,
    () => {
      inbox.giveUp = true;
    },
    { description: 'For programs: like the Update `giveUp`, but without a result.' },
  );
  setHandler(commands.giveUp, (by) => requestGiveUp(inbox, readIssuedBy(by)), {
    validator: (by) => void readIssuedBy(by),
    description: `Ends the delivery as failed; it can be retried later, by the API. Safe to send twice. ${issuerInput}`,
  });
  return inbox;
}

async function requestGiveUp(inbox: DeliveryInbox, by: IssuedBy | null): Promise<string> {
  inbox.giveUp = true;
  inbox.givenUpBy ??= by;
  await condition(() => inbox.commandQueue.closed !== null);
  return resultOf(inbox.givenUp ?? { text: inbox.commandQueue.closed ?? '', isRefused: true });
}

/** Makes one attempt. Gives up at once when requested, even while the attempt cannot be made. */
async function attempt(
  deliveryId: string,
  known: number | null,
  inbox: DeliveryInbox,
): Promise<Progress | { givenUp: CommandOutcome } | null> {
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
  try {
    // A run of an earlier version recorded no result here.
    const text: string | undefined = await giveUpWebhookDelivery(deliveryId, inbox.givenUpBy);
    return { givenUp: { text: text ?? 'The delivery is given up.', isRefused: false } };
  } catch (error) {
    const refusal = refusalOf(error);
    if (refusal === null) throw error;
    return { givenUp: { text: refusal, isRefused: true } };
  }
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
