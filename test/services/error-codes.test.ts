import assert from 'node:assert/strict';
import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { describe, it } from 'mocha';
import { detailCodes } from '../../src/services/detail-codes.ts';
import { errorCodes } from '../../src/services/error-codes.ts';

const source = fileURLToPath(new URL('../../src/', import.meta.url));
const lists = /services\/(error|detail)-codes\.ts$|api\/openapi\//;
const files = readdirSync(source, { recursive: true, encoding: 'utf8' })
  .filter((name) => name.endsWith('.ts') && !lists.test(name))
  .map((name) => ({ name, text: readFileSync(join(source, name), 'utf8') }));

/** What stands between the parenthesis at `open` and the one that closes it. */
function argumentsAt(text: string, open: number): string {
  let depth = 0;
  for (let at = open; at < text.length; at++) {
    if (text[at] === '(') depth += 1;
    if (text[at] === ')') depth -= 1;
    if (depth === 0) return text.slice(open + 1, at);
  }
  throw new Error('a parenthesis is not closed');
}

/** The words in quotes, such as codes are, in the arguments of each call that the pattern ends before. */
function wordsGivenTo(pattern: RegExp, where = /./): Map<string, string> {
  const found = new Map<string, string>();
  for (const { name, text } of files.filter((file) => where.test(file.name))) {
    for (const match of text.matchAll(pattern)) {
      const given = argumentsAt(text, match.index + match[0].length - 1);
      for (const [, word = ''] of given.matchAll(/'([a-z]+(?:_[a-z]+)*)'/g)) found.set(word, name);
    }
  }
  return found;
}

/** The codes of faults, which are written as members or given to `of` and `fault`. */
function faultCodes(): Map<string, string> {
  const found = wordsGivenTo(/\b(?:ValidationFailed\.of|fault)\(/g);
  for (const { name, text } of files) {
    if (!/^(api|services|resources)\//.test(name)) continue;
    // What came of an attempt to charge has codes of its own.
    const lines = text.split('\n').filter((line) => !/\boutcome:/.test(line));
    for (const [, code = ''] of lines.join('\n').matchAll(/\bcode: '([a-z_]+)'(?! \|)/g)) found.set(code, name);
  }
  return found;
}

describe('the codes of errors', () => {
  it('are listed, each one that the service refuses with', () => {
    const used = new Map([
      ...wordsGivenTo(/\bnew (?:InvalidState|BadRequest|Forbidden)\(/g),
      ...wordsGivenTo(/\b(?:super|constructor)\(/g, /^services\/errors\.ts$/),
    ]);
    for (const [word, name] of used) {
      // A fault may stand among the arguments of an error.
      if (word in detailCodes) continue;
      assert.ok(word in errorCodes, `${name} refuses with ${word}, which services/error-codes.ts does not list`);
    }
    assert.ok(used.size > 20);
  });

  it('are listed, each one that a fault of a field has', () => {
    const used = faultCodes();
    for (const [code, name] of used) {
      assert.ok(code in detailCodes, `${name} has a fault ${code}, which services/detail-codes.ts does not list`);
    }
    assert.ok(used.size > 15);
  });

  it('are all in use', () => {
    for (const code of [...Object.keys(errorCodes), ...Object.keys(detailCodes)]) {
      assert.ok(
        files.some(({ text }) => text.includes(`'${code}'`)),
        `nothing refuses with ${code}`,
      );
    }
  });

  it('have the type and the statuses of the class that says them', () => {
    for (const [code, { type, statuses }] of Object.entries(errorCodes)) {
      assert.ok(statuses.length > 0, code);
      const isOurs = statuses.some((status) => status >= 500);
      assert.equal(type === 'api_error', isOurs, code);
      assert.equal(
        type === 'authentication_error',
        statuses.some((status) => status === 401),
        code,
      );
      assert.equal(
        type === 'permission_error',
        statuses.some((status) => status === 403),
        code,
      );
      assert.equal(
        type === 'rate_limit_error',
        statuses.some((status) => status === 429),
        code,
      );
    }
  });
});
