import { ApiError } from '../errors.ts';
import type { TestClock } from '../generated/models.ts';
import { pause } from '../pause.ts';
import { type CliContext, type Command, CommandFailure, exactly, parse, UsageError, wholeNumber } from './command.ts';
import { effectRow, effectsHeading } from './effects.ts';
import { parseInstant } from './instants.ts';
import { columns, print, printJson, printNote } from './terminal.ts';

const usage = `Usage: payments clock create [--at INSTANT] [--name NAME] [--json]
       payments clock list [--json]
       payments clock advance CLOCK TARGET [--wait SECONDS] [--json]
       payments clock watch CLOCK [--until-ready] [--wait SECONDS] [--json]
       payments clock delete CLOCK [--json]

create   makes a clock; its time is now, or --at.
advance  moves a clock to TARGET. A move beyond the bound of one advance is made in several. The effects of each are
         shown when it is complete. It ends when the clock is ready and its webhooks have been delivered.
watch    shows the effects of each advance, until the clock is deleted; with --until-ready until the clock is ready and
         its webhooks have been delivered.
delete   deletes a clock with all its customers and their objects.

INSTANT and TARGET are 2028-03-01, 2028-03-01T09:00:00Z, or from the clock's time +90m, +12h, +14d, +2w, +3mo, +1y.
--wait is how long webhooks that are not delivered yet are waited for: 60 seconds, and 0 for not at all. Status 1 means
that the clock has failed, or that a webhook was not delivered.`;

const lookAgainAfterMs = 250;
/** How often progress is shown while a clock advances. */
const progressSeconds = 2;
const defaultWaitSeconds = '60';
const json = { json: { type: 'boolean', default: false } } as const;

async function run([word, ...args]: string[], connect: () => CliContext): Promise<number> {
  if (word === 'create') return create(args, connect);
  if (word === 'list') return list(args, connect);
  if (word === 'advance') return advance(args, connect);
  if (word === 'watch') return watch(args, connect);
  if (word === 'delete') return remove(args, connect);
  throw new UsageError(
    word === undefined ? 'Use create, list, advance, watch or delete.' : `There is no "clock ${word}".`,
  );
}

async function create(args: string[], connect: () => CliContext): Promise<number> {
  const { values, positionals } = parse(args, { ...json, at: { type: 'string' }, name: { type: 'string' } });
  exactly(positionals);
  const now = new Date();
  const at = values.at === undefined ? now : parseInstant(values.at, now);
  const clock = await connect().payments.testClocks.create({ frozen_time: at.toISOString(), name: values.name });
  if (values.json) printJson(clock);
  else print(rowOf(clock));
  return 0;
}

async function list(args: string[], connect: () => CliContext): Promise<number> {
  const { values, positionals } = parse(args, json);
  exactly(positionals);
  for await (const clock of connect().payments.testClocks.list({ limit: 100 })) {
    if (values.json) printJson(clock);
    else print(rowOf(clock));
  }
  return 0;
}

async function remove(args: string[], connect: () => CliContext): Promise<number> {
  const { values, positionals } = parse(args, json);
  const [id = ''] = exactly(positionals, 'CLOCK');
  const deleted = await connect().payments.testClocks.delete(id);
  if (values.json) printJson(deleted);
  else print(`${id} is deleted.`);
  return 0;
}

async function advance(args: string[], connect: () => CliContext): Promise<number> {
  const backwards = args.find((word) => /^-\d/.test(word));
  if (backwards !== undefined) {
    throw new UsageError(`A clock only moves forward: write +${backwards.slice(1)}, not ${backwards}.`);
  }
  const { values, positionals } = parse(args, { ...json, wait: { type: 'string', default: defaultWaitSeconds } });
  const [id = '', to = ''] = exactly(positionals, 'CLOCK', 'TARGET');
  const waitMs = wholeNumber('wait', values.wait, 0) * 1000;
  const context = connect();
  const { testClocks } = context.payments;
  let now = await testClocks.waitUntilReady(id, { signal: context.signal });
  const failedBefore = now.webhook_deliveries.failed;
  const from = Date.parse(now.frozen_time);
  const target = parseInstant(to, new Date(from));
  if (target.getTime() <= from) throw new CommandFailure(`The clock is at ${now.frozen_time} and only moves forward.`);

  const shown = new EffectsShown(context, id, values.json);
  shown.skip(now);
  while (Date.parse(now.frozen_time) < target.getTime()) {
    const bound = now.max_frozen_time === null ? target : new Date(now.max_frozen_time);
    const step = new Date(Math.min(bound.getTime(), target.getTime()));
    await testClocks.advance(id, { frozen_time: step.toISOString() }, { signal: context.signal });
    now = await shown.untilReady();
    const share = Math.round((100 * (Date.parse(now.frozen_time) - from)) / (target.getTime() - from));
    if (!values.json) printNote(`${now.frozen_time}  ${share} %`);
  }
  return finish(context, now, { failedBefore, waitMs, isJson: values.json });
}

async function watch(args: string[], connect: () => CliContext): Promise<number> {
  const { values, positionals } = parse(args, {
    ...json,
    'until-ready': { type: 'boolean', default: false },
    wait: { type: 'string', default: defaultWaitSeconds },
  });
  const [id = ''] = exactly(positionals, 'CLOCK');
  const waitMs = wholeNumber('wait', values.wait, 0) * 1000;
  const context = connect();
  const clock = await context.payments.testClocks.get(id);
  const failedBefore = clock.webhook_deliveries.failed;
  const shown = new EffectsShown(context, id, values.json);
  if (clock.status !== 'advancing') shown.skip(clock);
  if (!values.json) printNote(rowOf(clock));
  if (values['until-ready'])
    return finish(context, await shown.untilReady(), { failedBefore, waitMs, isJson: values.json });
  try {
    for (;;) {
      await shown.untilReady();
      await pause(lookAgainAfterMs, context.signal);
    }
  } catch (error) {
    if (!(error instanceof ApiError && error.status === 404)) throw error;
    if (!values.json) printNote(`${id} is deleted.`);
    return 0;
  }
}

/**
 * Shows the effects of a clock's advances, as a table or as lines of JSON: those of an advance when it is complete,
 * because only then their order is known.
 */
class EffectsShown {
  readonly #context: CliContext;
  readonly #id: string;
  readonly #isJson: boolean;
  /** The advance whose effects were shown last. */
  #shown: string | null = null;
  #isBegun = false;

  constructor(context: CliContext, id: string, isJson: boolean) {
    this.#context = context;
    this.#id = id;
    this.#isJson = isJson;
  }

  /** Passes over the effects of the advances so far. */
  skip({ last_advance }: TestClock): void {
    this.#shown = last_advance?.id ?? null;
  }

  /** Waits while the clock is advancing, and shows the effects. @throws CommandFailure if it has failed. */
  async untilReady(): Promise<TestClock> {
    const { payments, signal } = this.#context;
    const begun = performance.now();
    for (;;) {
      const clock = await payments.testClocks.get(this.#id, { signal, waitSeconds: progressSeconds });
      const advance = clock.last_advance;
      if (clock.status !== 'advancing') {
        if (advance !== null && advance.id !== this.#shown) await this.#show(advance.id);
        if (clock.status === 'failed') throw new CommandFailure(`The clock has failed: ${clock.failure_reason}`);
        return clock;
      }
      const seconds = Math.round((performance.now() - begun) / 1000);
      if (!this.#isJson && seconds > 0) printNote(`advancing to ${advance?.target_time}, ${seconds} s`);
      await pause(lookAgainAfterMs, signal);
    }
  }

  async #show(advance: string): Promise<void> {
    const { payments, signal } = this.#context;
    this.#shown = advance;
    const query = { advance_id: advance, limit: 100 };
    for await (const effect of payments.testClocks.listEffects(this.#id, query, { signal })) {
      if (!this.#isBegun && !this.#isJson) print(effectsHeading);
      this.#isBegun = true;
      if (this.#isJson) printJson(effect);
      else print(effectRow(effect));
    }
  }
}

/** Waits until no webhook of the clock is pending, and shows the counts. Returns the exit status. */
async function finish(
  { payments, signal }: CliContext,
  clock: TestClock,
  { failedBefore, waitMs, isJson }: { failedBefore: number; waitMs: number; isJson: boolean },
): Promise<number> {
  const giveUpAt = performance.now() + waitMs;
  let now = clock;
  for (let told = -1; ; ) {
    const { pending } = now.webhook_deliveries;
    if (pending === 0 || performance.now() >= giveUpAt) break;
    if (pending !== told && !isJson) printNote(`${pending} webhooks are on their way.`);
    told = pending;
    await pause(lookAgainAfterMs, signal);
    now = await payments.testClocks.get(clock.id, { signal });
  }
  const { pending, delivered, failed } = now.webhook_deliveries;
  if (isJson) printJson(now);
  else
    print(
      `${now.id} is ${now.status} at ${now.frozen_time}. Webhooks: ${delivered} delivered, ${failed} failed, ${pending} pending.`,
    );
  return failed > failedBefore || (pending > 0 && waitMs > 0) ? 1 : 0;
}

function rowOf({ id, status, frozen_time, name }: TestClock): string {
  return columns([[id, status, frozen_time, name ?? '']], [36, 9, 24]);
}

export const clock: Command = { usage, run };
