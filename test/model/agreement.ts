import assert from 'node:assert/strict';
import type { Reply } from '../support/api.ts';
import { completeAdvance, shownClock } from './clocks.ts';
import { collectAtOnce } from './collecting.ts';
import type { Deed } from './deed.ts';
import { isOfPayout, look, namePayments } from './look.ts';
import { answerOf, requestOf } from './model.ts';
import { comparable, Names } from './names.ts';
import type { Step } from './steps.ts';
import { isGone, newWorld, type World } from './world.ts';

/** The service, as one biller sees it and as time passes for it. */
export interface Reality {
  request(method: string, path: string, body?: unknown): Promise<Reply>;
  /** Resolves when nothing is due where the clocks stand. */
  settle(): Promise<void>;
  /** Resolves when the advance that a clock has accepted is done. */
  carryOut(clockId: string): Promise<void>;
}

export interface Sequence {
  /** Of the biller. */
  zone: string;
  steps: Step[];
}

/** The two of them, side by side. */
export interface Pair {
  world: World;
  reality: Reality;
  names: Names;
}

/**
 * Takes the steps in the model and in the service, and holds each answer of the service, and all that can be read of it
 * at the end, against the model.
 * @throws AssertionError that begins with the step at which the two differ.
 */
export async function assertAgree({ zone, steps }: Sequence, reality: Reality): Promise<World> {
  const realNow = Date.now();
  const pair: Pair = { world: newWorld(zone, realNow), reality, names: new Names(realNow) };
  for (const [index, step] of steps.entries()) {
    await saying(`step ${index}, ${JSON.stringify(step)}`, async () => {
      await take(pair, step);
    });
  }
  await saying('after all steps', () => look(pair));
  return pair.world;
}

async function take(pair: Pair, step: Step): Promise<void> {
  if (step.do === 'look') return look(pair);
  const { world, reality } = pair;
  const deed = requestOf(world, step);
  if (deed === null) return;
  const reply = await assertAnswered(pair, deed);
  if (step.do === 'advance' && reply.status === 202) await advance(pair, deed, step);
  collectAtOnce(world);
  await reality.settle();
}

async function assertAnswered(pair: Pair, deed: Deed): Promise<Reply> {
  const { reality, names } = pair;
  await nameWhatIsMeant(pair, deed);
  const path = names.path(deed.path);
  const body = deed.body === undefined ? undefined : names.body(deed.body);
  const { body: expected, ...told } = answerOf(deed);
  const reply = await reality.request(deed.method, path, body);
  const error = reply.body?.error ?? null;
  const details: { path?: string; code: string }[] = error?.details ?? [];
  // Beside other errors the service also names ids that do not exist. The model looks none up before the form is right.
  const isBeside = details.some(({ code }) => code !== 'resource_missing');
  const paths = details
    .filter(({ path = '', code }) => !isBeside || code !== 'resource_missing' || told.paths.includes(path))
    .map(({ path = '' }) => path);
  const extra = error?.max_frozen_time === undefined ? {} : { max_frozen_time: error.max_frozen_time };
  const answered = { status: reply.status, code: error?.code ?? null, paths: [...new Set(paths)].sort(), extra };
  assert.deepEqual(answered, told, `${deed.method} ${deed.path} answered ${reply.text}, not ${JSON.stringify(told)}`);
  const id = reply.body?.id ?? reply.body?.payment_method?.id;
  if (deed.makes !== undefined && reply.status < 300) names.learn(deed.makes, id);
  if (expected !== undefined) {
    const shown = names.told(withoutPayouts(reply.body));
    assert.deepEqual(deed.path.startsWith('/customers') ? knownOf(shown) : shown, comparable(expected));
  }
  return reply;
}

/** A dry run without the effects that the model does not know. */
function withoutPayouts(body: { effects?: { event_type: string }[] }): object {
  if (!Array.isArray(body?.effects)) return body;
  return { ...body, effects: body.effects.filter(({ event_type: type }) => !isOfPayout(type)) };
}

/**
 * A request about payments of plans needs their ids, which the plans' lists of payments alone tell, while there are
 * any.
 */
async function nameWhatIsMeant(pair: Pair, { method, path, body }: Deed): Promise<void> {
  const { world, names } = pair;
  const areAllMeant = body?.dry_run === true || method === 'DELETE';
  const isMeant = (name: string) => areAllMeant || path.split('/').includes(name);
  const unknown = world.intents.filter((intent) => !names.knows(intent.name) && !isGone(intent));
  const plans = unknown.flatMap(({ name, plan }) => (plan !== null && isMeant(name) ? [plan] : []));
  for (const plan of new Set(plans)) await namePayments(pair, plan);
}

/** What the model knows of a customer. */
export function knownOf(customer: unknown): object {
  const { id, fee_preferences, default_payment_method, test_clock, created_at, deleted_at } = customer as Record<
    string,
    unknown
  >;
  const fees = fee_preferences ?? { customer_pays_transaction_fees: false };
  return { created_at, default_payment_method, deleted_at, fee_preferences: fees, id, test_clock };
}

async function advance(pair: Pair, deed: Deed, step: Step & { do: 'advance' }): Promise<void> {
  const { world, reality, names } = pair;
  const clock = world.clocks.find(({ name }) => deed.path.split('/').includes(name));
  if (clock?.advance == null) throw new Error('an advance was accepted that was not requested');
  const { name } = clock.advance;
  const path = names.path(`/test_helpers/test_clocks/${clock.name}`);
  const { body } = await reality.request('GET', path);
  names.learn(name, body.last_advance.id);
  // Where Temporal carries it out, it may be ready by now; it is looked at once more when it is.
  if (body.status === 'advancing') assert.deepEqual(names.told(body), comparable(shownClock(world, clock)));
  for (const other of step.meanwhile ?? []) await take(pair, other);
  if (clock.isDeleted) return;
  completeAdvance(world, clock);
  await reality.carryOut(body.id);
}

async function saying(what: string, work: () => Promise<void>): Promise<void> {
  try {
    await work();
  } catch (error) {
    if (error instanceof Error) error.message = `${what}: ${error.message}`;
    throw error;
  }
}
