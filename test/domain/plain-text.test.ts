import assert from 'node:assert/strict';
import { describe, it } from 'mocha';
import { isPlainText } from '../../src/domain/plain-text.ts';

describe('a text that a bank prints', () => {
  it('may have letters of any script, signs and spaces', () => {
    for (const text of ['', 'Harbour Gym Pty Ltd', 'Łódź & Söhne, 50 %', 'محل', '体育館', '😀'])
      assert.ok(isPlainText(text), text);
  });

  it('has no control character, and no mark that changes the direction of the text around it', () => {
    const controls = [0x00, 0x09, 0x0a, 0x1f, 0x7f, 0x80, 0x9f];
    const marks = [0x061c, 0x200e, 0x200f, 0x202a, 0x202e, 0x2066, 0x2069];
    for (const code of [...controls, ...marks])
      assert.ok(!isPlainText(`Gym ${String.fromCodePoint(code)} Ltd`), code.toString(16));
  });
});
