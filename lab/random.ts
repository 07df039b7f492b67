import { createHash } from 'node:crypto';

/** A source of chance that gives the same numbers for the same seed. */
export interface Chance {
  /** From 0 up to 1. */
  next(): number;
  /** A whole number from 0 up to, not including, `limit`. */
  below(limit: number): number;
  /** A whole number from `least` to `most`. */
  between(least: number, most: number): number;
  /** Whether something comes true that does so in this share of cases. */
  happens(share: number): boolean;
  /** @throws RangeError when there is nothing to choose from. */
  pick<T>(items: readonly T[]): T;
  /** One of the items, each as likely as its weight. @throws RangeError when all weigh nothing. */
  pickByWeight<T extends { weight: number }>(items: readonly T[]): T;
  shuffled<T>(items: readonly T[]): T[];
  /**
   * A source of its own under this name: what one part of a run draws does not depend on how often another has drawn,
   * so the plan of the faults is the same however the load was interleaved with them.
   */
  fork(name: string): Chance;
}

export function chanceOf(seed: string): Chance {
  const draw = generatorOf(seed);
  const chance: Chance = {
    next: draw,
    below: (limit) => Math.floor(draw() * limit),
    between: (least, most) => least + Math.floor(draw() * (most - least + 1)),
    happens: (share) => draw() < share,
    pick(items) {
      const item = items[chance.below(items.length)];
      if (item === undefined) throw new RangeError('there is nothing to choose from');
      return item;
    },
    pickByWeight(items) {
      let rest = draw() * items.reduce((sum, { weight }) => sum + weight, 0);
      const found = items.find(({ weight }) => {
        rest -= weight;
        return weight > 0 && rest < 0;
      });
      if (found === undefined) throw new RangeError('there is nothing to choose from');
      return found;
    },
    shuffled(items) {
      const order = [...items];
      for (let last = order.length - 1; last > 0; last -= 1) {
        const other = chance.below(last + 1);
        [order[last], order[other]] = [order[other] as never, order[last] as never];
      }
      return order;
    },
    fork: (name) => chanceOf(`${seed}/${name}`),
  };
  return chance;
}

/** The generator sfc32, seeded by a checksum of the text. */
function generatorOf(seed: string): () => number {
  const hash = createHash('sha256').update(seed).digest();
  let [a, b, c, d] = [hash.readInt32LE(0), hash.readInt32LE(4), hash.readInt32LE(8), hash.readInt32LE(12)];
  return () => {
    const sum = (((a + b) | 0) + d) | 0;
    d = (d + 1) | 0;
    a = b ^ (b >>> 9);
    b = (c + (c << 3)) | 0;
    c = (c << 21) | (c >>> 11);
    c = (c + sum) | 0;
    return (sum >>> 0) / 2 ** 32;
  };
}
