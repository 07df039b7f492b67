import assert from 'node:assert/strict';
import { readFile } from 'node:fs/promises';
import { setTimeout as pause } from 'node:timers/promises';
import { inspect } from 'node:util';
import { TestClockError } from '@payments-service/client';
import { Client, Connection } from '@temporalio/client';
import { clientOf } from '../../../lab/client.ts';
import { makeActivePlan, makePayer } from '../../../lab/payer.ts';
import type { LedgerEntry } from '../../../src/processors/ledger.ts';
import { temporalServer, testNamespace } from '../../support/temporal.ts';

const day = 86_400_000;
const shoppers = 2;
const breathMs = 40;
/** Of each clock, a week each; in each the plan has one slot. */
const advances = 3;

/** What was answered, and what was not. */
export interface Load {
  /** Intents that were confirmed, and those that each plan of a clock was collected by. */
  readonly answered: { confirmed: string[]; plans: string[][] };
  readonly failures: string[];
  /** Lets every client finish its request. */
  stop(): Promise<void>;
  /**
   * Holds what was answered against what there is, and against what the processor has written down: everything, unless
   * a version had part in it that lets it write nothing.
   */
  check(ledgerFile: string): Promise<void>;
}

/** An error in words. Of a clock that is not ready in time, also what its workflow did last, and what it waits for. */
async function explained(error: unknown): Promise<string> {
  if (!(error instanceof TestClockError)) return String(error);
  const connection = await Connection.connect({ address: await temporalServer() });
  try {
    const { workflow } = new Client({ connection, namespace: testNamespace });
    const handle = workflow.getHandle(`test-clock/${error.clock.id}`);
    const { pendingActivities, pendingWorkflowTask } = (await handle.describe()).raw;
    const { events } = await handle.fetchHistory();
    const last = (events ?? []).slice(-12).map(({ eventId: _, eventTime, ...event }) => {
      const attributes = Object.entries(event).filter(([name, value]) => name.endsWith('Attributes') && value !== null);
      return [new Date(Number(eventTime?.seconds) * 1_000).toISOString(), ...attributes];
    });
    return `${error}\n${inspect({ clock: error.clock, pendingActivities, pendingWorkflowTask, last }, { depth: 8 })}`;
  } catch (failure) {
    return `${error} (Temporal does not say why: ${failure})`;
  } finally {
    await connection.close();
  }
}

/**
 * People who pay and a biller who moves plans through clocks, one request after the other without a pause, and nothing
 * that is sent twice: an answer that does not come, or is an error, is a failure.
 */
export function startLoad(url: string, key: string): Load {
  const client = clientOf({ baseUrl: url, key }, { timeoutMs: 60_000 });
  const answered: Load['answered'] = { confirmed: [], plans: [] };
  const failures: string[] = [];
  let stopping = false;
  let requests = 0;

  async function repeat(work: () => Promise<void>): Promise<void> {
    while (!stopping) {
      await work().catch(async (error: unknown) => failures.push(await explained(error)));
      await pause(breathMs);
    }
  }

  async function buy(): Promise<void> {
    const { customerId, methodId } = await makePayer(client);
    const idempotencyKey = `order-${requests++}`;
    const intent = await client.paymentIntents.create(
      { amount: 1000, currency: 'AUD', customer_id: customerId, payment_method: methodId },
      { idempotencyKey },
    );
    const confirmed = await client.paymentIntents.confirm(
      intent.id,
      {},
      { idempotencyKey: `${idempotencyKey}-confirm` },
    );
    assert.equal(confirmed.status, 'succeeded');
    answered.confirmed.push(intent.id);
  }

  async function moveAPlan(): Promise<void> {
    const start = Date.UTC(2027, 0, 4);
    const at = (days: number) => new Date(start + days * day).toISOString();
    const clock = await client.testClocks.create({ frozen_time: at(0) });
    const { customerId } = await makePayer(client, { test_clock: clock.id });
    const terms = { customer_id: customerId, start_date: '2027-01-05' };
    const planId = await makeActivePlan(client, terms);
    for (let week = 0; week < advances; week++) {
      await client.testClocks.advanceAndWait(clock.id, { frozen_time: at(2 + 7 * week) }, { waitTimeoutMs: 60_000 });
    }
    const payments = (await client.paymentPlans.listPayments(planId, { limit: 100 }).toArray()).reverse();
    assert.deepEqual(
      payments.map(({ slot, due_date, status }) => `${slot} ${due_date} ${status}`),
      ['0 2027-01-05 paid', '1 2027-01-12 paid', '2 2027-01-19 paid'],
    );
    answered.plans.push(payments.map(({ payment_intent_id }) => payment_intent_id ?? 'none'));
    await client.testClocks.delete(clock.id); // an account has three at most
  }

  const working = [...Array.from({ length: shoppers }, () => repeat(buy)), repeat(moveAPlan)];
  return {
    answered,
    failures,
    async stop() {
      stopping = true;
      await Promise.all(working);
    },
    async check(ledgerFile) {
      const lines = (await readFile(ledgerFile, 'utf8')).trim().split('\n');
      const ledger = lines.map((line) => JSON.parse(line) as LedgerEntry);
      const keysOf = (intentId: string) =>
        new Set(ledger.filter((entry) => entry.payment_intent_id === intentId).map((entry) => entry.idempotency_key));
      const isChargedOnce = (id: string): void => {
        const keys = keysOf(id).size;
        assert.equal(keys, 1, `${id} was charged under ${keys} keys`);
      };
      for (const id of answered.confirmed) {
        assert.equal((await client.paymentIntents.get(id)).status, 'succeeded');
        isChargedOnce(id);
      }
      for (const id of answered.plans.flat()) isChargedOnce(id);
    },
  };
}
