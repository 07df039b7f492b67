import { condition, defineUpdate, setHandler } from '@temporalio/workflow';
import {
  type IssuedBy,
  type OperatorCommand,
  readIssuedBy,
  readSkipSlot,
  type SkipSlotInput,
} from '../messages/operator-command.ts';
import { whyEffectFailed } from './effect-failure.ts';

/**
 * The operator commands as Updates, sent from the Web UI or the command line. Each returns a sentence: what was done,
 * or why nothing was. The Web UI sends at most one value, so each Update takes one argument. For most it is who issues
 * the command, and optional.
 */
export const buttons = {
  recheck: defineUpdate<string, [by?: IssuedBy | null]>('recheck'),
  retryNow: defineUpdate<string, [by?: IssuedBy | null]>('retryNow'),
  skipSlot: defineUpdate<string, [slot: SkipSlotInput]>('skipSlot'),
  retryAdvance: defineUpdate<string, [by?: IssuedBy | null]>('retryAdvance'),
  giveUp: defineUpdate<string, [by?: IssuedBy | null]>('giveUp'),
};

/** The input of commands that need none. */
export const whoMayBeSent = 'Input: nothing, or who you are, such as "ada".';

const descriptions = {
  recheck: `Looks at the database afresh, and does what is due. Changes nothing else; safe at any time. ${whoMayBeSent}`,
  retryNow:
    'Makes the next attempt of what is unpaid at once instead of at its time; of a scheduled payment, only when its date has ' +
    `come. A second press within a minute makes no other attempt. ${whoMayBeSent}`,
  skipSlot:
    'Gives up one slot for good: one that is unpaid, or due and never charged. Its payment is canceled, and the calendar goes on. ' +
    'Never while it is being charged. Pressed twice it skips one slot. Input: the number of the slot, such as 3, or ' +
    '{"slot": 3, "by": "ada"}.',
  retryAdvance:
    'Takes up the open advance again, from where it is; what is done is not done again. A clock that has failed cannot be ' +
    `advanced again. ${whoMayBeSent}`,
};

type CommandName = OperatorCommand['name'];

interface Pressed {
  deed: OperatorCommand;
  answer: string | null;
}

/** The handlers add commands here. The workflow's loop executes them one after the other and sets their results. */
export interface CommandQueue {
  waiting: Pressed[];
  /** The last command and its result. The Web UI does not show them by itself. */
  last: string | null;
  /** The result that commands return once the workflow does nothing any more. */
  closed: string | null;
}

/**
 * Sets the handlers of the named commands and returns their queue. `wake` makes the loop look at the queue. A handler
 * may run at once, so the caller must not reset afterwards what `wake` sets.
 */
export function openCommandQueue(names: readonly CommandName[], wake: () => void): CommandQueue {
  const commandQueue: CommandQueue = { waiting: [], last: null, closed: null };
  const press = async (deed: OperatorCommand): Promise<string> => {
    const pressed: Pressed = { deed, answer: null };
    commandQueue.waiting.push(pressed);
    wake();
    await condition(() => pressed.answer !== null || commandQueue.closed !== null);
    return pressed.answer ?? commandQueue.closed ?? '';
  };
  for (const name of names) {
    if (name === 'skipSlot') {
      setHandler(buttons.skipSlot, (input) => press({ name, ...readSkipSlot(input) }), {
        validator: (input) => void readSkipSlot(input),
        description: descriptions[name],
      });
    } else {
      setHandler(buttons[name], (by?: IssuedBy | null) => press({ name, by: readIssuedBy(by) }), {
        validator: (by?: IssuedBy | null) => void readIssuedBy(by),
        description: descriptions[name],
      });
    }
  }
  return commandQueue;
}

/** Executes the waiting commands and returns their names. If a command cannot be carried out, its result says why. */
export async function runCommands(
  commandQueue: CommandQueue,
  act: (deed: OperatorCommand) => Promise<string>,
): Promise<CommandName[]> {
  const done: CommandName[] = [];
  for (let pressed = commandQueue.waiting[0]; pressed !== undefined; pressed = commandQueue.waiting[0]) {
    try {
      pressed.answer = await act(pressed.deed);
    } catch (error) {
      const reason = whyEffectFailed(error);
      if (reason === null) throw error;
      pressed.answer = `Nothing is done: ${reason}`;
    }
    commandQueue.waiting.shift();
    commandQueue.last = `${inWords(pressed.deed)}. ${pressed.answer}`;
    done.push(pressed.deed.name);
  }
  return done;
}

/** Returns a command in words, for the workflow's page and history. */
export function inWords(deed: OperatorCommand): string {
  const by = ` (${nameOf(deed.by)})`;
  switch (deed.name) {
    case 'recheck':
      return `look afresh${by}`;
    case 'retryNow':
      return `retry now${by}`;
    case 'skipSlot':
      return `skip slot ${deed.slot}${by}`;
    case 'retryAdvance':
      return `take the advance up again${by}`;
  }
}

/** Returns who issued a command, in words. */
export function nameOf(by: IssuedBy | null): string {
  if (by === null) return 'an operator';
  return typeof by === 'string' ? `operator ${by}` : `${by.id} at the command line`;
}
