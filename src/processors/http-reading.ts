import { OutcomeUnknown } from './processor.ts';

/** A complete HTTP response of the processor. */
export interface HttpAnswer {
  /** The processor, for people. */
  from: string;
  /** Whether the processor is on this machine. It may then send payers to this machine too, without TLS. */
  isOnLoopback: boolean;
  status: number;
  /** The header Retry-After, in milliseconds; null without one. */
  retryAfterMs: number | null;
  body: string;
}

export type Body = Record<string, unknown>;

/** The outcomes that each status may carry, by call. In any other answer the outcome is unknown. */
export type Believed<O extends string> = Readonly<Record<number, readonly O[]>>;

/** What an answer without an outcome says, for operators. Others are named by their status alone. */
const saying: Readonly<Record<number, string>> = {
  401: 'it refuses the credentials; check the secret',
  403: 'it refuses the credentials; check the secret and the account',
  404: 'it does not know this call; it must speak the protocol of docs/processors.md',
  409: 'it is still busy with this key',
  429: 'it gets too many requests',
  503: 'it is not available',
};

const longestReference = 200;

/** Returns the body, if it repeats these ids and its outcome is one that its status may carry. */
export function readAnswer<O extends string>(
  answer: HttpAnswer,
  outcomes: Believed<O>,
  ids: Record<string, string>,
): Body & { outcome: O } {
  const body = parsed(answer.body) ?? {};
  const outcome = outcomes[answer.status]?.find((known) => known === body.outcome);
  const isOurs = Object.entries(ids).every(([name, id]) => body[name] === id);
  if (outcome === undefined || !isOurs) throw unknownOutcome(answer);
  return { ...body, outcome };
}

/** The error of an answer that gives no outcome. */
export function unknownOutcome({ from, status, retryAfterMs }: HttpAnswer): OutcomeUnknown {
  const why = saying[status] ?? 'that is not an outcome';
  return new OutcomeUnknown(`${from} responded ${status}: ${why}`, retryAfterMs);
}

/** The JSON object of a body, or null. */
export function parsed(body: string): Body | null {
  try {
    const value: unknown = JSON.parse(body);
    return typeof value === 'object' && value !== null ? { ...value } : null;
  } catch {
    return null;
  }
}

/** Whether this can be the processor's id of a payment or a setup. */
export function isReference(value: unknown): value is string {
  return typeof value === 'string' && value.length > 0 && value.length <= longestReference;
}
