import assert from 'node:assert/strict';
import { describe, it } from 'mocha';
import { compatDocument } from '../../src/api/openapi/compat.ts';
import { asNode, asNodes } from '../../src/api/validation/describe-schema.ts';
import { webhookEvents } from '../../src/resources/webhook-endpoint.ts';
import { useApi } from '../support/api.ts';
import { useDatabase } from '../support/database.ts';
import { document } from '../support/openapi.ts';

const compat = compatDocument(document);
const tags = asNodes(document.tags);
const advance = '#/paths//api/v1/test_helpers/test_clocks/{id}/advance/post/responses';

interface Difference {
  path: string;
  /** Undefined where a document has nothing. */
  first: unknown;
  second: unknown;
}

/** Compares two values of JSON. Returns the outermost members that differ; the order of members does not count. */
function differencesOf(first: unknown, second: unknown, path = '#'): Difference[] {
  if (Array.isArray(first) !== Array.isArray(second)) return [{ path, first, second }];
  const [one, other] = [first, second].map((value) => asNode(Array.isArray(value) ? { ...value } : value));
  if (one === undefined || other === undefined) return Object.is(first, second) ? [] : [{ path, first, second }];
  const names = new Set([...Object.keys(one), ...Object.keys(other)]);
  return [...names].flatMap((name) => differencesOf(one[name], other[name], `${path}/${name}`));
}

describe('the OpenAPI document for openapi-generator', () => {
  const differences = differencesOf(document, compat);
  const isConstant = ({ path }: Difference) => path.endsWith('/const');

  it('differs from the first one only in webhooks, constants of booleans, and the success of an advance', () => {
    assert.deepEqual(
      differences
        .filter((one) => !isConstant(one))
        .map(({ path }) => path)
        .sort(),
      [
        `${advance}/200/content/application/json/schema/$ref`,
        `${advance}/200/content/application/json/schema/oneOf`,
        `${advance}/202/content/application/json/schema/$ref`,
        `${advance}/202/content/application/json/schema/oneOf`,
        `#/tags/${tags.length - 1}`,
        '#/webhooks',
      ],
    );
    assert.equal(tags.at(-1), webhookEvents);
    const constants = differences.filter(isConstant);
    assert.ok(constants.length > 0);
    for (const { path, first, second } of constants) {
      assert.deepEqual([typeof first, second], ['boolean', undefined], path);
    }
  });

  it('says of each success of an advance that it has the body of one of them', () => {
    const schemas = ['TestClockDryRun', 'AdvancingTestClock'].map((name) => ({ $ref: `#/components/schemas/${name}` }));
    const added = differences.filter(({ path }) => path.endsWith('/oneOf'));
    assert.deepEqual(
      added.map(({ second }) => second),
      [schemas, schemas],
    );
  });

  it('has a constant of a boolean nowhere, and its member is still a boolean', () => {
    for (const { path } of differences.filter(isConstant)) {
      const steps = path.split('/').slice(1, -1);
      const member = steps.reduce((node: unknown, step) => asNode(node)?.[step], compat);
      assert.equal(asNode(member)?.type, 'boolean', path);
    }
  });

  const api = useApi(useDatabase());

  it('is served without a key, as the routes make it', async () => {
    const response = await fetch(`${api.url}/openapi.compat.json`);
    assert.deepEqual([response.status, response.headers.get('content-type')], [200, 'application/json; charset=utf-8']);
    assert.deepEqual(await response.json(), JSON.parse(JSON.stringify(compat)));
  });
});
