/** Whether a request may be sent. */
export type Turn = Now | Later;

export interface Now {
  kind: 'now';
  /** To be called when the request has ended. */
  end(hasResponse: boolean): void;
}

export interface Later {
  kind: 'later';
  /** How long to wait before asking again, in milliseconds. */
  waitMs: number;
  reason: string;
}

/** Whether a request of a batch may be sent. A batch does not stand in line: it waits, or hands its deliveries over. */
export type BatchTurn =
  | Now
  /** The endpoint has its share already. */
  | { kind: 'busy' }
  /** The endpoint does not respond promptly, as far as is known. */
  | { kind: 'slow' };

export interface SendingTurns {
  /** `failingMs` says for how long the endpoint has only failed, in milliseconds. Null: it does not fail. */
  ask(endpointId: string, failingMs: number | null): Turn;
  /** For one of the requests of a batch, to an endpoint that does not fail. */
  askInBatch(endpointId: string): BatchTurn;
}

/** The most requests that one process has under way. A hanging endpoint has at most a ninth of them, 57. */
export const maxRequestsUnderWay = 512;

/** A receiver that responds within this time is prompt: a batch sends to it. Milliseconds, as all below. */
export const promptMs = 1_000;

/** How many requests of a batch an endpoint gets at a time, until it has shown that it takes more. */
const firstInBatch = 8;

const shortestWaitMs = 1_000;

/** The longest wait is as long as the endpoint has been failing, within these bounds. */
const longestWaitMs = { atLeast: 60_000, atMost: 30 * 60_000 };

/** How many endpoints a process remembers. Of one that it forgets, it knows again after one request. */
const maxRemembered = 10_000;

interface Request {
  begunAt: number;
}

interface Endpoint {
  /** The requests under way, the oldest first. */
  underWay: Set<Request>;
  /** How long the last request took. Null before the first one of this process. */
  lastMs: number | null;
  /** False if the last request ended without a response, and not promptly. */
  isResponsive: boolean;
  /** How many requests of a batch it gets at a time: one more for each prompt response while it has so many. */
  mostInBatch: number;
  /** When the last of those that wait for their turn will ask again. */
  lineEndsAt: number;
}

/**
 * Decides when requests are sent, so that a hanging receiver takes nothing that another needs:
 * - An endpoint has a limited share of all requests under way (`createSendingSlots`).
 * - An endpoint whose last request got no response has one request at a time, until it responds.
 * - A batch sends only to an endpoint that responds promptly, and stops when a request takes long. It sends it a few
 *   requests at a time, and more only while each is answered promptly: so few are lost to one that begins to hang.
 * - Those turned away stand in line: each asks again when its turn is expected. So few ask in vain, however many wait.
 *
 * It knows only what this process has sent. `now` is in milliseconds from any beginning, `random` from 0 to 1.
 */
export function createSendingTurns(
  now: () => number = () => performance.now(),
  random: () => number = Math.random,
): SendingTurns {
  const slots = createSendingSlots(maxRequestsUnderWay);
  const endpoints = new Map<string, Endpoint>();

  function ask(id: string, failingMs: number | null): Turn {
    const endpoint = endpoints.get(id) ?? remember(id);
    if (!endpoint.isResponsive && endpoint.underWay.size > 0) {
      return later(endpoint, 'the receiver does not respond, so it gets one request at a time', failingMs);
    }
    return slots.tryTake(id) ? begin(id, endpoint) : later(endpoint, 'too many requests are under way', failingMs);
  }

  function askInBatch(id: string): BatchTurn {
    const endpoint = endpoints.get(id) ?? remember(id);
    if (!isPrompt(endpoint, now())) return { kind: 'slow' };
    if (endpoint.underWay.size >= endpoint.mostInBatch) return { kind: 'busy' };
    return slots.tryTake(id) ? begin(id, endpoint) : { kind: 'busy' };
  }

  /** Starts to remember an endpoint, and forgets another if there are too many. */
  function remember(id: string): Endpoint {
    if (endpoints.size >= maxRemembered) {
      for (const [other, { underWay }] of endpoints) {
        if (underWay.size > 0) continue;
        endpoints.delete(other);
        break;
      }
    }
    const endpoint = {
      underWay: new Set<Request>(),
      lastMs: null,
      isResponsive: true,
      mostInBatch: firstInBatch,
      lineEndsAt: 0,
    };
    endpoints.set(id, endpoint);
    return endpoint;
  }

  function begin(id: string, endpoint: Endpoint): Now {
    const request = { begunAt: now() };
    endpoint.underWay.add(request);
    return {
      kind: 'now',
      end(hasResponse) {
        if (!endpoint.underWay.delete(request)) throw new Error('the request has ended already');
        slots.release(id);
        endpoint.lastMs = now() - request.begunAt;
        if (endpoint.lastMs > promptMs) endpoint.mostInBatch = firstInBatch;
        else if (endpoint.underWay.size + 1 >= endpoint.mostInBatch) endpoint.mostInBatch += 1;
        const isResponsive = hasResponse || endpoint.lastMs <= promptMs;
        if (isResponsive && !endpoint.isResponsive) endpoint.lineEndsAt = 0;
        endpoint.isResponsive = isResponsive;
      },
    };
  }

  function later(endpoint: Endpoint, reason: string, failingMs: number | null): Later {
    const at = now();
    const eachMs = Math.max(endpoint.lastMs ?? 0, ageOfOldest(endpoint, at)) / Math.max(1, endpoint.underWay.size);
    const longest = Math.min(Math.max(failingMs ?? 0, longestWaitMs.atLeast), longestWaitMs.atMost);
    const untilTurn = Math.max(endpoint.lineEndsAt, at + shortestWaitMs) + eachMs - at;
    endpoint.lineEndsAt = at + Math.min(untilTurn, longest);
    // Those beyond the longest wait are spread over its second half.
    const waitMs = untilTurn <= longest ? untilTurn : longest * (0.5 + random() / 2);
    return { kind: 'later', waitMs: Math.round(waitMs), reason };
  }

  return { ask, askInBatch };
}

/** An endpoint that this process has not sent to counts as prompt. */
function isPrompt(endpoint: Endpoint, at: number): boolean {
  const wasPrompt = endpoint.lastMs === null || endpoint.lastMs <= promptMs;
  return wasPrompt && endpoint.isResponsive && ageOfOldest(endpoint, at) <= promptMs;
}

function ageOfOldest({ underWay }: Endpoint, at: number): number {
  for (const { begunAt } of underWay) return at - begunAt;
  return 0;
}

/** Slots for requests under way, shared fairly among their holders. */
export interface SendingSlots {
  /** Takes a slot for this holder. Returns false if the holder has its share already, or no slot is free. */
  tryTake(holder: string): boolean;
  /** Gives back a slot that was taken. */
  release(holder: string): void;
}

/**
 * A holder may have an eighth of the free slots, and at least one. So its share shrinks with what the others hold. One
 * hanging receiver stops at a ninth of all slots. Twenty hanging receivers, one after the other, leave nearly a tenth
 * free.
 */
const shareOfFree = 1 / 8;

/** @param capacity how many slots there are. */
export function createSendingSlots(capacity: number): SendingSlots {
  const held = new Map<string, number>();
  let free = capacity;
  return {
    tryTake(holder) {
      const mine = held.get(holder) ?? 0;
      if (free === 0 || mine >= Math.max(1, Math.floor(free * shareOfFree))) return false;
      held.set(holder, mine + 1);
      free -= 1;
      return true;
    },
    release(holder) {
      const mine = held.get(holder) ?? 0;
      if (mine === 0) throw new Error(`${holder} holds no slot`);
      if (mine === 1) held.delete(holder);
      else held.set(holder, mine - 1);
      free += 1;
    },
  };
}
