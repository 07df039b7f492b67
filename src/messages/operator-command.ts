/** Who presses a button of a workflow: a name, as it is typed into the Web UI, or the command line with its user. */
export type IssuedBy = string | { kind: 'command_line'; id: string };

/** What an operator does to a plan, a scheduled payment or a clock; `by` is null where nobody said who. */
export type OperatorCommand = { by: IssuedBy | null } & (
  | { name: 'recheck' | 'retryNow' | 'retryAdvance' }
  | { name: 'skipSlot'; slot: number }
);

/** What the Web UI can send along: one value, nothing, or null. `by` alone, or the slot that is to be skipped. */
export type SkipSlotInput = number | { slot: number; by?: IssuedBy | null };

const longestName = 100;

/**
 * Reads who has pressed a button; null when nobody said.
 * @throws TypeError for anything else than a name of 1 to 100 characters, or a command line's.
 */
export function readIssuedBy(input: unknown): IssuedBy | null {
  if (input === undefined || input === null) return null;
  if (isName(input)) return input;
  if (typeof input === 'object' && 'kind' in input && 'id' in input && input.kind === 'command_line') {
    if (isName(input.id)) return { kind: 'command_line', id: input.id };
  }
  throw new TypeError('Send who you are along, as a JSON text of 1 to 100 characters such as "ada", or nothing.');
}

/**
 * Reads which slot is to be skipped, and who says so.
 * @throws TypeError for what is no slot number.
 */
export function readSkipSlot(input: unknown): { slot: number; by: IssuedBy | null } {
  const isObject = typeof input === 'object' && input !== null;
  const slot: unknown = isObject && 'slot' in input ? input.slot : input;
  if (typeof slot !== 'number' || !Number.isSafeInteger(slot) || slot < 0) {
    throw new TypeError('Send the number of the slot along, such as 3, or {"slot": 3, "by": "ada"}.');
  }
  return { slot, by: readIssuedBy(isObject && 'by' in input ? input.by : null) };
}

function isName(value: unknown): value is string {
  return typeof value === 'string' && value.trim() !== '' && value.length <= longestName;
}
