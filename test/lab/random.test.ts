import assert from 'node:assert/strict';
import { chanceOf } from '../../lab/random.ts';

const draws = (count: number, draw: () => number) => Array.from({ length: count }, draw);

describe('the chance of a fault run', () => {
  it('gives the same numbers for the same seed, and others for another', () => {
    const [one, same, other] = [chanceOf('7'), chanceOf('7'), chanceOf('8')].map((chance) => draws(50, chance.next));
    assert.deepEqual(one, same);
    assert.notDeepEqual(one, other);
  });
  it('gives a fork the same numbers however much was drawn before', () => {
    const [early, late] = [chanceOf('7'), chanceOf('7')];
    const fork = early.fork('load');
    draws(10, late.next);
    assert.deepEqual(draws(20, fork.next), draws(20, late.fork('load').next));
    assert.notDeepEqual(draws(20, chanceOf('7').fork('load').next), draws(20, chanceOf('7').fork('attacks').next));
  });
  it('draws each item as often as it weighs', () => {
    const chance = chanceOf('weights');
    const items = [
      { name: 'never', weight: 0 },
      { name: 'seldom', weight: 1 },
      { name: 'often', weight: 9 },
    ];
    const names = Array.from({ length: 2_000 }, () => chance.pickByWeight(items).name);
    assert.equal(names.includes('never'), false);
    const seldom = names.filter((name) => name === 'seldom').length;
    assert.ok(seldom > 150 && seldom < 250, `${seldom} of 2000 were of weight 1 of 10`);
  });
  it('stays within its bounds and reaches both', () => {
    const chance = chanceOf('bounds');
    const found = new Set(draws(500, () => chance.between(3, 6)));
    assert.deepEqual([...found].sort(), [3, 4, 5, 6]);
  });
  it('shuffles without losing anything', () => {
    const shuffled = chanceOf('cards').shuffled([1, 2, 3, 4, 5, 6, 7, 8]);
    assert.notDeepEqual(shuffled, [1, 2, 3, 4, 5, 6, 7, 8]);
    assert.deepEqual(shuffled.sort(), [1, 2, 3, 4, 5, 6, 7, 8]);
  });
  it('refuses to choose from nothing', () => {
    assert.throws(() => chanceOf('1').pick([]), RangeError);
    assert.throws(() => chanceOf('1').pickByWeight([]), RangeError);
  });
});
