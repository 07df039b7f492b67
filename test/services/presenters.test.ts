import assert from 'node:assert/strict';
import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { describe, it } from 'mocha';

const source = fileURLToPath(new URL('../../src/', import.meta.url));

describe('services', () => {
  it('return rows or domain values: only routes, the dashboard, which shows what they show, and services/events.ts call presenters', () => {
    const callers = readdirSync(source, { recursive: true, encoding: 'utf8' })
      .filter((name) => name.endsWith('.ts') && /\bpresent[A-Z]/.test(readFileSync(join(source, name), 'utf8')))
      .filter((name) => !/^(resources|api\/routes|sites\/dashboard)\//.test(name));
    assert.deepEqual(callers, ['services/events.ts']);
  });
});
