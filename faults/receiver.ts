import { setTimeout as pause } from 'node:timers/promises';
import type { Chance } from '../lab/random.ts';
import { accepts, type Behaviour, type Receiver, startReceiver } from '../lab/receiver.ts';

type RefusingBehaviour = 'hangs' | 'resets' | 'fails' | 'asks to wait' | 'redirects';
export type BehaviourName = 'accepts' | 'accepts slowly' | 'dribbles' | 'floods' | RefusingBehaviour;

/** The receivers of a fault run: an endpoint whose name ends with `moody` or `flaky` does not accept everything. */
export interface FaultReceiver extends Receiver<BehaviourName> {
  /** From now on every endpoint accepts everything, at once. */
  calmDown(): void;
}

/** Longer than the service's own limit of 15 s. */
const hangMs = 20_000;
const floodBytes = 4 * 2 ** 20;
export const retryAfterSeconds = 7;

/**
 * What a moody endpoint does, in hundredths. Most refusals are such that the second attempt, 5 s later, can succeed.
 */
const behaviours: readonly (Behaviour<BehaviourName> & { weight: number })[] = [
  { ...accepts, weight: 70 },
  {
    name: 'accepts slowly',
    weight: 8,
    async respond(response) {
      await pause(2_500);
      response.writeHead(200).end('{"ok":true}');
      return true;
    },
  },
  {
    name: 'hangs',
    weight: 2,
    async respond(response) {
      await pause(hangMs);
      response.destroy();
      return false;
    },
  },
  {
    name: 'resets',
    weight: 5,
    respond(response) {
      response.socket?.resetAndDestroy();
      return false;
    },
  },
  refuses('fails', 5, 500),
  refuses('asks to wait', 4, 429, { 'retry-after': String(retryAfterSeconds) }),
  refuses('redirects', 3, 302, { location: '/must-not-be-followed' }),
  {
    // A status line and then a byte now and then: the status counts.
    name: 'dribbles',
    weight: 1,
    async respond(response) {
      response.writeHead(200);
      for (let bytes = 0; bytes < 40 && !response.destroyed; bytes += 1) {
        response.write('.');
        await pause(500);
      }
      response.end();
      return true;
    },
  },
  {
    name: 'floods',
    weight: 2,
    respond(response) {
      response.writeHead(200).end(Buffer.alloc(floodBytes, 'x'));
      return true;
    },
  },
];

/** What a flaky endpoint does: it responds at once, so its deliveries travel together, and some of them fail. */
const flakyBehaviours: typeof behaviours = [{ ...accepts, weight: 5 }, refuses('fails', 1, 500)];

function refuses(name: RefusingBehaviour, weight: number, status: number, headers: Record<string, string> = {}) {
  const respond: Behaviour['respond'] = (response) => {
    response.writeHead(status, headers).end();
    return false;
  };
  return { name, weight, respond };
}

export async function startFaultReceiver(chance: Chance): Promise<FaultReceiver> {
  let isCalm = false;
  const receiver = await startReceiver<BehaviourName>((endpoint) => {
    if (isCalm) return accepts;
    if (endpoint.endsWith('flaky')) return chance.pickByWeight(flakyBehaviours);
    return endpoint.endsWith('moody') ? chance.pickByWeight(behaviours) : accepts;
  });
  return {
    ...receiver,
    calmDown() {
      isCalm = true;
    },
  };
}
