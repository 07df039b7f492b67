import assert from 'node:assert/strict';
import { it } from 'mocha';
import { highlighted } from '../../src/sites/reference/highlight.ts';

/** The parts with a colour, such as `s"Ada"`. */
function coloured(code: string, language: string): string[] {
  const { text } = highlighted(code, language);
  return [...text.matchAll(/<span class="(.)">([^<]*)<\/span>/g)].map(([, kind, part = '']) => kind + plain(part));
}

function plain(text: string): string {
  return text
    .replace(/<[^>]*>/g, '')
    .replaceAll('&quot;', '"')
    .replaceAll('&#39;', "'")
    .replaceAll('&lt;', '<')
    .replaceAll('&gt;', '>')
    .replaceAll('&amp;', '&');
}

describe('the colours of code', () => {
  it('are those of values in JSON, not of names', () => {
    const code = '{"name": "Ada", "amount": -2500, "at": null, "ids": ["a", 1], "is": true}';
    assert.deepEqual(coloured(code, 'json'), ['s"Ada"', 'n-2500', 'nnull', 's"a"', 'n1', 'ntrue']);
  });

  it('change nothing of the text, and let no HTML through', () => {
    const all = [`"<b>&' # // "unclosed`, '`x` "\\"" \'{\n<script>', '"a": "<i>" // <u>', '\'\'\'""" 0x1 é 😀'];
    for (const code of all) {
      for (const language of ['json', 'sh', 'ts', 'py', 'go', 'text', '']) {
        const { text } = highlighted(code, language);
        assert.equal(plain(text), code, language);
        assert.equal(/<(?!span class="[csnkv]">|\/span>)/.test(text), false, text);
      }
    }
  });
});
