import {
  allHandlersFinished,
  CancellationScope,
  condition,
  isCancellation,
  proxyLocalActivities,
  setHandler,
} from '@temporalio/workflow';
import type { WebhookActivities } from '../activities/webhook-activities.ts';
import { type IssuedBy, readIssuedBy } from '../messages/operator-command.ts';
import { signals } from '../messages/signals.ts';
import { commands } from '../messages/updates.ts';
import { inProcess, type WebhookOptions, webhookActivities } from './activities.ts';
import { refusedCommandOf } from './effect-failure.ts';
import {
  type CommandOutcome,
  type CommandQueue,
  issuerInput,
  openCommandQueue,
  resultOf,
  runCommands,
} from './inbox.ts';
import { type Progress, showDelivery } from './operator-page/delivery.ts';
import { openPage } from './operator-page/page.ts';

/** What operators and the API have requested, for the loop to act on. */
interface DeliveryInbox {
  /** The Updates `retryNow`. They are refused while an attempt is under way. */
  commandQueue: CommandQueue;
  retryNow: boolean;
  /** A batch has recorded an attempt, or has left it to this workflow: the database says when the next one is due. */
  isPoked: boolean;
  giveUp: boolean;
  givenUpBy: IssuedBy | null;
  /** The result of giving up. Null until then. */
  givenUp: CommandOutcome | null;
  isUnderWay: boolean;
}

/** 15 seconds for the receiver, the rest for the database. After that, the worker counts as dead. */
const attemptTimeout = '25 seconds';

const local = proxyLocalActivities<WebhookActivities>({ ...inProcess, summary: 'retry now (an operator)' });

/**
 * One event on its way to one endpoint: attempt, wait, attempt again, until it is delivered, failed or given up. The
 * database records each attempt under its number, with the instant of the next one. If it is not the endpoint's turn,
 * no attempt is made, and the wait is for the turn.
 */
export async function webhookDelivery(deliveryId: string): Promise<void> {
  const page = openPage('webhookDelivery');
  const inbox = openDeliveryInbox();
  const { commandQueue } = inbox;
  let known: number | null = null;
  for (;;) {
    inbox.retryNow = false;
    inbox.isPoked = false;
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
      const isWoken = await condition(() => isWanted() || inbox.isPoked, made.waitMs, { summary });
      if (isWoken && !isWanted()) known = null;
      // Records who requested the attempt that follows.
      await runCommands(commandQueue, ({ by }) => local.noteWebhookRetry(deliveryId, by));
    } else if (!inbox.retryNow && !inbox.isPoked) {
      break;
    } // a signal arrived during the last attempt: the database decides whether there is more to do
  }
  await condition(allHandlersFinished);
}

function openDeliveryInbox(): DeliveryInbox {
  const flags = { retryNow: false, isPoked: false, giveUp: false, givenUpBy: null, givenUp: null, isUnderWay: false };
  const commandQueue = openCommandQueue(
    ['retryNow'],
    () => {},
    () => (flags.isUnderWay ? 'Nothing was done: an attempt is under way.' : null),
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
    signals.poke,
    () => {
      inbox.isPoked = true;
    },
    { description: 'The delivery has changed in the database: reads it again, and attempts it if it is due.' },
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
  const isGivenUp = () => inbox.giveUp;
  inbox.isUnderWay = true;
  const scope = new CancellationScope();
  const activities = webhookActivities(optionsOf(known));
  const made = scope.run(() => activities.attemptWebhookDelivery(deliveryId, known));
  made.catch(() => {}); // handled below, unless the delivery is given up
  await Promise.race([made, condition(isGivenUp)]);
  inbox.isUnderWay = false;
  if (!isGivenUp()) return made;
  scope.cancel();
  await made.catch((error: unknown) => {
    if (!isCancellation(error)) throw error;
  });
  try {
    const text = await activities.giveUpWebhookDelivery(deliveryId, inbox.givenUpBy);
    return { givenUp: { text, isRefused: false } };
  } catch (error) {
    const refusal = refusedCommandOf(error);
    if (refusal === null) throw error;
    return { givenUp: { text: refusal, isRefused: true } };
  }
}

function optionsOf(known: number | null): WebhookOptions {
  return {
    startToCloseTimeout: attemptTimeout,
    summary: known === null ? 'first attempt' : `attempt ${known + 1}`,
  };
}
