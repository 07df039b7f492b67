import assert from 'node:assert/strict';
import { ServiceError } from '@temporalio/client';
import { explain } from '../../src/operations/operator-commands.ts';
import { describeCallFailure } from '../../src/platform/grpc-status.ts';

function failed(code: number, details: string): Error {
  return Object.assign(new Error(`${code} SOME_STATUS: ${details}\n    at stack (file:1:1)`), { code, details });
}

describe('a call to Temporal that fails', () => {
  it('is named by what refused the connection, without the words of gRPC', () => {
    const details =
      'No connection established. Last error: Error: connect ECONNREFUSED 127.0.0.1:7233. Resolution note: ';
    assert.equal(
      describeCallFailure('Temporal', failed(14, details)),
      'Temporal is not reachable (connect ECONNREFUSED 127.0.0.1:7233)',
    );
    assert.equal(
      describeCallFailure('Temporal', failed(14, 'Name resolution failed: getaddrinfo ENOTFOUND temporal.example')),
      'Temporal is not reachable (getaddrinfo ENOTFOUND temporal.example)',
    );
  });

  it('is looked for among the causes of what a client library throws', () => {
    const wrapped = new ServiceError('Failed to signalWithStart Workflow', { cause: failed(4, 'Deadline exceeded') });
    assert.equal(
      describeCallFailure('Temporal of live mode', wrapped),
      'Temporal of live mode did not respond in time',
    );
  });

  it('says who refuses whom', () => {
    assert.equal(
      describeCallFailure('Temporal', failed(16, 'token expired')),
      'Temporal refuses access (token expired)',
    );
    assert.equal(
      describeCallFailure('Temporal', failed(8, 'namespace rate limit exceeded')),
      'Temporal gets more requests than it takes (namespace rate limit exceeded)',
    );
  });

  it('keeps the server’s words for every other status, and one line of any other error', () => {
    assert.equal(
      describeCallFailure('Temporal', failed(5, 'Namespace payments is not found.')),
      'Namespace payments is not found.',
    );
    assert.equal(describeCallFailure('Temporal', new Error('first line\n    at stack')), 'first line');
  });

  it('tells the sender of a command what to do when no worker has picked up the workflow', () => {
    const early = new ServiceError('Workflow Update failed', { cause: failed(9, 'workflow not ready') });
    assert.match(explain(early), /^No worker has picked up this workflow yet\. Start a worker: ops stuck says /);
    assert.match(explain(failed(14, 'No connection established')), /^Temporal is not reachable\. Check it, then send /);
  });
});
