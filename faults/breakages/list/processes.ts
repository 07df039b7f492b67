// Processes of npm start are stopped or killed.
import { readFile } from 'node:fs/promises';
import { signal } from '../../../lab/process-table.ts';
import { makeDuePlan } from '../../alert-drill/breakages/breakage.ts';
import type { ProcessName, Scene } from '../../scene.ts';
import type { Breakage, Course } from '../course.ts';
import { lineOf, runOps, stuck, stuckLine } from '../places.ts';
import { isPaid } from './payments.ts';

/** Stops it by SIGSTOP, finds which process hangs, and kills or continues it, whichever is named. */
async function stopped(
  scene: Scene,
  course: Course,
  name: ProcessName,
  find: () => Promise<unknown>,
  continued = /kill -9/,
): Promise<void> {
  const pid = await scene.pidOf(name);
  const thaw = await scene.freeze(name);
  course.onRepair(thaw);
  course.broken();
  const planId = name === 'temporal' || name === 'worker' ? await makeDuePlan(scene) : null;
  await find();
  await course.follow(continued, () => (continued.source === 'kill -9' ? signal(pid, 'SIGKILL') : thaw()));
  await course.free(async () => (await runOps(scene.service.dataDir, ['stuck'])).text === 'Nothing is stuck.');
  const duePlan = planId ?? (await makeDuePlan(scene));
  await course.free(() => isPaid(scene.sandbox, duePlan));
}

/** Kills it. npm start says so and starts it again; nothing is left to do. */
async function killed(scene: Scene, course: Course, name: ProcessName, shown: string): Promise<void> {
  const { logFile } = scene.service;
  const said = (await readFile(logFile, 'utf8')).length;
  signal(await scene.pidOf(name), 'SIGKILL');
  course.broken();
  const output = (pattern: RegExp) => lineOf('the output of `npm start`', logFile, pattern, said);
  await course.find(output(new RegExp(`\\] ${shown} ended `)), /killed it \(kill -9\)/);
  await course.follow(/starting it again/, () => {});
  await course.free(async () => (await output(new RegExp(`\\] ${shown} is up again`)).look()) !== null);
}

export const processBreakages: readonly Breakage<Scene>[] = [
  {
    name: 'postgres-stopped',
    what: 'PostgreSQL is stopped (SIGSTOP)',
    run: (scene, course) =>
      stopped(
        scene,
        course,
        'postgres',
        () => course.find(stuckLine(scene.service.dataDir, /^The database /), /does not respond/),
        /kill -CONT/,
      ),
  },
  {
    name: 'temporal-stopped',
    what: 'Temporal is stopped (SIGSTOP), and a plan is activated',
    run: (scene, course) =>
      stopped(scene, course, 'temporal', () => course.find(stuck(scene.service.dataDir, 'temporal_unreachable'))),
  },
  {
    name: 'worker-stopped',
    what: 'the worker is stopped (SIGSTOP), and a plan falls due',
    run: (scene, course) =>
      stopped(scene, course, 'worker', () => course.find(stuck(scene.service.dataDir, 'process_hangs'))),
  },
  {
    name: 'api-stopped',
    what: 'the API is stopped (SIGSTOP)',
    run: (scene, course) =>
      stopped(scene, course, 'api', () => course.find(stuck(scene.service.dataDir, 'api_unreachable'), /hangs/)),
  },
  {
    name: 'pages-stopped',
    what: 'the pages for payers are stopped (SIGSTOP)',
    run: (scene, course) =>
      stopped(scene, course, 'pages', () => course.find(stuck(scene.service.dataDir, 'pages_unreachable'), /hang/)),
  },
  {
    name: 'worker-killed',
    what: 'the worker is killed',
    run: (scene, course) => killed(scene, course, 'worker', 'Worker'),
  },
  {
    name: 'api-killed',
    what: 'the API is killed',
    run: (scene, course) => killed(scene, course, 'api', 'API'),
  },
];
