import assert from 'node:assert/strict';
import { chanceOf } from '../../lab/random.ts';

const draws = (count: number, draw: () => number) => Array.from({ length: count }, draw);

describe('the chance of a fault run', () => {
  it('gives the same numbers for the same seed, and others for another', () => {
    const [one, same, other] = [chanceOf('7'), chanceOf('7'), chanceOf('8')].map((chance) => draws(50, chance.next));
    assert.deepEqual(one, same);
    assert.notDeepEqual(one, other);
  });
  it('stays within its bounds and reaches both', () => {
    const chance = chanceOf('bounds');
    const found = new Set(draws(500, () => chance.between(3, 6)));
    assert.deepEqual([...found].sort(), [3, 4, 5, 6]);
  });
});
