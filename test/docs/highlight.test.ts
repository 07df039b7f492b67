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

  it('follow JSON inside of a command of the shell', () => {
    const code = `curl -X POST "$BASE_URL/x" \\
  -H 'Content-Type: application/json' \\
  -d '{"clock": "'"$CLOCK"'", "amount": 2500}' # it's made`;
    assert.deepEqual(coloured(code, 'curl'), [
      'kcurl',
      's"$BASE_URL/x"',
      "s'Content-Type: application/json'",
      's"\'"',
      'v$CLOCK',
      's"\'"',
      'n2500',
      "c# it's made",
    ]);
  });

  it('are those of words, strings and comments in TypeScript, Python and Go', () => {
    assert.deepEqual(coloured("const a = await b({ from: 'it\\'s', n: 1 }); // https://x", 'TypeScript'), [
      ...['kconst', 'kawait', "s'it\\'s'", 'n1', 'c// https://x'],
    ]);
    assert.deepEqual(coloured('for x in y(limit=10):\n    z({"a": "b", "c": None})  # why', 'py'), [
      ...['kfor', 'kin', 'n10', 's"b"', 'nNone', 'c# why'],
    ]);
    assert.deepEqual(coloured('err := json.Unmarshal([]byte(`{"a": "b"}`), &body)\nreturn nil', 'Go'), [
      ...['s"b"', 'kreturn', 'nnil'],
    ]);
  });

  it('leave other text as it is, but for text that begins like JSON', () => {
    assert.deepEqual(coloured('GET "/x" for 10', 'text'), []);
    assert.deepEqual(coloured('{"amount": 2500}', 'text'), ['n2500']);
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
