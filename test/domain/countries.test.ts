import assert from 'node:assert/strict';
import { describe, it } from 'mocha';
import { isCountry } from '../../src/domain/countries.ts';

describe('countries', () => {
  it('are codes of ISO 3166-1 with two capital letters', () => {
    for (const code of ['AU', 'GB', 'DE', 'NZ', 'US']) assert.ok(isCountry(code), code);
    for (const code of ['', 'au', 'AUS', 'A1', 'UK', 'EU', 'UN', 'ZZ', 'QQ', 'SU']) assert.ok(!isCountry(code), code);
  });
});
