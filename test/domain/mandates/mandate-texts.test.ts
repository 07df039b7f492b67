import assert from 'node:assert/strict';
import { createHash } from 'node:crypto';
import { currentMandateText, findMandateText } from '../../../src/domain/mandates/mandate-texts.ts';

/** Versions that were released, with their hash for the biller Harbour Gym. A payer’s evidence rests on them. */
const released: Readonly<Record<string, string>> = {
  '2026-11': '0fe431aa0a0bfbd9764493d1fdb456bcddcc2e71c25987910c04682dc82be101',
};

describe('the text of a mandate', () => {
  const text = currentMandateText('au_becs', 'Harbour Gym');

  it('has the hash of its bytes', () => {
    assert.equal(text.sha256, createHash('sha256').update(Buffer.from(text.html, 'utf8')).digest('hex'));
  });

  it('names the biller, escaped, and is another text for another biller', () => {
    const other = currentMandateText('au_becs', `<script>alert(1)</script> & "Sons'`);
    assert.ok(text.html.includes('Harbour Gym'));
    assert.ok(other.html.includes('&lt;script&gt;alert(1)&lt;/script&gt; &amp; &quot;Sons&#39;'));
    assert.doesNotMatch(other.html, /<script/);
    assert.equal(other.version, text.version);
    assert.notEqual(other.sha256, text.sha256);
  });

  it('is a part of a page: no scripts, styles, links or pictures, and every element is closed', () => {
    const tags = [...text.html.matchAll(/<(\/?)([a-z0-9]+)([^>]*)>/g)];
    assert.deepEqual([...new Set(tags.map(([, , name]) => name))].sort(), ['h2', 'h3', 'li', 'p', 'section', 'ul']);
    const open: string[] = [];
    for (const [, slash, name = ''] of tags) {
      if (slash === '') open.push(name);
      else assert.equal(open.pop(), name);
    }
    assert.deepEqual(open, []);
  });

  it('is found by its hash for this biller, and for no other', () => {
    assert.deepEqual(findMandateText('au_becs', 'Harbour Gym', text.sha256), text);
    assert.equal(findMandateText('au_becs', 'Other Gym', text.sha256), null);
    assert.equal(findMandateText('au_becs', 'Harbour Gym', '0'.repeat(64)), null);
  });

  it('never changes under a version that was released', () => {
    for (const [version, sha256] of Object.entries(released)) {
      assert.equal(findMandateText('au_becs', 'Harbour Gym', sha256)?.version, version);
    }
    assert.ok(text.version in released);
  });
});
