import assert from 'node:assert/strict';
import { describe, it } from 'mocha';
import { asNode } from '../../src/api/validation/describe-schema.ts';
import { document } from '../support/openapi.ts';
import { useStage } from '../support/stage.ts';
import { contractEndpoints, nameOf } from './endpoints.ts';
import { succeeding } from './requests.ts';

/** Paths of the service that are not part of the API. */
const besides = ['/healthz', '/readyz', '/openapi.json', '/docs'];

describe('Versioning', () => {
  const stage = useStage();

  it('the API version is 1.0.0', async () => {
    assert.equal(asNode(document.info)?.version, '1.0.0');
    assert.equal((await stage.api.send('GET', '/openapi.json')).body.info.version, '1.0.0');
  });

  it('all paths carry the prefix /api/v1', () => {
    const others = Object.keys(document.paths).filter((path) => !path.startsWith('/api/v1/'));
    assert.deepEqual(others.sort(), besides.toSorted());
  });

  it('no path exists without the prefix, or under another version', async () => {
    for (const endpoint of contractEndpoints) {
      const prepare = succeeding[nameOf(endpoint)];
      assert.ok(prepare);
      const { path, body } = await prepare(stage);
      for (const other of ['', '/api', '/v1', '/api/v2']) {
        const moved = path.replace('/api/v1', other);
        const reply = await stage.api.send(endpoint.method, moved, { key: stage.merchant.key, body });
        assert.deepEqual([reply.status, reply.body.error.code], [404, 'route_not_found'], moved);
      }
    }
  });
});
