import assert from 'node:assert/strict';
import { readdirSync, readFileSync } from 'node:fs';
import { codeTables } from '../../src/api/openapi/info.ts';
import { schemaBook } from '../../src/api/openapi/schemas.ts';
import { webhooksOf } from '../../src/api/openapi/webhooks.ts';
import { fixtureCards } from '../../src/domain/cards.ts';
import { currencies } from '../../src/domain/currencies.ts';
import { retryDelays } from '../../src/domain/webhook-schedule.ts';
import { eventTypes } from '../../src/resources/event-catalogue.ts';
import { allScopes } from '../../src/services/accounts/scopes.ts';
import { blocksIn } from '../support/samples.ts';

const folder = new URL('../../docs/api/', import.meta.url);
const names = readdirSync(folder).sort();
const texts = new Map(names.map((name) => [name, readFileSync(new URL(name, folder), 'utf8')]));
const text = (name: string) => texts.get(name) ?? assert.fail(`there is no ${name}`);

/** Returns the table rows whose first cell is code, such as `| `validation_failed` | …`. */
function rowsOfCode(markdown: string): string[] {
  return markdown.split('\n').filter((line) => /^\| `[a-z_]+` \|/.test(line));
}

/** Returns the code words in first cells that match the pattern. */
function firstCells(markdown: string, pattern: RegExp): string[] {
  return [...markdown.matchAll(/^ *\| ([^|]+) \|/gm)].flatMap(([, cell = '']) =>
    [...cell.matchAll(/`([^`]+)`/g)].flatMap(([, word = '']) => (pattern.test(word) ? [word] : [])),
  );
}

const spelt = (milliseconds: number): string => {
  const seconds = milliseconds / 1000;
  const parts: [number, string][] = [
    [Math.floor(seconds / 3600), 'h'],
    [Math.floor(seconds / 60) % 60, 'min'],
    [seconds % 60, 's'],
  ];
  return parts.flatMap(([count, unit]) => (count > 0 ? [`${count} ${unit}`] : [])).join(' ');
};

describe('the facts in the guides to the API', () => {
  it('include every code with its remedy, in the words of the reference, and no other code', () => {
    const [own, reference] = [rowsOfCode(text('06-errors.md')), rowsOfCode(codeTables)];
    const codes = reference.map((row) => row.split('`')[1]);
    const missing = reference.filter((row) => !own.includes(row));
    assert.deepEqual(missing, [], 'to be put into docs/api/06-errors.md as they are');
    const unknown = own.filter(
      (row) =>
        !reference.includes(row) &&
        !/^\| `(code|type|message|details|request_id|max_frozen_time|mandate_id)` \|/.test(row),
    );
    assert.deepEqual(unknown, []);
    assert.ok(codes.length > 50);
  });

  it('include every event type by its group, in the order of the reference, and no other', () => {
    const rows = [...text('04-webhooks.md').matchAll(/^\| `([a-z_]+)` \| (`[^|]+`) \|/gm)];
    const listed = rows.flatMap(([, group, types = '']) =>
      types.split(', ').map((type) => `${group}.${type.slice(1, -1)}`),
    );
    assert.deepEqual(listed, Object.keys(webhooksOf(schemaBook())));
    assert.equal(listed.length, eventTypes.length);
  });

  it('include the times of all delivery attempts', () => {
    const waits = retryDelays.map(spelt);
    const sum = spelt(retryDelays.reduce((one, other) => one + other));
    const sentence = `after ${waits.slice(0, -1).join(', ')} and ${waits.at(-1)}, ${sum} in all.`;
    assert.ok(text('04-webhooks.md').replaceAll(/\s+/g, ' ').includes(sentence), sentence);
  });

  it('include every fixture token, scope and currency', () => {
    assert.deepEqual(
      firstCells(text('01-first-charge.md'), /^tok_/),
      fixtureCards.map(({ token }) => token),
    );
    assert.deepEqual(firstCells(text('07-going-live.md'), /^[a-z_]+:(read|write)$/), [...allScopes]);
    assert.ok(text('README.md').includes(`Currencies: ${currencies.join(', ')}.`));
  });

  it('are linked from the index, in order', () => {
    const linked = [...text('README.md').matchAll(/^\| \[[^\]]+\]\(([^)]+)\)/gm)].map(([, name]) => name);
    assert.deepEqual(
      linked,
      names.filter((name) => /^\d\d/.test(name)),
    );
  });

  it('fit in 200 lines per guide without their tables, with at least one sample each', () => {
    for (const [name, markdown] of texts) {
      assert.ok(markdown.split('\n').filter((line) => !line.startsWith('|')).length <= 200, `${name} is too long`);
      assert.ok(blocksIn(markdown).length > 0, name);
    }
  });
});
