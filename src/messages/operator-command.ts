/** The user of the operating system who runs the command line. */
export interface CommandLineUser {
  kind: 'command_line';
  id: string;
}

/** Who issues an operator command: a name typed into the Web UI, or a user of the command line. */
export type IssuedBy = string | CommandLineUser;

/**
 * A command that an operator issues for a plan, a scheduled payment or a clock. `by` is null when no name was given.
 */
export type OperatorCommand = { by: IssuedBy | null } & (
  | { name: 'recheck' | 'retryNow' | 'retryAdvance' }
  | { name: 'skipSlot'; slot: number }
);

/**
 * The input that the Web UI can send: one value, nothing, or null. Either the slot alone, or an object with slot and
 * name.
 */
export type SkipSlotInput = number | { slot: number; by?: IssuedBy | null };

/** The failure type of a command that does nothing. Its message says why, as a sentence. */
export const commandRefused = 'CommandRefused';

const longestName = 100;

/**
 * Reads who issues a command. Returns null when no name was given.
 * @throws TypeError for anything but a name of 1 to 100 characters, or the command line's object.
 */
export function readIssuedBy(input: unknown): IssuedBy | null {
  if (input === undefined || input === null) return null;
  if (isName(input)) return input;
  if (typeof input === 'object' && 'kind' in input && 'id' in input && input.kind === 'command_line') {
    if (isName(input.id)) return { kind: 'command_line', id: input.id };
  }
  throw new TypeError('Send your name as a JSON text of 1 to 100 characters such as "ada", or nothing.');
}

/**
 * Reads which slot to skip, and who issues the command.
 * @throws TypeError when there is no valid slot number or name.
 */
export function readSkipSlot(input: unknown): { slot: number; by: IssuedBy | null } {
  const isObject = typeof input === 'object' && input !== null;
  const slot: unknown = isObject && 'slot' in input ? input.slot : input;
  if (typeof slot !== 'number' || !Number.isSafeInteger(slot) || slot < 0) {
    throw new TypeError('Send the number of the slot, such as 3 for payment 4, or {"slot": 3, "by": "ada"}.');
  }
  return { slot, by: readIssuedBy(isObject && 'by' in input ? input.by : null) };
}

function isName(value: unknown): value is string {
  return typeof value === 'string' && value.trim() !== '' && value.length <= longestName;
}
