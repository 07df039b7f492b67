import { setTimeout as pause } from 'node:timers/promises';
import { makeActivePlan } from '../../../lab/payer.ts';
import { realNow } from '../../../src/platform/real-time.ts';
import type { Scene } from '../../scene.ts';

/** Gets what repairs a part of the breakage. All of it is done once the alerts were seen, the last part first. */
export type OnRepair = (work: () => Promise<unknown> | unknown) => void;

/** Something that is broken on purpose. */
export interface Breakage {
  /** For the report, such as "the API is stopped". */
  what: string;
  /** The names of the alerts that must fire, each with labels that it must have then. */
  alerts: Readonly<Record<string, Readonly<Record<string, string>>>>;
  /** Breaks it, and may return before it is broken in full. */
  begin(scene: Scene, onRepair: OnRepair): Promise<void>;
}

/** Stops a process by SIGSTOP until the repair. */
export async function freezeUntilRepair(
  scene: Scene,
  name: Parameters<Scene['freeze']>[0],
  onRepair: OnRepair,
): Promise<void> {
  onRepair(await scene.freeze(name));
}

/** A plan whose first payment is due as soon as it is active. Returns its id. */
export function makeDuePlan({ sandbox, payers }: Scene): Promise<string> {
  return makeActivePlan(sandbox, { customer_id: payers.sandbox.customerId, start_date: today() });
}

/** A payment in the sandbox, made and charged in one request. `outcome`: the sandbox's word for it. */
export function charge(
  { sandbox, payers }: Scene,
  { outcome = 'succeed', payer = payers.sandbox } = {},
): Promise<{ id: string }> {
  return sandbox.paymentIntents.create({
    amount: 1000,
    currency: 'AUD',
    customer_id: payer.customerId,
    payment_method: payer.methodId,
    metadata: { _sandbox_outcome: outcome },
    confirm: true,
  });
}

/** The date in UTC, the time zone of the drill's customers. */
export function today(): string {
  return realNow().toISOString().slice(0, 10);
}

/** @throws the signal's reason when it comes. */
export function wait(ms: number, { signal }: Pick<Scene, 'signal'>): Promise<void> {
  return pause(ms, undefined, { signal });
}
