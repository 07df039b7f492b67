import assert from 'node:assert/strict';
import { before, describe, it } from 'mocha';
import { eventually } from '../../lab/eventually.ts';
import { runScript } from '../../lab/run-program.ts';
import { findShortRetention } from '../../src/operations/sides/retention.ts';
import { createLogger } from '../../src/platform/logger.ts';
import { readConfig } from '../../src/processes/config/config.ts';
import { ensureNamespace } from '../../src/processes/temporal/namespace.ts';
import { closeSides, openSides } from '../../src/processes/temporal/sides.ts';
import { untilTemporalIsReachable } from '../../src/processes/temporal/wait.ts';
import { useDatabase } from '../support/database.ts';
import { serverStartTimeoutMs, temporalServer } from '../support/temporal.ts';

const namespace = 'kept-for-a-day';
const day = 86_400;
const command = `temporal operator namespace update --namespace ${namespace} --retention 72h`;

describe('a namespace that keeps ended workflows for a day', function () {
  this.timeout(serverStartTimeoutMs);
  const db = useDatabase();
  let address = '';
  const open = () => openSides(readConfig({ TEMPORAL_ADDRESS: address, TEMPORAL_NAMESPACE: namespace }));

  before('make it, and give it a retention of a day', async () => {
    address = await temporalServer();
    const sides = open();
    const [{ temporal }] = sides;
    await temporal.workflowService.registerNamespace({
      namespace,
      workflowExecutionRetentionPeriod: { seconds: day as never },
    });
    await ensureNamespace(temporal.connection as never, namespace);
    await closeSides(sides);
  });

  it('is named by ops stuck with the command that changes it, and by a worker that starts; not once it is changed', async () => {
    const lines: { level: number; msg: string }[] = [];
    const logger = createLogger('warn', 'test', { write: (line) => void lines.push(JSON.parse(line)) });
    const sides = open();
    const [side] = sides;
    const stuck = () =>
      runScript('src/processes/cli/main.ts', ['ops', 'stuck'], {
        DATABASE_URL: db.url,
        TEMPORAL_ADDRESS: address,
        TEMPORAL_NAMESPACE: namespace,
      });
    try {
      const { stdout, stderr } = await stuck();
      assert.match(
        stdout,
        /^Not stuck: Temporal keeps ended workflows of the namespace "kept-for-a-day" for 24 h only/m,
      );
      assert.ok(stdout.includes(command), stdout + stderr);
      await untilTemporalIsReachable(side, logger, AbortSignal.timeout(10_000));
      assert.ok(lines[0]?.msg.endsWith(command), JSON.stringify(lines));

      const { workflowService } = side.temporal;
      const workflowExecutionRetentionTtl = { seconds: (3 * day) as never };
      await workflowService.updateNamespace({ namespace, config: { workflowExecutionRetentionTtl } });
      await eventually('it is read', async () => (await findShortRetention(sides)).length === 0);
      assert.doesNotMatch((await stuck()).stdout, /Not stuck: Temporal keeps/);
      await untilTemporalIsReachable(side, logger, AbortSignal.timeout(10_000));
      assert.equal(lines.length, 1);
    } finally {
      await closeSides(sides);
    }
  });
});
