import assert from 'node:assert/strict';
import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { describe, it } from 'mocha';
import { fieldCodes, fieldError } from '../../src/resources/field-errors.ts';
import { type ErrorType, errorCodes } from '../../src/services/error-codes.ts';
import { BadRequest, Forbidden, InvalidState } from '../../src/services/errors.ts';

const source = fileURLToPath(new URL('../../src/', import.meta.url));
const lists = /services\/error-codes\.ts$|resources\/field-errors\.ts$|api\/openapi\//;
const files = readdirSync(source, { recursive: true, encoding: 'utf8' })
  .filter((name) => name.endsWith('.ts') && !lists.test(name))
  .map((name) => readFileSync(join(source, name), 'utf8'));

/** The error types that belong to a status of their own. */
const typeOfStatus: Readonly<Record<number, ErrorType>> = {
  401: 'authentication_error',
  403: 'permission_error',
  429: 'rate_limit_error',
};

describe('the codes of errors', () => {
  it('are those of the list, or the types refuse them', () => {
    const refused = [
      // @ts-expect-error: not a code of a field error
      () => fieldError('/name', 'no_such_code', 'A message.'),
      // @ts-expect-error: not a code of an error
      () => new InvalidState('A message.', 'no_such_code'),
      // @ts-expect-error: a code of the status 422
      () => new BadRequest('A message.', 'invalid_state'),
      // @ts-expect-error: a code of the status 404
      () => new Forbidden('resource_missing', 'A message.'),
    ];
    assert.equal(refused.length, 4);
  });

  it('are all in use', () => {
    for (const code of [...Object.keys(errorCodes), ...Object.keys(fieldCodes)]) {
      assert.ok(
        files.some((text) => text.includes(`'${code}'`)),
        `no error has the code ${code}`,
      );
    }
  });

  it('have the type that belongs to their statuses', () => {
    for (const [code, { type, statuses }] of Object.entries(errorCodes)) {
      for (const status of statuses) {
        const expected = status >= 500 ? 'api_error' : typeOfStatus[status];
        if (expected !== undefined) assert.equal(type, expected, code);
        else assert.ok(type === 'invalid_request_error' || type === 'idempotency_error', code);
      }
    }
  });
});
