// PostgreSQL is stopped, or a transaction holds what others need.
import { inParallel, range } from '../../../lab/parallel.ts';
import { makePayer } from '../../../lab/payer.ts';
import { realNow } from '../../../src/platform/real-time.ts';
import { type Breakage, charge, freezeUntilRepair, makeDuePlan } from './breakage.ts';

/** More than the connections of the API and of the pages (24 each): the others wait. */
const lanes = 48;
/** How long a payer waits for a page. */
const visitMs = 20_000;

export const databaseStopped: Breakage = {
  what: 'PostgreSQL is stopped (SIGSTOP) while requests come',
  alerts: {
    PaymentsApiErrors: {},
    PaymentsPagesErrors: {},
    PaymentsDatabaseAway: {},
    PaymentsFiguresOld: { source: 'database' },
  },
  async begin(scene, onRepair) {
    await freezeUntilRepair(scene, 'postgres', onRepair);
    onRepair(scene.keepDoing(lanes, 200, () => scene.sandbox.customers.get(scene.payers.sandbox.customerId)));
    const page = `${scene.service.pagesUrl}/pay/${'0'.repeat(32)}`;
    onRepair(scene.keepDoing(lanes, 200, () => fetch(page, { signal: AbortSignal.timeout(visitMs) })));
  },
};

/** More than the slots of a worker (30), and half of the 64 charges of a key that run at once. */
const [duePlans, charges] = [60, 32];

export const tableLocked: Breakage = {
  what: `a transaction locks two tables while ${duePlans} plans fall due and requests charge`,
  alerts: {
    PaymentsApiSlow: {},
    PaymentsPoolUsedUp: { job: 'payments-api' },
    PaymentsWorkerSlotsUsedUp: { worker_type: 'LocalActivityWorker' },
  },
  async begin(scene, onRepair) {
    const { sandbox, sql } = scene;
    // A charge of a customer in real time takes no transaction of its own.
    const clock = await sandbox.testClocks.create({ frozen_time: realNow().toISOString() });
    onRepair(() => sandbox.testClocks.delete(clock.id));
    const payer = await makePayer(sandbox, { test_clock: clock.id });
    // An activation needs a table that is locked, and the worker would collect at once what is active.
    const thaw = await scene.freeze('worker');
    onRepair(thaw);
    await inParallel(range(duePlans), 8, () => makeDuePlan(scene));
    let repair = () => {};
    const repaired = new Promise<void>((resolve) => {
      repair = resolve;
    });
    const locked = new Promise<void>((resolve, reject) => {
      const holding = sql.begin(async (tx) => {
        await tx`set local idle_in_transaction_session_timeout = 0`;
        await tx`lock table payment_plan_slots, payment_attempts in access exclusive mode`;
        resolve();
        await repaired;
      });
      holding.catch(reject);
      onRepair(() => {
        repair();
        return holding;
      });
    });
    await locked;
    thaw();
    onRepair(scene.keepDoing(charges, 100, () => charge(scene, { payer })));
  },
};
