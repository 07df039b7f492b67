// Single payments, workflows, processors and receivers are broken. The rest of the service works.
import { eventually } from '../../../lab/eventually.ts';
import { makePlan } from '../../../lab/payer.ts';
import { runScript } from '../../../lab/run-program.ts';
import { newId } from '../../../src/domain/ids.ts';

import { realNow } from '../../../src/platform/real-time.ts';
import type { Scene } from '../../scene.ts';
import { type Breakage, charge, today, wait } from './breakage.ts';

const hourMs = 3_600_000;
const ago = (ms: number) => new Date(realNow().getTime() - ms);

/** An operator's command on the command line. @throws Error with its output if it fails */
async function ops({ service }: Scene, ...args: string[]): Promise<void> {
  const unset = { DATABASE_URL: '', TEMPORAL_ADDRESS: '', TEMPORAL_NAMESPACE: '', ENCRYPTION_KEYS: '' };
  const ran = await runScript('src/processes/cli/main.ts', ['ops', ...args], { ...unset, DATA_DIR: service.dataDir });
  if (ran.code !== 0) throw new Error(`ops ${args.join(' ')}: ${ran.stdout}${ran.stderr}`);
}

export const planPoisoned: Breakage = {
  what: 'a trigger refuses the payment of a plan, and its activation is set back an hour',
  alerts: { PaymentsNotCollected: {}, PaymentsStuck: { kind: 'workflow_stalled' } },
  async begin(scene, onRepair) {
    const { sandbox, sql, payers } = scene;
    const { id } = await makePlan(sandbox, { customer_id: payers.sandbox.customerId, start_date: today() });
    await sql.unsafe(`
      create function poison() returns trigger language plpgsql as $$
      begin
        if new.payment_plan_id = '${id}' then raise exception 'poison'; end if;
        return new;
      end $$;
      create trigger poison before insert on payment_plan_slots for each row execute function poison()`);
    onRepair(() => ops(scene, 'recheck', id));
    onRepair(() => sql.unsafe('drop trigger poison on payment_plan_slots; drop function poison()'));
    await sandbox.paymentPlans.activate(id);
    await sql`update payment_plans set activated_at = ${ago(hourMs)} where id = ${id}`;
  },
};

/** The usual share of failures is read from what is older than an hour: three minutes in time lapse. */
const comparedMs = 220_000;

export const processorFails: Breakage = {
  what: 'the sandbox times out on most charges, after a time in which all succeeded',
  alerts: { PaymentsProcessorFailing: { mode: 'sandbox' }, PaymentsDeclinesRising: { mode: 'sandbox' } },
  async begin(scene, onRepair) {
    await wait(Math.max(0, scene.openedAt + comparedMs - performance.now()), scene);
    onRepair(scene.keepDoing(2, 400, () => charge(scene, { outcome: 'timeout' })));
  },
};

export const processorSilent: Breakage = {
  what: 'the live processor is stopped (SIGSTOP) during a charge',
  alerts: { PaymentsOutcomeUnknown: {} },
  async begin({ standIn, live, payers }, onRepair) {
    onRepair(() => standIn.process.thaw());
    standIn.process.freeze();
    const { customerId, methodId } = payers.live;
    const terms = { amount: 1000, currency: 'AUD', customer_id: customerId, payment_method: methodId } as const;
    await live.paymentIntents.create({ ...terms, confirm: true }).catch(() => {}); // its outcome is not known
  },
};

export const workflowUnknown: Breakage = {
  what: 'workflows of a type that the worker does not know',
  alerts: { PaymentsWorkflowTasksFail: {} },
  async begin({ temporal, keepDoing }, onRepair) {
    const started: string[] = [];
    onRepair(() => Promise.all(started.map((id) => temporal.workflow.getHandle(id).terminate())));
    const start = async () => {
      const workflowId = `payment-plan/${newId('payment_plan')}`;
      await temporal.workflow.start('workflowOfAnotherVersion', { workflowId, taskQueue, args: [] });
      started.push(workflowId);
    };
    onRepair(keepDoing(1, 3_000, start));
  },
};

/** Of `npm start`. */
const taskQueue = 'payments';

export const receiverGone: Breakage = {
  what: 'a live webhook endpoint no longer has an address, and its first failure is set back two days',
  alerts: { PaymentsWebhooksFailing: {}, PaymentsEndpointFailing: {} },
  async begin({ live, payers, sql, signal, keepDoing }, onRepair) {
    // A public address, because no other is accepted. Nothing is sent to it: there is no event before the change.
    const type = 'payment_intent.canceled';
    const { id } = await live.webhookEndpoints.create({ url: 'https://1.1.1.1/', event_types: [type] });
    await sql`update webhook_endpoints set url = 'https://receiver.invalid/' where id = ${id}`;
    onRepair(() => live.webhookEndpoints.delete(id));
    const makeEvent = async () => {
      const { customerId } = payers.live;
      const intent = await live.paymentIntents.create({ amount: 1000, currency: 'AUD', customer_id: customerId });
      await live.paymentIntents.cancel(intent.id);
    };
    onRepair(keepDoing(1, 2_000, makeEvent));
    const hasFailed = async () =>
      (
        await sql`update webhook_endpoints set failing_since = ${ago(48 * hourMs)}
        where id = ${id} and failing_since is not null returning id`
      ).length > 0;
    await eventually('a delivery has failed', hasFailed, { timeoutMs: 60_000, everyMs: 500, signal });
  },
};
