import { beginAdvance, createClock, deleteClock, dryRun } from './clocks.ts';
import { changeCustomer, createCustomer, deleteCustomer } from './customers.ts';
import type { Deed } from './deed.ts';
import { cancelIntent, completeIntent, confirmIntent, createIntent, refundIntent } from './intents.ts';
import { attachMethod, createMethod, detachMethod } from './methods.ts';
import { changePlan } from './plan-changes.ts';
import { movePlan } from './plan-moves.ts';
import { createPlan } from './plans.ts';
import type { Step } from './steps.ts';
import { Refused, type World } from './world.ts';

// A small model of the rules, written from the contract and the decisions, and where both are silent from what the
// service does. It shares no code with it, not even the calendar, and has no database, no workflow and no concurrency:
// `agreement.ts` takes the same steps in both.

/** What the API is to answer, with names for ids. */
export interface Answer {
  status: number;
  /** Of a refusal, with the paths of its faults and what else the error carries for programs. */
  code: string | null;
  paths: string[];
  extra: Record<string, unknown>;
  /** Undefined where the model does not know it. */
  body: unknown;
}

/** The request that a step makes in this world; none while there is nothing that it could be about. */
export function requestOf(world: World, step: Step): Deed | null {
  switch (step.do) {
    case 'clock':
      return createClock(world, step);
    case 'customer':
      return createCustomer(world, step);
    case 'change customer':
      return changeCustomer(world, step);
    case 'delete customer':
      return deleteCustomer(world, step);
    case 'method':
      return createMethod(world, step);
    case 'attach':
      return attachMethod(world, step);
    case 'detach':
      return detachMethod(world, step);
    case 'plan':
      return createPlan(world, step);
    case 'change plan':
      return changePlan(world, step);
    case 'intent':
      return createIntent(world, step);
    case 'confirm':
      return confirmIntent(world, step);
    case 'cancel':
      return cancelIntent(world, step);
    case 'complete':
      return completeIntent(world, step);
    case 'refund':
      return refundIntent(world, step);
    case 'dryRun':
      return dryRun(world, step);
    case 'advance':
      return beginAdvance(world, step);
    case 'delete clock':
      return deleteClock(world, step);
    case 'look':
      return null;
    default:
      return movePlan(world, step);
  }
}

/** Does to the world what the request does, or nothing when the rules refuse it. */
export function answerOf(deed: Deed): Answer {
  try {
    const { status, body } = deed.does();
    return { status, code: null, paths: [], extra: {}, body };
  } catch (error) {
    if (!(error instanceof Refused)) throw error;
    const { status, code, paths, extra } = error;
    return { status, code, paths, extra, body: undefined };
  }
}
