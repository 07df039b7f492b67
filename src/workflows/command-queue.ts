import { condition, setHandler } from '@temporalio/workflow';
import { type IssuedBy, type OperatorCommand, readIssuedBy, readSkipSlot } from '../messages/operator-command.ts';
import { commands } from '../messages/updates.ts';
import { stallOf } from './effect-failure.ts';

/** What the descriptions say about the input of commands that need none. */
export const issuerInput = 'Input: nothing, or who you are, such as "ada".';

const descriptions = {
  recheck: `Reads the database again, and does what is due. Changes nothing else; safe at any time. ${issuerInput}`,
  retryNow:
    'Makes the next attempt of what is unpaid now instead of at its time; of a scheduled payment, only when its date has ' +
    `come. Sent again within a minute, it makes no other attempt. ${issuerInput}`,
  skipSlot:
    'Gives up one slot for good: one that is unpaid, or due and never charged. Its payment is canceled, and the calendar ' +
    'continues. Does nothing while the slot is being charged. Sent twice, it skips one slot. Input: the number of the slot, ' +
    'such as 3, or {"slot": 3, "by": "ada"}.',
  retryAdvance:
    'Resumes the open advance where it is; finished work is not repeated. A clock that has failed cannot be advanced ' +
    `again. ${issuerInput}`,
};

type CommandName = OperatorCommand['name'];

/** A command, and the sentence that its sender gets once it was executed. */
interface Issued {
  command: OperatorCommand;
  result: string | null;
}

/** The handlers add commands here. The workflow's loop executes them one after the other and sets their results. */
export interface CommandQueue {
  waiting: Issued[];
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
  const queue: CommandQueue = { waiting: [], last: null, closed: null };
  const issue = async (command: OperatorCommand): Promise<string> => {
    const issued: Issued = { command, result: null };
    queue.waiting.push(issued);
    wake();
    await condition(() => issued.result !== null || queue.closed !== null);
    return issued.result ?? queue.closed ?? '';
  };
  for (const name of names) {
    if (name === 'skipSlot') {
      setHandler(commands.skipSlot, (input) => issue({ name, ...readSkipSlot(input) }), {
        validator: (input) => void readSkipSlot(input),
        description: descriptions[name],
      });
    } else {
      setHandler(commands[name], (by?: IssuedBy | null) => issue({ name, by: readIssuedBy(by) }), {
        validator: (by?: IssuedBy | null) => void readIssuedBy(by),
        description: descriptions[name],
      });
    }
  }
  return queue;
}

/** Executes the waiting commands and returns their names. If a command cannot be carried out, its result says why. */
export async function runCommands(
  queue: CommandQueue,
  execute: (command: OperatorCommand) => Promise<string>,
): Promise<CommandName[]> {
  const done: CommandName[] = [];
  for (let issued = queue.waiting[0]; issued !== undefined; issued = queue.waiting[0]) {
    const { command } = issued;
    issued.result = await execute(command).catch((error: unknown) => `Nothing was done: ${stallOf(error).reason}`);
    queue.waiting.shift();
    queue.last = `${inWords(command)}. ${issued.result}`;
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
      return `skip slot ${command.slot}${by}`;
    case 'retryAdvance':
      return `retry the advance${by}`;
  }
}

/** Returns who issued a command, in words. */
export function nameOf(by: IssuedBy | null): string {
  if (by === null) return 'an operator';
  return typeof by === 'string' ? `operator ${by}` : `${by.id} at the command line`;
}
