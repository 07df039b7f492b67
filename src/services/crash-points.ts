/**
 * Crash points: the places where a process may die with one step done and the next one not. They lie between the steps
 * of a payment, an advance, a delivery, a request and the dispatch of the outbox. They do nothing unless a fault run
 * listens.
 */
const crashPoints = [
  'charge prepared',
  'charge reserved',
  'confirm opened',
  'confirm charged',
  'confirm completed',
  'challenge asked',
  'challenge given up',
  'challenge settled',
  'refund opened',
  'refund asked',
  'refund completed',
  'collection opened',
  'collection charged',
  'collection completed',
  'scheduled payment opened',
  'scheduled payment charged',
  'scheduled payment completed',
  'session charged',
  'link completed',
  'debit handed over',
  'debit asked',
  'debit recorded',
  'notices heard',
  'notice settled',
  'advance accepted',
  'advance found',
  'advance allowed to skip',
  'advance moved a subject',
  'advance moved all',
  'advance completed',
  'payout made',
  'processor entries posted',
  'delivery prepared',
  'delivery posted',
  'delivery recorded',
  'batch started',
  'batch posted',
  'batch recorded',
  'batch child enqueued',
  'request executed',
  'request committed',
  'outbox claimed',
  'outbox dispatched',
] as const;

export type CrashPoint = (typeof crashPoints)[number];

let listener: ((point: CrashPoint) => void) | null = null;

/** Reports that the process has reached this point. */
export function pass(point: CrashPoint): void {
  listener?.(point);
}

/** For fault runs: calls `onPass` at every crash point. It may end the process. */
export function listenToCrashPoints(onPass: (point: CrashPoint) => void): void {
  listener = onPass;
}
