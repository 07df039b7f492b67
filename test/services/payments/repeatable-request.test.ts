import assert from 'node:assert/strict';
import { describe, it } from 'mocha';
import { addMs } from '../../../src/domain/instants.ts';
import type { InsertCondition } from '../../../src/platform/postgres/conditional-insert.ts';
import { realNow } from '../../../src/platform/real-time.ts';
import { repeatable, unrepeatable } from '../../../src/services/payments/repeatable-request.ts';

describe('a request that may be repeated', () => {
  const shown: number[] = [];
  const show = (row: number) => {
    shown.push(row);
    return `shown ${row}`;
  };

  it('makes its response from the row, and stores that', () => {
    const stored: unknown[] = [];
    const condition: InsertCondition = (db) => db`select 1`;
    const response = (body: unknown) => {
      stored.push(body);
      return [condition];
    };
    const keyed = { ...unrepeatable, requestKey: 'a', keyExpiresAt: addMs(realNow(), 1_000), response };
    assert.deepEqual(repeatable({ request: keyed }, show).response(1, { mayWait: true }), [condition]);
    assert.deepEqual([shown, stored], [[1], ['shown 1']]);
  });

  it('makes no response to store if it has no key', () => {
    shown.length = 0;
    assert.deepEqual(repeatable({ request: unrepeatable }, show).response(2, { mayWait: true }), []);
    assert.deepEqual(shown, []);
  });
});
