import { setTimeout as pause } from 'node:timers/promises';
import type { Link } from '../net/link.ts';
import { type Attack, type Strike, seconds } from './attack.ts';

/** What a network does to the way between two programs, for a while. */
const disturbances: { weight: number; words: string; disturb(link: Link): void; ms: readonly [number, number] }[] = [
  { weight: 4, words: 'reset', disturb: (link) => link.cut(), ms: [0, 0] },
  { weight: 2, words: 'half-closed', disturb: (link) => link.halfClose(), ms: [0, 500] },
  { weight: 3, words: 'refused', disturb: (link) => link.refuse(), ms: [500, 4_000] },
  { weight: 3, words: 'stalled', disturb: (link) => link.stall(), ms: [1_000, 7_000] },
  { weight: 2, words: 'slow by 0.3 s', disturb: (link) => link.delay(300), ms: [2_000, 6_000] },
  { weight: 1, words: 'slow by 2 s', disturb: (link) => link.delay(2_000), ms: [4_000, 8_000] },
  { weight: 4, words: 'without replies', disturb: (link) => link.swallowReplies(), ms: [300, 5_000] },
];

export const disturbConnections: Attack = {
  kind: 'connections',
  weight: 18,
  draw({ cluster, chance }) {
    const { postgres, temporal, processor, client } = cluster.links;
    const link = chance.pick([...postgres, ...temporal, ...processor, ...client]);
    const { words, disturb, ms } = chance.pickByWeight(disturbances);
    const lasting = chance.between(...ms);
    return {
      title: `connections to ${link.name} ${words}${lasting > 0 ? ` for ${seconds(lasting)}` : ''}`,
      targets: [`link ${link.name}`],
      async run() {
        const had = link.connections;
        disturb(link);
        await pause(lasting);
        link.heal();
        return had > 0;
      },
    };
  },
};

const trapMs = 3_000;

/** PostgreSQL commits, and its client never gets the reply. */
export const loseCommitReply: Attack = {
  kind: 'lost commit reply',
  weight: 8,
  draw({ cluster, chance }) {
    const link = chance.pick(cluster.links.postgres);
    return {
      title: `the reply to a commit lost on the way to ${link.name}`,
      targets: [`link ${link.name}`],
      run: () => link.swallowNextCommit(trapMs),
    };
  },
};

/** A request or a response that ends in the middle: of the API's, Temporal's, PostgreSQL's or the processor's. */
export const cutAtByte: Attack = {
  kind: 'cut at a byte',
  weight: 8,
  draw({ cluster, chance }): Strike {
    const { postgres, temporal, processor, client } = cluster.links;
    const link = chance.pick([...client, ...client, ...postgres, ...temporal, ...processor]);
    const direction = chance.pick(['requests', 'replies'] as const);
    const bytes = chance.between(0, 4_000);
    return {
      title: `${link.name} cut after ${bytes} bytes of ${direction}`,
      targets: [`link ${link.name}`],
      run: () => link.cutAfter(bytes, direction, trapMs),
    };
  },
};
