import assert from 'node:assert/strict';
import { createApp } from '../../src/api/app.ts';
import { type RunningServer, serve } from '../../src/api/http/server.ts';
import { testDeps } from '../support/api.ts';
import { useDatabase } from '../support/database.ts';

const webUi = { url: 'http://127.0.0.1:8233', namespace: 'payments' };

describe('the page at /', () => {
  const db = useDatabase();
  const servers: RunningServer[] = [];
  after(() => Promise.all(servers.map((server) => server.close())));

  async function page(forThisMachine: boolean): Promise<Response> {
    const { deps } = testDeps(db, { forThisMachine });
    const app = createApp({ ...deps, operations: { ...deps.operations, webUis: { live: webUi, sandbox: webUi } } });
    const server = await serve(app, { port: 0 });
    servers.push(server);
    return fetch(`http://127.0.0.1:${server.port}/`);
  }

  const linksOf = (text: string) => [...text.matchAll(/href="([^"]+)"/g)].map(([, link]) => link);

  it('leads to the guides, the reference, the Web UI and the operators’ page where the API serves its own machine', async () => {
    const response = await page(true);
    assert.equal(response.status, 200);
    assert.match(response.headers.get('content-type') ?? '', /^text\/html/);
    assert.match(response.headers.get('content-security-policy') ?? '', /^default-src 'none'/);
    assert.deepEqual(linksOf(await response.text()), [
      'data:,',
      '/docs/guides',
      '/docs',
      '/openapi.json',
      '/workbench',
      webUi.url,
      '/ops',
    ]);
  });

  it('leads to the guides and the reference alone elsewhere: a stranger is not told where operators look', async () => {
    const response = await page(false);
    assert.equal(response.status, 200);
    assert.deepEqual(linksOf(await response.text()), ['data:,', '/docs/guides', '/docs', '/openapi.json']);
  });
});
