import assert from 'node:assert/strict';
import { describe, it } from 'mocha';
import { abnIn, claimsAbn, inGroups } from '../../../src/domain/tax/abn.ts';

describe('an Australian business number', () => {
  it('is read from a tax id, however it is grouped', () => {
    for (const text of ['ABN 51 824 753 556', '51824753556', 'abn: 51 824 753 556', ' ABN 51824753556 ']) {
      assert.equal(abnIn(text), '51824753556', text);
    }
    assert.equal(inGroups('51824753556'), '51 824 753 556');
  });

  it('is found out if one digit is wrong, or two neighbours are exchanged', () => {
    const right = '51824753556';
    for (let place = 0; place < right.length; place += 1) {
      for (let digit = 0; digit < 10; digit += 1) {
        const wrong = `${right.slice(0, place)}${digit}${right.slice(place + 1)}`;
        assert.equal(abnIn(wrong), wrong === right ? right : null, wrong);
      }
    }
    assert.equal(abnIn('15824753556'), null);
  });

  it('is no other text', () => {
    for (const text of ['', 'ABN', 'NZBN 9429000000000', 'DE123456789', '5182475355', 'x51824753556', '518247535561']) {
      assert.equal(abnIn(text), null, text);
    }
    assert.deepEqual(['ABN 1', 'abn51', 'ABNORMAL', 'VAT 7'].map(claimsAbn), [true, true, false, false]);
  });
});
