import assert from 'node:assert/strict';
import { describe, it } from 'mocha';
import { besideOf, figure } from '../../bench/figure.ts';

describe('a figure beside another', () => {
  it('has the median of the ratios of pairs', () => {
    assert.deepEqual(besideOf('bare', [2, 9, 4], [1, 3, 1]), { what: 'bare', median: 1, ratio: 3 });
  });

  it('leaves out a pair without a ratio, and is left out itself if no pair has one', () => {
    assert.deepEqual(besideOf('bare', [2, 9], [0, 3]), { what: 'bare', median: 1.5, ratio: 3 });
    const beside = besideOf('bare', [20, 30], [0, 0]);
    assert.equal(beside, null, 'too little work for a tick of processor time');
    assert.equal(figure('id', 'what', 'ms', [20, 30], { beside }).beside, null);
  });
});
