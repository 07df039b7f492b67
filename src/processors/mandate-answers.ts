// What a processor service says of a mandate.

import { type Believed, type HttpAnswer, readAnswer } from './http-reading.ts';
import type { MandateState } from './processor.ts';

const believed = { 200: ['active', 'ended'] } as const satisfies Believed<MandateState>;

/**
 * Returns whether debits under a mandate are possible; null if the processor lacks the call or does not know the
 * mandate (404). The body must repeat the reference.
 * @throws OutcomeUnknown for every other answer.
 */
export function mandateStateOf(answer: HttpAnswer, reference: string): MandateState | null {
  if (answer.status === 404) return null;
  return readAnswer(answer, believed, { mandate_reference: reference }).outcome;
}
