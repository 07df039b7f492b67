import assert from 'node:assert/strict';
import { join } from 'node:path';
import pino from 'pino';
import { chanceOf } from '../../lab/random.ts';
import { seededFaults } from '../../lab/stripe-rig/fault-proxy.ts';
import { type StripeRig, startStripeRig } from '../../lab/stripe-rig/rig.ts';
import { rigKey } from '../../lab/stripe-rig/servers.ts';
import { openAccounts, writeAccount } from '../../processors/stripe/accounts.ts';
import { openMovements } from '../../processors/stripe/movements.ts';
import { ensureSchema } from '../../processors/stripe/schema.ts';
import { useFolder } from '../runtime/support.ts';
import { needsPrograms } from '../stripe-rig/support.ts';
import { useDatabase } from '../support/database.ts';
import { searchMs, searchRuns, searchSeed } from '../support/search.ts';
import { playSchedule, type Told } from './schedule.ts';
import { account, sealingKeys } from './support.ts';

const schedules = searchRuns(100);
const seed = searchSeed;
/** localstripe is a new one for so many: its lists become slow. */
const batch = 200;
const atOnce = 8;

interface Moved {
  kind: string;
  idempotency_key: string;
  amount: number;
}

describe('payments by Stripe under seeded faults', function () {
  this.timeout(300_000 + 20 * searchMs);
  needsPrograms('localstripe', 'stripe-mock');
  const folder = useFolder();
  const database = useDatabase(20, { isDamaged: true });

  before('have an account', async () => {
    await ensureSchema(database.sql);
    await writeAccount(database.sql, sealingKeys, { account, livemode: false }, { key: rigKey, by: 'test' });
    // The reservations of the service are committed here without its attempts.
    await database.sql`alter table payment_reservations drop constraint payment_reservations_attempt_id_fkey`;
  });

  /** A reader of the list as the service is one, from its own cursor on. */
  function openReader(rig: StripeRig) {
    const accounts = openAccounts(database.sql, sealingKeys, rig.url);
    const seen: Moved[] = [];
    let after: string | null = null;
    const movements = openMovements({ db: database.sql, accounts, logger: pino({ level: 'silent' }) });
    const read = async () => {
      for (let more = true; more; ) {
        const { body } = await movements({ livemode: false, after });
        seen.push(...(body.movements as Moved[]));
        after = String(body.cursor);
        more = body.has_more === true;
      }
    };
    return { seen, read };
  }

  async function play(rig: StripeRig, from: number, count: number): Promise<Told[]> {
    await database.sql`delete from processor_stripe.movements`;
    await database.sql`delete from processor_stripe.cursors`;
    const [reader, whole] = [openReader(rig), openReader(rig)];
    for (const each of [reader, whole]) await each.read();
    rig.faults.choose(seededFaults(chanceOf(`${seed}/reader ${from}`), 0.2));
    let isOver = false;
    const reading = (async () => {
      while (!isOver) {
        await reader.read().catch(() => {});
        await new Promise((resolve) => setTimeout(resolve, 500));
      }
    })();
    const told: Told[] = [];
    let next = from;
    const lane = async () => {
      while (next < from + count) told.push(await playSchedule({ rig, sql: database.sql }, `${seed}/${next++}`));
    };
    try {
      await Promise.all(Array.from({ length: atOnce }, lane));
    } finally {
      isOver = true;
      await reading;
    }
    rig.faults.choose(null);
    for (const each of [reader, whole]) await each.read();
    await judge(rig, told, reader.seen, whole.seen);
    return told;
  }

  /** localstripe's store decides what is right. */
  async function judge(rig: StripeRig, told: Told[], read: Moved[], list: Moved[]): Promise<void> {
    const store = await rig.judge();
    for (const { name, attemptId, outcomes, refunds, story, hadPerson } of told) {
      const what = (words: string) => `${name} (${attemptId}): ${words}: ${story.join('; ')}`;
      const isOfIt = ([key]: [string, number]) => key.split('.')[0] === attemptId;
      const taken = [...store.successesOfAttempt].filter(isOfIt).reduce((sum, [, times]) => sum + times, 0);
      assert.equal(outcomes.size, 1, what(`told ${[...outcomes].join(' and ')}`));
      assert.equal(taken, outcomes.has('succeeded') ? 1 : 0, what(`told ${[...outcomes]}, taken ${taken} times`));
      for (const { key, amount, outcomes: said } of refunds) {
        const given = [store.refunds.get(key) ?? 0, store.refunded.get(key) ?? 0];
        assert.equal(said.size, 1, what(`refund told ${[...said].join(' and ')}`));
        assert.deepEqual(given, said.has('succeeded') ? [1, amount] : [0, 0], what(`refund told ${[...said]}`));
      }
      if (hadPerson) continue;
      const reservations = await database.sql<{ reference: string }[]>`
        select reference from payment_reservations where attempt_id = ${attemptId} and reference is not null`;
      for (const { reference } of reservations)
        assert.ok(!rig.bridge.confirmedAgain.has(reference), what('confirmed again after a charge'));
    }
    for (const [intent, times] of store.successes) assert.equal(times, 1, `${seed}: ${intent} was charged twice`);
    assert.deepEqual([...store.openAfterDecline], [], `${seed}: declined intents that are not canceled`);
    const inStore = [...store.takenForAttempt, ...store.refunded].map(String).sort();
    const asText = (all: Moved[], isBooked = false) =>
      all
        .filter(({ kind }) => (kind === 'settlement') === isBooked)
        .map((each) => `${each.idempotency_key},${Math.abs(each.amount)}`)
        .sort();
    assert.deepEqual(asText(list), inStore, `${seed}: the list has what the store has, each once`);
    assert.deepEqual([...new Set(asText(read))], inStore, `${seed}: the list was read while it grew`);
    assert.deepEqual(asText(list, true), inStore, `${seed}: the books have each of them once`);
    assert.deepEqual(await rig.shadow.complaints(), []);
  }

  it('are made once or not at all, told as they are, given back once, and listed', async () => {
    const all: Told[] = [];
    for (let from = 0; from < schedules; from += batch) {
      const rig = await startStripeRig(join(folder.path, String(from)));
      try {
        all.push(...(await play(rig, from, Math.min(batch, schedules - from))));
      } finally {
        await rig.stop();
      }
    }
    const seen = new Set(all.flatMap(({ outcomes }) => [...outcomes]));
    assert.deepEqual([...seen].sort(), ['failed', 'succeeded'], 'both were seen');
    assert.ok(all.some(({ refunds }) => refunds.length > 0));
  });
});
