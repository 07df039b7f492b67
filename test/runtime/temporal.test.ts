import assert from 'node:assert/strict';
import { Client, Connection } from '@temporalio/client';
import { defineSearchAttributeKey, SearchAttributeType, TypedSearchAttributes } from '@temporalio/common';
import { findFreePorts } from '../../dev/ports.ts';
import { type RunningTemporal, startTemporal } from '../../dev/temporal.ts';
import { eventually } from '../../lab/eventually.ts';
import { ensureNamespace, ensureSearchAttributes } from '../../src/processes/temporal/namespace.ts';
import { stillAlive, useFolder } from './support.ts';

const NAMESPACE = 'embedded-test';

describe('the embedded Temporal', () => {
  const folder = useFolder();
  let server: RunningTemporal;
  let connection: Connection;

  async function start(withUi = false): Promise<Client> {
    const [frontendPort = 0, uiPort = 0] = await findFreePorts(2);
    server = await startTemporal({
      dataDir: folder.path,
      frontendPort,
      uiPort: withUi ? uiPort : null,
      log: () => {},
    });
    // Its port accepts connections before it answers: on a busy machine by more than the client's ten seconds.
    connection = await Connection.connect({ address: server.address, connectTimeout: '60s' });
    await ensureNamespace(connection, NAMESPACE);
    await ensureSearchAttributes(connection, NAMESPACE);
    return new Client({ connection, namespace: NAMESPACE });
  }

  before('leave time to fetch the server, where it never was', function () {
    this.timeout(900_000);
    return start().then(end);
  });
  async function end(): Promise<void> {
    await connection.close();
    await server.stop();
  }
  afterEach('end the server', end);

  it('takes every search attribute at once when its start is over, and finds workflows by them', async () => {
    const client = await start();
    const attribute = <T extends SearchAttributeType>(name: string, type: T) => defineSearchAttributeKey(name, type);
    await client.workflow.start('anything', {
      workflowId: 'with-attributes',
      taskQueue: 'nobody',
      typedSearchAttributes: new TypedSearchAttributes([
        ...['BillerId', 'CustomerId', 'PlanState', 'TestClockId', 'ClockStatus', 'EndpointId', 'EventType'].map(
          (name) => ({ key: attribute(name, SearchAttributeType.KEYWORD), value: `a ${name}` }),
        ),
        { key: attribute('Livemode', SearchAttributeType.BOOL), value: true },
        { key: attribute('NextDueAt', SearchAttributeType.DATETIME), value: new Date('2027-02-28T00:00:00Z') },
        { key: attribute('FailedAttempts', SearchAttributeType.INT), value: 3 },
      ]),
    });
    const query =
      'BillerId = "a BillerId" and Livemode = true and FailedAttempts = 3 and NextDueAt < "2028-01-01T00:00:00Z"';
    await eventually('the workflow is listed', async () => (await client.workflow.count(query)).count === 1);
  });

  it('keeps running workflows over a restart, and over being killed', async () => {
    const first = await start();
    await first.workflow.start('anything', { workflowId: 'kept', taskQueue: 'nobody' });
    await end();
    await start();
    for (const pid of server.pids) {
      process.kill(pid, 'SIGKILL');
    }
    await end();
    const third = await start();
    assert.equal((await third.workflow.getHandle('kept').describe()).status.name, 'RUNNING');
  });

  it('has time skipping on', async () => {
    const client = await start();
    await client.workflow.start('anything', { workflowId: 'skipping', taskQueue: 'nobody' });
    const { workflowExecutionOptions } = await client.workflowService.updateWorkflowExecutionOptions({
      namespace: NAMESPACE,
      workflowExecution: { workflowId: 'skipping' },
      updateMask: { paths: ['time_skipping_config'] },
      workflowExecutionOptions: { timeSkippingConfig: { enabled: true, maxSessionSkipCount: 100_000 } },
    });
    assert.equal(workflowExecutionOptions?.timeSkippingConfig?.enabled, true);
  });

  it('makes the namespace and its search attributes only once, and keeps ended workflows for three days', async () => {
    const client = await start();
    await Promise.all([ensureNamespace(connection, NAMESPACE), ensureSearchAttributes(connection, NAMESPACE)]);
    const { config } = await client.workflowService.describeNamespace({ namespace: NAMESPACE });
    assert.equal(Number(config?.workflowExecutionRetentionTtl?.seconds), 3 * 86_400);
  });

  it('refuses a search attribute that is there with another type, and names it', async () => {
    await start();
    const namespace = 'other-types';
    await ensureNamespace(connection, namespace);
    await connection.operatorService.addSearchAttributes({ namespace, searchAttributes: { BillerId: 3 } });
    await eventually('it is visible', async () => {
      const { customAttributes } = await connection.operatorService.listSearchAttributes({ namespace });
      return customAttributes?.BillerId !== undefined;
    });
    await assert.rejects(ensureSearchAttributes(connection, namespace), /BillerId .* INT, but KEYWORD is needed/);
  });

  it('serves the Web UI on its port, and leaves no process behind', async () => {
    await start(true);
    const page = await fetch(server.uiUrl ?? '');
    assert.equal(page.status, 200);
    assert.match(await page.text(), /<html/);
    const { pids } = server;
    await server.stop();
    assert.equal(pids.length, 1);
    await assert.rejects(fetch(server.uiUrl ?? ''), /fetch failed/);
    assert.deepEqual(await stillAlive(pids), []);
  });
});
