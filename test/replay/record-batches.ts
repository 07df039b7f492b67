// Records the histories of webhook batches: npx mocha test/replay/record-batches.ts. See record.ts.
import { eventually } from '../../lab/eventually.ts';
import { useService } from '../support/service.ts';
import { batchIdAt, commitEvents, promptEndpoint, useReceiver } from '../support/webhooks.ts';
import { useRecorder } from './recorder.ts';

describe('recording histories of webhook batches', function () {
  this.timeout(60_000);
  const receiver = useReceiver();
  const service = useService({ isAlone: true });
  const { keep } = useRecorder(service, (name) => name.startsWith('webhook-batch-'));
  afterEach(() => receiver.reset());

  async function begin(count: number): Promise<string> {
    const endpointId = await promptEndpoint(await service.merchant(), receiver.url);
    receiver.received = [];
    await commitEvents(service.db.sql, endpointId, count);
    return batchIdAt(service.db.sql, endpointId);
  }

  it('records one with a delivery that fails', async () => {
    receiver.answer = (_request, response, nth) => response.writeHead(nth === 3 ? 500 : 200).end();
    await keep('webhook-batch-is-sent', await begin(5));
  });

  it('records one that cannot be recorded, and is sent again', async () => {
    const { sql } = service.db;
    const endpointId = await promptEndpoint(await service.merchant(), receiver.url);
    receiver.received = [];
    await sql`alter table webhook_delivery_attempts add constraint refused check (number < 0) not valid`;
    let batchId = '';
    try {
      await commitEvents(sql, endpointId, 3);
      batchId = await batchIdAt(sql, endpointId);
      await eventually('they were sent twice', () => receiver.received.length >= 6);
    } finally {
      await sql`alter table webhook_delivery_attempts drop constraint refused`;
    }
    await keep('webhook-batch-is-sent-again', batchId);
  });
});
