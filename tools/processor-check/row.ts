import type { Session } from './session.ts';

/** A promise that is played against the service. */
export interface Row {
  /** Words of docs/processors.md. */
  promise: string;
  /** What is done to see whether it is kept; continues the promise after a colon. */
  plays: string;
  /** At most so many payments are charged. */
  takes: number;
  /** Whether the other rows make sense only if it is kept. */
  isFirst?: true;
  /** @throws Broken, NotTried, NotOffered or OutcomeUnknown */
  play(session: Session): Promise<void>;
}

/** The service breaks the promise. The message says what was seen, in a sentence. */
export class Broken extends Error {
  override name = 'Broken';
}

/** The promise cannot be tried. The message says why. */
export class NotTried extends Error {
  override name = 'NotTried';
}

/** The service lacks an optional call, or does not do what is optional. The message says what it does instead. */
export class NotOffered extends Error {
  override name = 'NotOffered';
}

/** @throws Broken with this sentence unless it holds */
export function expect(holds: boolean, otherwise: string): asserts holds {
  if (!holds) throw new Broken(otherwise);
}
