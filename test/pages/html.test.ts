import assert from 'node:assert/strict';
import fc from 'fast-check';
import { describe, it } from 'mocha';
import { html, isolated } from '../../src/platform/html.ts';

const override = '\u202e';
const hebrew = 'אבג';
const marks = [...'\u061c\u200e\u200f\u202a\u202b\u202c\u202d\u202e\u2066\u2067\u2068\u2069'];
/** Text with marks of direction, letters from right to left, figures and markup. */
const foreign = fc
  .array(fc.constantFrom(...marks, 'א', 'ب', '\u{1e900}', 'a', '7', ' ', '“', '<', '&', '"'), { maxLength: 20 })
  .map((symbols) => symbols.join(''));
const unescaped = (text: string) =>
  text.replace(/&(lt|amp|quot);/g, (_, name) => ({ lt: '<', amp: '&', quot: '"' })[String(name)] ?? '');
const withoutMarks = (text: string) => text.replace(/\p{Bidi_Control}/gu, '');
const fromRight = /[אب\u{1e900}]/u;

describe('a template of a page', () => {
  it('leaves out marks of direction, and puts text from right to left in a bdi', () => {
    assert.equal(html`<p>${`${override}Gym`} takes ${'$25'}</p>`.text, '<p>Gym takes $25</p>');
    assert.equal(html`<p>${`<${hebrew}>`} takes ${'$25'}</p>`.text, `<p><bdi>&lt;${hebrew}&gt;</bdi> takes $25</p>`);
    assert.equal(html`<td class="a">${[hebrew, 7, 'b']}</td>`.text, `<td class="a"><bdi>${hebrew}</bdi>7b</td>`);
  });

  it('isolates each foreign text in a sentence from the rest of it', () => {
    const sentence = `“${isolated(`\u2069${override}${hebrew}`)}” takes $25 from “${isolated(`${override}Jo`)}”.`;
    assert.equal(html`<p>${sentence}</p>`.text, `<p>“<bdi>${hebrew}</bdi>” takes $25 from “Jo”.</p>`);
  });

  it('keeps the value of an attribute, and writes no element into a title', () => {
    const link = html`<a class="b ${'c'}" href="/find?q=${hebrew}${override}">${hebrew}</a>`;
    assert.equal(link.text, `<a class="b c" href="/find?q=${hebrew}${override}"><bdi>${hebrew}</bdi></a>`);
    assert.equal(
      html`<title>Pay – ${override + hebrew}</title><h1>${hebrew}</h1>`.text,
      `<title>Pay – ${hebrew}</title><h1><bdi>${hebrew}</bdi></h1>`,
    );
  });

  it('lets no foreign text turn what stands around it, whatever it holds', () => {
    fc.assert(
      fc.property(foreign, foreign, (name, text) => {
        const sentence = `“${isolated(name)}” takes $25.`;
        const page = html`<p>${sentence}</p><p>${text}</p>`.text;
        assert.doesNotMatch(page, /\p{Bidi_Control}/u);
        assert.doesNotMatch(page.replace(/<bdi>[^<]*<\/bdi>/g, ''), fromRight);
        const shown = unescaped(page.replace(/<\/?(?:p|bdi)>/g, ''));
        assert.equal(shown, `“${withoutMarks(name)}” takes $25.${withoutMarks(text)}`);
      }),
    );
  });
});
