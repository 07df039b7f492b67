import { ApplicationFailure, condition, makeContinueAsNewFunc, setHandler, workflowInfo } from '@temporalio/workflow';
import {
  commandRefused,
  type IssuedBy,
  type OperatorCommand,
  readIssuedBy,
  readSkipSlot,
} from '../messages/operator-command.ts';
import { signals } from '../messages/signals.ts';
import { slotInWords } from '../messages/slot-in-words.ts';
import { commands } from '../messages/updates.ts';
import { refusedCommandOf, stallOf } from './effect-failure.ts';

// What reaches a workflow from outside, its signals and operator commands, and when it needs a fresh run.

type CommandName = OperatorCommand['name'];

/** What the handlers of a plan, a scheduled payment or a clock have received, for its loop to act on. */
export interface Inbox {
  /** The operator commands. */
  commandQueue: CommandQueue;
  /** The database has changed, or a caller requested a fresh read. */
  poked: boolean;
  freshRun: boolean;
}

/** Sets the handlers of the signals and of the named commands. */
export function openInbox(names: readonly CommandName[]): Inbox {
  const flags = { poked: false, freshRun: false };
  const poke = (): void => {
    flags.poked = true;
  };
  const startFreshRun = (): void => {
    flags.poked = true;
    flags.freshRun = true;
  };
  // Messages sent before the first step are delivered as soon as a handler is set, so the flags must exist before.
  const inbox = Object.assign(flags, { commandQueue: openCommandQueue(names, poke) });
  setHandler(signals.poke, poke, {
    description: 'Something has changed in the database: read it again.',
  });
  setHandler(signals.recheck, poke, {
    description: 'For programs: like the Update `recheck`, but without a result and not recorded.',
  });
  setHandler(signals.startFreshRun, startFreshRun, {
    description: 'Continue in a fresh run with an empty history. Safe to send at any time.',
  });
  return inbox;
}

/** What the descriptions say about the input of commands that need none. */
export const issuerInput = 'Input: nothing, or who you are, such as "ada".';

const descriptions = {
  recheck: `Reads the database again, and does what is due. Changes nothing else; safe at any time. ${issuerInput}`,
  retryNow:
    'Makes the next attempt now instead of at its time: of a delivery, of what a plan has not been paid, or of a scheduled ' +
    `payment whose date has come. Sent again within a minute, it makes no other attempt of a payment. ${issuerInput}`,
  skipSlot:
    'Gives up one slot for good: one that is unpaid, or due and never charged. Its payment is canceled, and the calendar ' +
    'continues. Refused while the slot is being charged. Sent twice, it skips one slot. Input: the number of the slot, ' +
    'such as 3 for payment 4, or {"slot": 3, "by": "ada"}.',
  retryAdvance:
    'Resumes the open advance where it is; finished work is not repeated. A clock that has failed cannot be advanced ' +
    `again. ${issuerInput}`,
};

/** The end of a command: a sentence for its sender, and whether nothing was done. */
export interface CommandOutcome {
  text: string;
  isRefused: boolean;
}

/** A command, and its outcome once it was executed. */
interface Issued {
  command: OperatorCommand;
  outcome: CommandOutcome | null;
}

/** The handlers add commands here. The workflow's loop executes them one after the other and sets their outcomes. */
export interface CommandQueue {
  waiting: Issued[];
  /** The last command and its result. */
  last: string | null;
  /** Why commands are refused once the workflow does nothing, as a sentence. */
  closed: string | null;
}

/**
 * Sets the handlers of the named commands and returns their queue. `wake` makes the loop look at the queue. A handler
 * may run at once, so the caller must not reset afterwards what `wake` sets. `refusal` returns why commands are refused
 * at the moment, as a sentence, or null.
 */
export function openCommandQueue(
  names: readonly CommandName[],
  wake: () => void,
  refusal: () => string | null = () => null,
): CommandQueue {
  const queue: CommandQueue = { waiting: [], last: null, closed: null };
  const issue = async (command: OperatorCommand): Promise<string> => {
    const refused = refusal();
    if (refused !== null) throw failureOf(refused);
    const issued: Issued = { command, outcome: null };
    queue.waiting.push(issued);
    wake();
    await condition(() => issued.outcome !== null || queue.closed !== null);
    return resultOf(issued.outcome ?? { text: queue.closed ?? '', isRefused: true });
  };
  for (const name of names) {
    if (name === 'skipSlot') {
      setHandler(commands.skipSlot, (input) => issue({ name, ...readSkipSlot(input) }), {
        validator: (input) => void readSkipSlot(input),
        description: descriptions[name],
      });
    } else {
      setHandler(commands[name], (by) => issue({ name, by: readIssuedBy(by) }), {
        validator: (by) => void readIssuedBy(by),
        description: descriptions[name],
      });
    }
  }
  return queue;
}

/** Returns the text for the sender of a command. @throws it as a failure if nothing was done: the Update then fails. */
export function resultOf({ text, isRefused }: CommandOutcome): string {
  if (isRefused) throw failureOf(text);
  return text;
}

function failureOf(text: string): ApplicationFailure {
  const failure = ApplicationFailure.nonRetryable(text, commandRefused);
  failure.stack = ''; // the Web UI would show it below the text
  return failure;
}

/** Executes the waiting commands and returns their names. If a command cannot be carried out, its outcome says why. */
export async function runCommands(
  queue: CommandQueue,
  execute: (command: OperatorCommand) => Promise<string>,
): Promise<CommandName[]> {
  const done: CommandName[] = [];
  for (let issued = queue.waiting[0]; issued !== undefined; issued = queue.waiting[0]) {
    const { command } = issued;
    const outcome = await execute(command).then(
      (text) => ({ text, isRefused: false }),
      (error: unknown) => ({
        text: refusedCommandOf(error) ?? `Nothing was done: ${stallOf(error).reason}`,
        isRefused: true,
      }),
    );
    issued.outcome = outcome;
    queue.waiting.shift();
    queue.last = `${inWords(command)}. ${outcome.text}`;
    done.push(command.name);
  }
  return done;
}

/** Returns a command in words, for the workflow's page and history. */
export function inWords(command: OperatorCommand): string {
  const by = ` (${nameOf(command.by)})`;
  switch (command.name) {
    case 'recheck':
      return `recheck${by}`;
    case 'retryNow':
      return `retry now${by}`;
    case 'skipSlot':
      return `skip ${slotInWords(command.slot)}${by}`;
    case 'retryAdvance':
      return `retry the advance${by}`;
  }
}

/** Returns who issued a command, in words. */
function nameOf(by: IssuedBy | null): string {
  if (by === null) return 'an operator';
  return typeof by === 'string' ? `operator ${by}` : `${by.id} at the command line`;
}

/**
 * The events after which a run is long. They are 26 charges in real time, half a year of a weekly plan, at seven events
 * each. A worker that does not have the workflow in memory replays its run before it charges, which costs 9 to 14 ms of
 * processor time for each charge. A fresh run costs about as much as one more charge.
 */
const longHistory = 180;

/** Returns whether the workflow should continue as new at its next idle moment. */
export function wantsFreshRun(inbox: Inbox): boolean {
  return needsFreshRun(inbox) || workflowInfo().historyLength >= longHistory;
}

/**
 * Returns whether it should do so even while its subject is stalled: on request, because Temporal suggests it, or
 * because its workers have a new version (Worker Versioning only).
 */
export function needsFreshRun(inbox: Inbox): boolean {
  const { continueAsNewSuggested, targetWorkerDeploymentVersionChanged } = workflowInfo();
  return inbox.freshRun || continueAsNewSuggested || targetWorkerDeploymentVersionChanged;
}

/**
 * Continues as new with these arguments. A run stays on the version of the workers that it began on; so if there is a
 * new version, the fresh run begins on that.
 */
export function beginFreshRun(...args: [subjectId: string, atOnce?: boolean]): Promise<never> {
  const hasNewVersion = workflowInfo().targetWorkerDeploymentVersionChanged;
  return makeContinueAsNewFunc(hasNewVersion ? { initialVersioningBehavior: 'AUTO_UPGRADE' } : {})(...args);
}
