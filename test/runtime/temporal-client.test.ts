import assert from 'node:assert/strict';
import { AsyncLocalStorage } from 'node:async_hooks';
import { once } from 'node:events';
import { createServer, type IncomingHttpHeaders } from 'node:http2';
import type { AddressInfo } from 'node:net';
import { WorkflowNotFoundError } from '@temporalio/client';
import { after, before, beforeEach, describe, it } from 'mocha';
import { openLeanTemporal, openTemporal } from '../../src/processes/temporal-client.ts';

const notFound = '5';

describe('the lean client of Temporal', () => {
  const asked: IncomingHttpHeaders[] = [];
  const server = createServer().on('stream', (stream, headers) => {
    asked.push(headers);
    const status = { 'grpc-status': notFound, 'grpc-message': 'no such workflow' };
    stream.respond({ ':status': 200, 'content-type': 'application/grpc', ...status }, { endStream: true });
  });
  const original = AsyncLocalStorage.prototype.run;
  let stores = 0;

  before('listen, and count who keeps something in an AsyncLocalStorage', async () => {
    server.listen(0, '127.0.0.1');
    await once(server, 'listening');
    AsyncLocalStorage.prototype.run = function run(...given: unknown[]) {
      stores += 1;
      return Reflect.apply(original, this, given);
    };
  });
  after('end', () => {
    AsyncLocalStorage.prototype.run = original;
    server.close();
  });
  beforeEach(() => {
    asked.length = 0;
    stores = 0;
  });

  /** Asks for two workflows of the namespace at the same time. */
  async function ask(open: typeof openTemporal): Promise<void> {
    const { port } = server.address() as AddressInfo;
    const reached = { temporalAddress: `127.0.0.1:${port}`, temporalTls: false, temporalApiKey: null };
    const client = open({ ...reached, temporalNamespace: 'shop' });
    try {
      const describing = ['one', 'two'].map((id) => client.workflow.getHandle(id).describe());
      for (const { status, reason } of (await Promise.allSettled(describing)) as PromiseRejectedResult[]) {
        assert.deepEqual([status, reason instanceof WorkflowNotFoundError], ['rejected', true], String(reason));
      }
    } finally {
      await client.connection.close();
    }
  }

  it('names the namespace in the header of each call, as the other does, and uses no AsyncLocalStorage', async () => {
    await ask(openTemporal);
    assert.deepEqual(
      asked.map((headers) => headers['temporal-namespace']),
      ['shop', 'shop'],
    );
    assert.notEqual(stores, 0, 'which the other uses');
    asked.length = 0;
    stores = 0;
    await ask(openLeanTemporal);
    assert.deepEqual(
      asked.map((headers) => headers['temporal-namespace']),
      ['shop', 'shop'],
    );
    assert.equal(stores, 0);
  });
});
