// A way from the adapter to Stripe on which chosen calls go wrong: before they take effect, or after.

import { connect } from 'node:net';
import { setTimeout as pause } from 'node:timers/promises';
import { type LoopbackServer, type Received, serveOnLoopback } from '../loopback-server.ts';
import type { Chance } from '../random.ts';
import { type Answer, ask, headOf, textOfAnswer } from './exchange.ts';

/**
 * What goes wrong with one call. `at` is a share of the bytes, from 0 to 1, heads included.
 *
 * - `reset_request`: so much of the request reaches Stripe, then both connections are reset: it has no effect.
 * - `reset_answer`: it has its effect; so much of the answer comes, then the connection is reset. At 0 the whole answer
 *   is lost.
 * - `delay`: the call comes so much later.
 * - `status`, `html` (with 200), `stranger` (200, and JSON that is not Stripe's), `truncated` (JSON that breaks off in
 *   a whole answer): instead of the answer, before or after the effect.
 */
export type Fault =
  | { readonly kind: 'reset_request'; readonly at: number }
  | { readonly kind: 'reset_answer'; readonly at: number }
  | { readonly kind: 'delay'; readonly ms: number }
  | { readonly kind: 'status'; readonly status: keyof typeof statusTypes; readonly when: 'before' | 'after' }
  | { readonly kind: 'html' | 'stranger'; readonly when: 'before' | 'after' }
  | { readonly kind: 'truncated' };

/** Which calls: a text that the method and the path of one begin with, or a pattern for both, `POST /v1/refunds`. */
type Which = string | RegExp;

/** Returns the fault of a call; null for none. The call is its method and its path, such as `POST /v1/refunds`. */
export type Choice = (call: string) => Fault | null;

export interface FaultProxy extends LoopbackServer {
  /** All that came, whatever became of it: method and path with its query. */
  readonly calls: readonly string[];
  /** How many faults of each kind were made. */
  readonly made: Readonly<Record<string, number>>;
  /** The next call of these meets this fault, those after it the next ones, each once. */
  plan(which: Which, ...faults: readonly Fault[]): void;
  /** Chooses for calls without a plan; null: they pass. */
  choose(choice: Choice | null): void;
}

/** Opens the way to a server. */
export async function openFaultProxy(target: string): Promise<FaultProxy> {
  const calls: string[] = [];
  const made: Record<string, number> = {};
  const plans: { which: Which; fault: Fault }[] = [];
  let choice: Choice | null = null;

  function faultOf(call: string): Fault | null {
    const index = plans.findIndex(({ which }) =>
      typeof which === 'string' ? call.startsWith(which) : which.test(call),
    );
    return index < 0 ? (choice?.(call) ?? null) : (plans.splice(index, 1)[0]?.fault ?? null);
  }

  const server = await serveOnLoopback(async (received, response) => {
    const call = `${received.method} ${received.path}`;
    calls.push(call);
    const fault = faultOf(call);
    if (fault !== null) made[fault.kind] = (made[fault.kind] ?? 0) + 1;
    const { socket } = received.message;
    const reset = () => void socket.resetAndDestroy();
    if (fault?.kind === 'reset_request') {
      await sendPart(target, received, fault.at);
      return reset();
    }
    if (fault?.kind === 'delay') await pause(fault.ms);
    const isBefore = fault !== null && 'when' in fault && fault.when === 'before';
    const answer = isBefore ? null : await ask(target, received);
    if (fault?.kind === 'reset_answer' && answer !== null) {
      const bytes = Buffer.from(textOfAnswer(answer));
      const part = bytes.subarray(0, Math.floor(bytes.length * Math.min(fault.at, 1)));
      if (part.length === 0) return reset();
      // The peer reads what was sent before the reset only if it has the time.
      return socket.write(part, () => setTimeout(reset, settleMs));
    }
    const spoiled = spoil(fault, answer);
    response.writeHead(spoiled.status, spoiled.headers).end(spoiled.body);
  });
  return {
    calls,
    made,
    plan(which, ...faults) {
      plans.push(...faults.map((fault) => ({ which, fault })));
    },
    choose(next) {
      choice = next;
    },
    url: server.url,
    get connections() {
      return server.connections;
    },
    cut: () => server.cut(),
    close: () => server.close(),
  };
}

/** A share of the calls goes wrong, each in a way drawn from all of them: the same for the same seed and calls. */
export function seededFaults(chance: Chance, share: number, longestDelayMs = 50): Choice {
  const ways: (() => Fault)[] = [
    () => ({ kind: 'reset_request', at: chance.next() }),
    () => ({ kind: 'reset_answer', at: chance.next() }),
    () => ({ kind: 'reset_answer', at: 0 }),
    () => ({ kind: 'delay', ms: chance.below(longestDelayMs) }),
    () => ({ kind: 'status', status: chance.pick([409, 429, 500, 503]), when: chance.pick(['before', 'after']) }),
    () => ({ kind: 'html', when: chance.pick(['before', 'after']) }),
    () => ({ kind: 'truncated' }),
  ];
  return () => (chance.happens(share) ? chance.pick(ways)() : null);
}

const settleMs = 20;

/** Sends so much of a request, and resets the connection. */
async function sendPart(target: string, received: Received, at: number): Promise<void> {
  const bytes = Buffer.from(headOf(received) + received.body);
  // One byte less than the whole: with its last byte the request has its effect.
  const part = bytes.subarray(0, Math.min(Math.floor(bytes.length * at), bytes.length - 1));
  const socket = connect(Number(new URL(target).port), '127.0.0.1');
  await new Promise<void>((resolve, reject) => {
    socket.once('error', reject);
    socket.once('connect', () => socket.write(part, () => setTimeout(resolve, settleMs)));
  });
  socket.resetAndDestroy();
}

const refused = 'invalid_request_error';
const statusTypes = {
  ...{ 400: refused, 401: refused, 403: refused, 409: refused, 429: refused },
  ...{ 500: 'api_error', 503: 'api_error' },
};
const statusCodes: Readonly<Record<number, string>> = { 409: 'lock_timeout', 429: 'rate_limit' };

/** The answer as the fault makes it. */
function spoil(fault: Fault | null, answer: Answer | null): Answer {
  if (fault?.kind === 'html') {
    const body = '<html><body>Welcome to this network</body></html>';
    return { status: 200, headers: { 'content-type': 'text/html' }, body };
  }
  if (fault?.kind === 'stranger') {
    return { status: 200, headers: { 'content-type': 'application/json' }, body: '{"ok":true}' };
  }
  if (fault?.kind === 'status') {
    const { status } = fault;
    const error = { type: statusTypes[status], code: statusCodes[status], message: 'A fault of the rig.' };
    return { status, headers: { 'content-type': 'application/json' }, body: JSON.stringify({ error }) };
  }
  if (answer === null) throw new Error('an answer is missing');
  if (fault?.kind !== 'truncated') return answer;
  return { ...answer, body: answer.body.slice(0, Math.floor(answer.body.length / 2)) };
}
