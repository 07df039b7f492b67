// What is broken around the service, or in its rows, and was once not said or said wrongly.
import { rename } from 'node:fs/promises';
import { encryptionKeyFile } from '../../../dev/encryption-keys.ts';
import { eventually } from '../../../lab/eventually.ts';
import { range } from '../../../lab/parallel.ts';
import { makePlan } from '../../../lab/payer.ts';
import { signal } from '../../../lab/process-table.ts';
import { runProgram } from '../../../lab/run-program.ts';
import { namespace } from '../../../lab/servers.ts';
import { openPool } from '../../../src/platform/postgres/connection.ts';
import { makeDuePlan, today } from '../../alert-drill/breakages/breakage.ts';
import type { Scene } from '../../scene.ts';
import type { Breakage } from '../course.ts';
import { runCommand, runOps, stuck } from '../places.ts';
import { isFree, isPaid, planOnClock } from './payments.ts';

const isQuiet = async ({ service }: Scene) => (await runOps(service.dataDir, ['stuck'])).text === 'Nothing is stuck.';
const greedy = 'greedy';
const tooMany = 300;

export const onCallBreakages: readonly Breakage<Scene>[] = [
  {
    name: 'connections-taken',
    what: 'another program takes all connections of PostgreSQL',
    moneyWaits: true,
    async run(scene, course) {
      const { service, sql, sandbox } = scene;
      await sql`select 1`; // keeps the connection that the remedy needs
      const pool = openPool(service.databaseUrl, { max: tooMany, name: greedy });
      course.onRepair(() => pool.end({ timeout: 0 }));
      course.broken();
      for (const _ of range(tooMany)) pool`select pg_sleep(600)`.catch(() => {}); // refused, or ended by the remedy
      await course.find(stuck(service.dataDir, 'connections_used_up'), /\d+ greedy \(process \d+ since \S+Z, active\)/);
      const statement = `select pg_terminate_backend(pid) from pg_stat_activity where application_name = '${greedy}'`;
      const words = new RegExp(statement.replaceAll(/[()]/g, '\\$&'));
      await course.follow(words, () => sql.unsafe(statement));
      await course.free(() => isQuiet(scene));
      const planId = await makeDuePlan(scene);
      await course.free(() => isPaid(sandbox, planId));
    },
  },
  {
    name: 'search-attribute-missing',
    what: 'Temporal has lost a search attribute of the service',
    moneyWaits: true,
    async run(scene, course) {
      const { service, temporal, sandbox } = scene;
      const prepare = () => runCommand(service.dataDir, ['temporal:prepare']);
      course.onRepair(prepare);
      await temporal.connection.operatorService.removeSearchAttributes({ namespace, searchAttributes: ['Stalled'] });
      course.broken();
      await course.find(stuck(service.dataDir, 'temporal_refusing'), /Stalled/);
      await course.follow(/npm run --silent temporal:prepare/, async () => {
        const { code, text } = await prepare();
        if (code !== 0) throw new Error(text);
      });
      await course.free(() => isQuiet(scene));
      const planId = await makeDuePlan(scene);
      await course.free(() => isPaid(sandbox, planId));
    },
  },
  {
    name: 'worker-killed-charging',
    what: 'the worker is killed in the middle of a live charge, while the processor hangs',
    moneyWaits: true,
    async run(scene, course) {
      const { standIn, live, payers, service, sql } = scene;
      const { id } = await makePlan(live, { customer_id: payers.live.customerId, start_date: today() });
      standIn.process.freeze();
      course.onRepair(() => standIn.process.thaw());
      await live.paymentPlans.activate(id);
      const open = async () => {
        const rows = await sql<{ id: string }[]>`
          select i.id from payment_intents i join payment_attempts a on a.payment_intent_id = i.id
          where i.payment_plan_id = ${id} and a.outcome = 'processing'`;
        return rows[0]?.id;
      };
      const intentId = await eventually('the charge is under way', open, { everyMs: 50 });
      signal(await scene.pidOf('worker'), 'SIGKILL');
      course.broken();
      await course.find(stuck(service.dataDir, 'payment_processing', intentId), /has ended/);
      await course.cause('the processor is continued', () => standIn.process.thaw());
      await course.followOps(service.dataDir);
      await course.free(async () => (await isPaid(live, id)) && isFree(scene, id));
    },
  },
  {
    name: 'advance-lost',
    what: 'the row of the advance of a clock is deleted while it is advancing',
    async run(scene, course) {
      const { service, sql } = scene;
      const { clockId, advance, isAdvanced } = await planOnClock(scene, course);
      const thaw = await scene.freeze('worker');
      course.onRepair(thaw);
      await advance();
      await sql`delete from clock_advances where test_clock_id = ${clockId} and status = 'advancing'`;
      thaw();
      course.broken();
      await course.find(stuck(service.dataDir, 'advance_slow', clockId), /the row of its advance is lost/);
      await course.followOps(service.dataDir);
      await course.free(isAdvanced);
    },
  },
  {
    name: 'outcome-changed',
    what: 'an attempt that succeeded is turned into a failure by hand',
    async run(scene, course) {
      const { sandbox, service, sql } = scene;
      const planId = await makeDuePlan(scene);
      await eventually('it is paid', () => isPaid(sandbox, planId));
      const turn = (outcome: string, code: string | null) => sql`
        update payment_attempts a set outcome = ${outcome}, code = ${code}, message = ${code}
        from payment_intents i where i.id = a.payment_intent_id and i.payment_plan_id = ${planId}`;
      const { data } = await sandbox.paymentPlans.listPayments(planId);
      const intentId = data[0]?.payment_intent_id ?? '';
      await turn('failed', 'card_declined');
      course.broken();
      await course.find(stuck(service.dataDir, 'rows_broken', intentId), /succeeded/);
      await course.follow(new RegExp(`${intentId}`), () => turn('succeeded', null));
      await course.free(() => isQuiet(scene));
    },
  },
  {
    name: 'files-used-up',
    what: 'the API may open no more files or connections',
    async run(scene, course) {
      const { service, sandbox } = scene;
      const pid = await scene.pidOf('api');
      // Below all that it has open: what it has stays, and nothing is added.
      const { code, stderr } = await runProgram('prlimit', ['--pid', String(pid), '--nofile=4:4']);
      if (code !== 0) throw new Error(stderr);
      course.broken();
      await course.find(
        stuck(service.dataDir, 'files_used_up'),
        /^files_used_up: api \d+@.* as many files and connections/,
      );
      await course.follow(/start it again/, () => signal(pid, 'SIGKILL'));
      await course.free(() => isQuiet(scene));
      const planId = await makeDuePlan(scene);
      await course.free(() => isPaid(sandbox, planId));
    },
  },
  {
    name: 'key-deleted',
    what: '`encryption.key` is moved away while the service runs',
    async run(scene, course) {
      const file = encryptionKeyFile(scene.service.dataDir);
      const restore = () => rename(`${file}.away`, file);
      await rename(file, `${file}.away`);
      course.onRepair(() => restore().catch(() => {})); // it was done already, if all went well
      course.broken();
      await course.find(stuck(scene.service.dataDir, 'encryption_key_missing'), /encryption\.key/);
      await course.follow(/Restore \S+ from a back-up/, restore);
      await course.free(() => isQuiet(scene));
    },
  },
];
