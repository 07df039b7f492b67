// A start is broken by its folder, its key or its password, or all of a running service at once.
import { readFile, rename, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { encryptionKeyFile } from '../../../dev/encryption-keys.ts';
import { clientOf } from '../../../lab/client.ts';
import { makeActivePlan, makePayer } from '../../../lab/payer.ts';
import type { ServiceCopy } from '../../../lab/service.ts';
import { openPool } from '../../../src/platform/postgres/connection.ts';
import { today } from '../../alert-drill/breakages/breakage.ts';
import type { Breakage, Course } from '../course.ts';
import { lineIn, runCommand, runOps, stuck, stuckLine } from '../places.ts';
import { isPaid } from './payments.ts';
import type { StartGround } from './start-ground.ts';

const lastWords = 'the output of `npm start`';
const kills = 10;
/** What `ops stuck` says when nothing runs. Just after the end, a part may be seen as running still. */
const isDown = /^(?:No service runs|The database) /;

/** Whether a plan that is made now is collected, and nothing is stuck. */
async function works({ dataDir, running }: StartGround): Promise<boolean> {
  const client = clientOf(await running());
  const planId = await duePlan(await running());
  const until = performance.now() + 30_000;
  while (!(await isPaid(client, planId))) if (performance.now() > until) return false;
  const { text } = await runOps(dataDir, ['stuck']);
  if (!text.startsWith('Nothing is stuck.')) throw new Error(text);
  return true;
}

/** A plan whose first payment is due at once. */
async function duePlan(service: ServiceCopy, startDate = today()): Promise<string> {
  const client = clientOf(service);
  const { customerId } = await makePayer(client);
  return makeActivePlan(client, { customer_id: customerId, start_date: startDate });
}

/** Lets what is in the database look an hour old: two comparisons with Temporal keep a distance. */
async function setComparisonsBack({ databaseUrl }: ServiceCopy): Promise<void> {
  const sql = openPool(databaseUrl, { max: 1, name: 'breakages' });
  await sql`
    update reconciliations set started_at = started_at - interval '1 hour', finished_at = finished_at - interval '1 hour'`;
  await sql.end();
}

/** The start ends with these words; then what they name is done, and the next start works. */
async function refused(
  ground: StartGround,
  course: Course,
  { words, remedy, repair }: { words: RegExp; remedy: RegExp; repair: () => Promise<unknown> },
): Promise<void> {
  course.onRepair(() => repair().catch(() => {})); // it was done already, if all went well
  course.broken();
  course.note(lastWords, lineIn(await ground.startInVain(), words));
  await course.follow(remedy, repair);
  await ground.running();
  await course.free(() => works(ground));
}

export const startBreakages: readonly Breakage<StartGround>[] = [
  {
    name: 'key-missing',
    what: '`encryption.key` is moved away while the service is down',
    async run(ground, course) {
      await ground.running();
      await ground.end();
      const file = encryptionKeyFile(ground.dataDir);
      await rename(file, `${file}.away`);
      const restore = () => rename(`${file}.away`, file);
      await refused(ground, course, {
        words: /is missing/,
        remedy: /Restore the file from a back-up/,
        repair: restore,
      });
    },
  },
  {
    name: 'wrong-password',
    what: '`postgres/password` has another password than PostgreSQL',
    async run(ground, course) {
      await ground.running();
      await ground.end();
      const file = join(ground.dataDir, 'postgres/password');
      const password = await readFile(file);
      await writeFile(file, 'another\n');
      const repair = () => writeFile(file, password);
      await refused(ground, course, { words: /another password/, remedy: /Restore the file from a back-up/, repair });
    },
  },
  {
    name: 'wrong-database-url',
    what: '`DATABASE_URL` has a wrong password',
    async run(ground, course) {
      const { databaseUrl } = await ground.running();
      const url = new URL(databaseUrl);
      url.password = 'wrong';
      course.broken();
      const { code, text } = await runOps(ground.dataDir, ['stuck'], { DATABASE_URL: url.href });
      if (code !== 1) throw new Error(`it ends with ${code}`);
      course.note('`ops stuck`', lineIn(text, /password/));
      await course.follow(/[Cc]orrect DATABASE_URL/, () => {});
      await course.free(() => works(ground));
    },
  },
  {
    name: 'read-only-folder',
    what: 'the data folder cannot be written to',
    async run(ground, course) {
      const { disk } = ground;
      if (disk === null) throw new Error('only root can mount a disk');
      await ground.running();
      await ground.end();
      await disk.setReadOnly(true);
      course.onRepair(() => disk.setReadOnly(false));
      const repair = () => disk.setReadOnly(false);
      await refused(ground, course, { words: /cannot be written/, remedy: /[Mm]ake it writable/, repair });
    },
  },
  {
    name: 'two-copies',
    what: 'a second copy is started in the same folder',
    async run(ground, course) {
      const { pid } = await ground.running();
      course.broken();
      const said = await ground.startInVain();
      course.note(lastWords, lineIn(said, /is in use: .*|End that one/));
      await course.follow(new RegExp(`process ${pid}`), () => {});
      await course.follow(/End that one/, () => ground.end());
      await ground.running();
      await course.free(() => works(ground));
    },
  },
  {
    name: 'disk-full',
    what: 'the disk of the data folder is full',
    async run(ground, course) {
      const { disk, dataDir } = ground;
      if (disk === null) throw new Error('only root can mount a disk');
      await ground.running();
      await disk.fill();
      course.onRepair(() => disk.free());
      course.broken();
      await course.find(stuck(dataDir, 'database_full'), /No space left/);
      await course.follow(/Free space on its disk/, () => disk.free());
      await course.free(() => works(ground));
    },
  },
  {
    name: 'all-killed',
    what: `all processes are killed at once, ${kills} times in a row`,
    async run(ground, course) {
      for (let round = 1; round <= kills; round += 1) {
        const planId = await duePlan(await ground.running());
        await ground.killAll();
        course.broken();
        await course.find(stuckLine(ground.dataDir, isDown), isDown);
        await course.follow(/npm start/, () => ground.running());
        await course.free(async () => isPaid(clientOf(await ground.running()), planId));
      }
      await course.free(() => works(ground));
    },
  },
  {
    name: 'restored',
    what: 'PostgreSQL is restored from a back-up of an hour ago: since then a plan was made and another one closed',
    async run(ground, course) {
      const kept = await duePlan(await ground.running(), '2099-01-01');
      await setComparisonsBack(await ground.running());
      await ground.end();
      await ground.backUp();
      const lost = await duePlan(await ground.running(), '2099-01-01');
      const { paymentPlans } = clientOf(await ground.running());
      await paymentPlans.close(kept);
      await ground.end();
      await ground.restore();
      course.broken();
      const copy = await ground.running();
      await course.find(stuck(ground.dataDir, 'workflows_differ'), /[1-9]\d* (missing|orphaned)/);
      await course.follow(/npm run --silent reconcile/, () => runCommand(ground.dataDir, ['reconcile']));
      await course.free(async () => {
        const plans = await clientOf(copy).paymentPlans.list({ limit: 100 });
        return plans.data.some(({ id }) => id === kept) && !plans.data.some(({ id }) => id === lost) && works(ground);
      });
    },
  },
];
