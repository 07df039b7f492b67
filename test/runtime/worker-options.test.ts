import assert from 'node:assert/strict';
import { eventually } from '../../lab/eventually.ts';
import { dateIn } from '../../src/domain/calendar.ts';
import { withoutClock } from '../../src/domain/instants.ts';
import { realNow } from '../../src/platform/real-time.ts';
import { readConfig } from '../../src/processes/config/config.ts';
import { pollersFor, versioningOf } from '../../src/processes/temporal/workers.ts';
import { useService } from '../support/service.ts';
import { serverStartTimeoutMs, temporalServer } from '../support/temporal.ts';

describe('the options of a worker', () => {
  it('let a server on another machine say how many polls there are, and leave them fixed for the embedded one', () => {
    const remote = readConfig({ TEMPORAL_ADDRESS: 'temporal.example.com:7233', TEMPORAL_TLS: 'true' }).temporal;
    const { workflowTaskPollerBehavior, activityTaskPollerBehavior } = pollersFor(remote);
    assert.deepEqual(
      [workflowTaskPollerBehavior?.type, activityTaskPollerBehavior?.type],
      ['autoscaling', 'autoscaling'],
    );
    for (const TEMPORAL_ADDRESS of ['', '127.0.0.1:7233', 'localhost:7233']) {
      assert.deepEqual(pollersFor(readConfig({ TEMPORAL_ADDRESS }).temporal), {}, TEMPORAL_ADDRESS);
    }
  });

  it('have a version where both variables are set, and none where neither is', () => {
    const env = { WORKER_DEPLOYMENT_NAME: 'payments', WORKER_BUILD_ID: '2026.11-4dec2ec' };
    const { workerVersion } = readConfig(env);
    assert.deepEqual(versioningOf(workerVersion).workerDeploymentOptions, {
      version: { deploymentName: 'payments', buildId: '2026.11-4dec2ec' },
      useWorkerVersioning: true,
      defaultVersioningBehavior: 'PINNED',
    });
    assert.deepEqual(versioningOf(readConfig({}).workerVersion), {});
  });

  for (const [what, env, complaint] of [
    ['without a build', { WORKER_DEPLOYMENT_NAME: 'payments' }, /WORKER_BUILD_ID is missing/],
    ['without a name', { WORKER_BUILD_ID: '1' }, /WORKER_DEPLOYMENT_NAME is missing/],
    [
      'whose name Temporal refuses',
      { WORKER_DEPLOYMENT_NAME: 'a.b', WORKER_BUILD_ID: '1' },
      /WORKER_DEPLOYMENT_NAME must be letters, digits, hyphens and underscores, not "a\.b"/,
    ],
    [
      'whose build Temporal refuses',
      { WORKER_DEPLOYMENT_NAME: 'payments', WORKER_BUILD_ID: "1' or" },
      /WORKER_BUILD_ID must be letters, digits, dots, hyphens and underscores/,
    ],
  ] as const) {
    it(`are refused with a version ${what}`, () => {
      assert.throws(() => readConfig(env), complaint);
    });
  }
});

describe('workers whose polls the server scales', function () {
  this.timeout(serverStartTimeoutMs);
  // Another spelling of this machine, which counts as another machine.
  const service = useService({ temporal: async () => (await temporalServer()).replace('127.0.0.1', '0.0.0.0') });

  it('collect what is due', async () => {
    assert.notDeepEqual(pollersFor(service.sides[0].server), {});
    const merchant = await service.merchant();
    const start_date = dateIn(withoutClock(realNow()), 'UTC');
    const plans = await Promise.all(Array.from({ length: 10 }, () => merchant.activePlan({ start_date })));
    for (const { id } of plans) {
      await eventually(`${id} is paid`, async () => (await merchant.payments(id))[0]?.status === 'paid');
    }
  });
});
