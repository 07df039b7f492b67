// `npm run demo`: the whole of the service, driven through REST alone and compared with its rules.
import { ApiError, PaymentsClient } from '@payments-service/client';
import { describeApiError, refusalOf } from '../lab/client.ts';
import { UsageError } from '../lab/program.ts';
import { accepts, startReceiver } from '../lab/receiver.ts';
import { printError, safeLine } from '../src/platform/terminal.ts';
import { Checks } from './checks.ts';
import { runDebits } from './debits.ts';
import { help, type Options, readOptions } from './options.ts';
import { awaitWebhooks, newScene, runAll, type Scene, showNews } from './scene.ts';
import { findOrStart, type Outcome, type Service } from './service.ts';
import { runSubscription } from './subscription.ts';
import { runDebitSubscription } from './subscription-debits.ts';
import { showSummary } from './summary.ts';
import { chapter, count, difference, minute, say, verdict } from './timeline.ts';
import { checkWebhooks } from './webhooks.ts';

/** As shells have it for a program that Ctrl-C has ended. */
const interrupted = 130;
/** Ctrl-C under npm arrives twice within milliseconds; only a later repeat ends the demo at once. */
const repeatAfterMs = 1000;

async function main(): Promise<number> {
  const options = readOptions();
  if (options === null) {
    say(help);
    return 0;
  }
  const signal = listenForSignals();
  if (options.keys === null) say('Starting a service of its own; the first start takes a while.');
  const service = await findOrStart(options, signal);
  let outcome: Outcome = 'failed';
  try {
    say(`The service is at ${service.baseUrl}.`);
    const code = await run(service, options, signal);
    if (code === 0) outcome = 'done';
    return code;
  } finally {
    if (service.own !== null && options.keep && !signal.aborted) showHowToEnd(service.own, service.baseUrl);
    else await service.own?.end(signal.aborted ? 'done' : outcome);
  }
}

/** Plays the demo on this service, and afterwards removes what it made there. */
async function run(service: Service, { keep }: Options, signal: AbortSignal): Promise<number> {
  const receiver = await startReceiver(() => accepts);
  const payments = clientOf(service, signal);
  const scene = newScene({ payments, receiver, signal, checks: new Checks(difference) });
  try {
    await runAll(scene);
    await runDebits(scene);
    await runSubscription(scene);
    await runDebitSubscription(scene);
    if (!keep) await deleteClock(scene);
    await checkWebhooks(scene);
    showSummary(scene, service, keep);
    return conclude(scene);
  } catch (error) {
    if (error instanceof ApiError && error.code === 'test_clock_limit') {
      await showClocks(scene.payments);
      return 1;
    }
    throw error;
  } finally {
    await tidy(clientOf(service), scene, keep && !signal.aborted);
    await receiver.close();
  }
}

/**
 * Each request first looks at `signal`, and throws its reason; one under way continues, so that its result is known.
 */
function clientOf({ baseUrl, key }: Service, signal?: AbortSignal): PaymentsClient {
  const send: typeof fetch = async (input, init) => {
    signal?.throwIfAborted();
    return fetch(input, init);
  };
  return new PaymentsClient({ baseUrl, apiKey: key, fetch: send });
}

async function deleteClock(scene: Scene): Promise<void> {
  chapter('The clock is deleted, and with it its customers and all that they have');
  const id = scene.clockId ?? '';
  scene.checks.members('clock, deleted', await scene.payments.testClocks.delete(id), { id, deleted: true });
  const at = new Date(scene.now).toISOString();
  scene.clockEvents.push({ event_type: 'test_clock.deleted', created_at: at, id });
  await awaitWebhooks(scene);
  await showNews(scene);
  scene.checks.equal('clock, fetched once deleted', (await refusalOf(scene.payments.testClocks.get(id)))?.status, 404);
}

function conclude({ checks, advances }: Scene): number {
  const isRight = checks.differences.length === 0;
  const total = advances.reduce((sum, { wallMs }) => sum + wallMs, 0);
  verdict(
    isRight,
    isRight
      ? `PASSED: ${checks.made} comparisons with the rules, no difference; ${(total / 1000).toFixed(1)} s of advances.`
      : `FAILED: ${count(checks.differences.length, 'difference')} in ${checks.made} comparisons with the rules.`,
  );
  return isRight ? 0 : 1;
}

/** Removes what the demo has made. If it is kept, the endpoint is disabled: its receiver ends with the demo. */
async function tidy(
  payments: PaymentsClient,
  { clockId, debitClockId, subscriptionClockId, endpointId }: Scene,
  keep: boolean,
): Promise<void> {
  const ignoreMissing = (error: unknown) => {
    if (error instanceof ApiError && error.status === 404) return;
    printError(safeLine(`Not cleared away: ${error instanceof Error ? error.message : error}`));
  };
  if (keep) {
    if (endpointId !== null)
      await payments.webhookEndpoints.update(endpointId, { status: 'disabled' }).catch(ignoreMissing);
    const clocks = [clockId, debitClockId, subscriptionClockId].filter((id) => id !== null);
    if (clocks.length > 0)
      say(`Kept: the test clocks ${clocks.join(', ')} with their customers, and the endpoint ${endpointId}, disabled.`);
    return;
  }
  for (const id of [clockId, debitClockId, subscriptionClockId]) {
    if (id !== null) await payments.testClocks.delete(id).catch(ignoreMissing);
  }
  if (endpointId !== null) await payments.webhookEndpoints.delete(endpointId).catch(ignoreMissing);
}

async function showClocks(payments: PaymentsClient): Promise<void> {
  const clocks = await payments.testClocks.list({ limit: 100 }).toArray();
  say('\nThe demo needs a test clock of its own, and the account has as many as it can have. Delete one first:');
  for (const { id, name, status, frozen_time: time } of clocks.filter((clock) => clock.status !== 'failed')) {
    say(
      `  DELETE /api/v1/test_helpers/test_clocks/${id}\n         ${safeLine(name ?? 'no name')}, ${status}, at ${minute(time)}`,
    );
  }
}

function showHowToEnd({ pid, dataDir }: NonNullable<Service['own']>, baseUrl: string): void {
  say(`\nThe service stays up at ${baseUrl}, its keys are in ${dataDir}/development.json.`);
  say(`Run the demo on it again:  npm run demo -- --keys ${dataDir}/development.json`);
  say(`End it:                    kill ${pid}`);
}

/** The first Ctrl-C lets the demo remove what it made; a later one does not wait for that. */
function listenForSignals(): AbortSignal {
  const interruption = new AbortController();
  let firstAt: number | null = null;
  const onSignal = (signal: NodeJS.Signals) => {
    firstAt ??= performance.now();
    if (!interruption.signal.aborted) {
      say(`\n${signal}: clearing away`);
      interruption.abort();
    } else if (performance.now() - firstAt > repeatAfterMs) {
      process.exit(interrupted);
    }
  };
  for (const name of ['SIGINT', 'SIGTERM', 'SIGHUP'] as const) process.on(name, onSignal);
  return interruption.signal;
}

function failed(error: unknown): number {
  if (error instanceof UsageError) printError(`${error.message}\nnpm run demo -- --help shows the options.`);
  else if (error instanceof Error && error.name === 'AbortError') return interrupted;
  else if (error instanceof ApiError) printError(`\nFAILED: ${describeApiError(error)}`);
  else printError(`\nFAILED: ${safeLine(error instanceof Error ? error.message : String(error))}`);
  return 1;
}

process.exitCode = await main().catch(failed);
// With --keep the service is a child that lives on: it must not be waited for.
process.exit();
