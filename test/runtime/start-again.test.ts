import assert from 'node:assert/strict';
import { readdir, readlink } from 'node:fs/promises';
import { join } from 'node:path';
import { setTimeout as pause } from 'node:timers/promises';
import { eventually, untilItSucceeds } from '../../lab/eventually.ts';
import { createMerchant, type Merchant } from '../support/merchant.ts';
import { freePorts, type ServerName, Start } from './start-process.ts';
import { stillAlive, useFolder } from './support.ts';

/** In the order in which each needs those before it, by their records. */
const processes: [ServerName, string][] = [
  ['postgres', 'PostgreSQL'],
  ['temporal', 'Temporal'],
  ['worker', 'Worker'],
  ['api', 'API'],
];

describe('npm start, when a process dies,', function () {
  this.timeout(120_000);
  const folder = useFolder();
  const running: Start[] = [];
  let copy: Start;
  let shop: Merchant;
  let development: Record<string, unknown>;

  async function start(): Promise<void> {
    copy = new Start(join(folder.path, 'data'), copy?.ports ?? (await freePorts()));
    running.push(copy);
    development = await copy.ready();
    const { sandbox_secret } = development.keys as Record<string, string>;
    shop = createMerchant(String(development.base_url), sandbox_secret ?? '');
  }
  before('start it', start);
  after('end it', async () => {
    for (const begun of running) {
      begun.child.kill('SIGTERM');
      await begun.ended;
    }
  });

  const timesUp = (shown: string) => copy.output.split(`] ${shown} is up again`).length - 1;

  /** Resolves when the process is up once more. */
  const back = (shown: string, before: number): Promise<true> =>
    eventually(
      () => `${shown} is up again:\n${copy.output}`,
      () => timesUp(shown) > before,
    );

  /** A pending plan whose first payment is due when it is activated. */
  async function planDueToday(): Promise<string> {
    const { id: customer_id } = await shop.payer();
    const { id } = await shop.plan({ customer_id, start_date: new Date().toISOString().slice(0, 10) });
    return id;
  }

  /** Activates it as soon as the API can, and resolves when it is paid. */
  async function activateAndWait(planId: string): Promise<void> {
    await untilItSucceeds(
      async () => (await shop.getPlan(planId)).state === 'active' || (await shop.move(planId, 'activate')),
      { everyMs: 20 },
    );
    const payments = async () => shop.payments(planId).catch(() => []);
    const isPaid = async () => (await payments()).some(({ status }) => status === 'paid');
    await eventually('it is paid', isPaid, { timeoutMs: 60_000 });
    const attempts = (await shop.payments(planId)).map((payment) => payment.attempts.length);
    assert.deepEqual(attempts, [1], 'it was charged once');
  }

  for (const [name, shown] of processes) {
    it(`starts ${shown} again when it is killed, alone and on its ports, and what is due is collected once`, async () => {
      const [before, planId] = [await copy.pids(), await planDueToday()];
      const times = timesUp(shown);
      process.kill(before[name], 'SIGKILL');
      await Promise.all([back(shown, times), activateAndWait(planId)]);
      const after = await copy.pids();
      const changed = processes.map(([each]) => each).filter((each) => after[each] !== before[each]);
      assert.deepEqual(changed, [name], copy.output);
      assert.match(
        copy.output,
        new RegExp(
          `\\] ${shown} ended \\(signal SIGKILL\\); starting it again .*logs/${name}\\.log\\. The reason: .*kill -9`,
        ),
      );
      assert.equal((await fetch(String(development.temporal_ui_url))).status, 200);
    });
  }

  it('starts all four again when they are killed at once', async () => {
    const [before, planId] = [await copy.pids(), await planDueToday()];
    const counts = processes.map(([, shown]) => timesUp(shown));
    for (const pid of Object.values(before)) process.kill(pid, 'SIGKILL');
    await Promise.all(processes.map(([, shown], index) => back(shown, counts[index] ?? 0)));
    await activateAndWait(planId);
  });

  it('does not start a worker again that is stopped (SIGSTOP): it lives, and goes on when it is continued', async () => {
    const { worker } = await copy.pids();
    const said = copy.output;
    process.kill(worker, 'SIGSTOP');
    await pause(2_000);
    process.kill(worker, 'SIGCONT');
    await activateAndWait(await planDueToday());
    assert.equal((await copy.pids()).worker, worker);
    assert.equal(copy.output, said);
  });

  it('has recorded the processes that it has started again: the next start ends them if it is killed itself', async () => {
    const pids = Object.values(await copy.pids());
    copy.child.kill('SIGKILL');
    await copy.ended;
    await start();
    assert.match(copy.output, /left temporal behind/);
    assert.deepEqual(await stillAlive(pids), []);
  });

  it('ends everything on SIGTERM while processes are being started again', async () => {
    const before = await copy.pids();
    for (const name of ['postgres', 'temporal', 'worker'] as const) process.kill(before[name], 'SIGKILL');
    await eventually('they are started again', async () => {
      const now = await copy.pids();
      return now.postgres !== before.postgres && now.worker !== before.worker;
    });
    const during = await copy.pids();
    copy.child.kill('SIGTERM');
    assert.equal(await copy.ended, 0, copy.output);
    assert.deepEqual(await stillAlive([...Object.values(before), ...Object.values(during)]), []);
    assert.deepEqual(await processesIn(copy.dataDir), []);
  });
});

/** The processes that work in a folder: PostgreSQL and Temporal do. Linux only: empty elsewhere. */
async function processesIn(folder: string): Promise<string[]> {
  const pids = (await readdir('/proc').catch(() => [])).filter((name) => /^\d+$/.test(name));
  const folders = await Promise.all(pids.map((pid) => readlink(`/proc/${pid}/cwd`).catch(() => '')));
  return pids.filter((_pid, index) => folders[index]?.startsWith(folder));
}
