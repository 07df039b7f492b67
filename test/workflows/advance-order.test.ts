import assert from 'node:assert/strict';
import { setTimeout as pause } from 'node:timers/promises';
import { eventually } from '../../lab/eventually.ts';
import { useDebtor } from '../support/debtor.ts';
import type { Merchant } from '../support/merchant.ts';
import { searchRuns, searchSeed } from '../support/search.ts';
import { useService } from '../support/service.ts';
import { worldOf } from '../worlds/random-world.ts';
import { tell } from '../worlds/telling.ts';
import { inOneAdvance } from '../worlds/ways.ts';
import { startOf } from '../worlds/world.ts';

const runs = 2;
/** How many random worlds are told twice each, the second time with workers that are killed. */
const worlds = searchRuns(1);
const killEveryMs = 1_500;
/** Thursday. Nothing of the scenario is due on it: what an activation charges at once belongs to no advance. */
const frozen = '2027-01-28T00:00:00.000Z';
/** As far as one advance may go: two of the shortest periods. */
const end = '2027-02-11T00:00:00.000Z';

describe('the events of an advance', function () {
  this.timeout(300_000 + (runs + worlds) * 30_000);
  const service = useService({ isAlone: true });

  /** Nine plans, three bank debits and two subscriptions on a clock of their own. Many fall due at one instant. */
  async function scenario(merchant: Merchant) {
    const { clock, payer } = await merchant.payerOnClock(frozen);
    const debtor = useDebtor({ request: merchant.request, merchant });
    const { client } = merchant;
    const names = new Map([[clock.id, 'clock']]);
    for (let index = 0; index < 9; index++) {
      const { id } = await merchant.activePlan({
        customer_id: payer.id,
        start_date: index % 2 === 0 ? '2027-02-01' : '2027-02-02',
        frequency_type: index % 3 === 0 ? 'monthly' : 'weekly',
        ...(index === 4 ? { metadata: { _sandbox_outcome: 'succeed,decline,decline,succeed' } } : {}),
        ...(index === 7
          ? { failure_behaviour: 'stop' as const, metadata: { _sandbox_outcome: 'succeed,decline' } }
          : {}),
      });
      names.set(id, `plan ${index}`);
    }
    const customer = await merchant.customer({ test_clock: clock.id });
    const account = await debtor.account(customer.id);
    names.set((await debtor.active({ payment_method_id: account })).id, 'mandate');
    for (let index = 0; index < 3; index++) {
      const outcomes = ['settled', 'dishonoured,settled', 'late_dishonour'][index] ?? '';
      const { id } = await merchant.activePlan({
        customer_id: customer.id,
        start_date: '2027-02-01',
        frequency_type: 'monthly',
        metadata: { _sandbox_bank_outcome: outcomes },
      });
      names.set(id, `debited plan ${index}`);
    }
    for (let index = 0; index < 2; index++) {
      const { id } = await client.subscriptions.create({
        customer_id: payer.id,
        name: `Subscription ${index}`,
        currency: 'AUD',
        frequency_type: 'monthly',
        start_date: '2027-02-01',
        items: [{ name: 'Membership', unit_amount_cents: 3000 }],
      });
      names.set(id, `subscription ${index}`);
      await client.subscriptions.start(id);
    }
    return { clock: clock.id, names };
  }

  /** Each event of the clock from the first advance on: when, what, and of which object of the scenario. */
  async function told(merchant: Merchant, { clock, names }: { clock: string; names: Map<string, string> }) {
    const events = await merchant.client.events.list({ test_clock: clock, limit: 100 }).toArray();
    const inOrder = events.reverse();
    const first = inOrder.findIndex(({ event_type: type }) => type === 'test_clock.advancing');
    return inOrder.slice(first).map(({ created_at: at, event_type: type, data }) => {
      if (type.startsWith('payout.')) return `${at} ${type} of ${(data as { paid_out_on: string }).paid_out_on}`;
      const shown = data as { id: string; payment_plan_id?: string | null; subscription_id?: string | null };
      const owner = shown.payment_plan_id ?? shown.subscription_id ?? shown.id;
      return `${at} ${type} ${names.get(owner) ?? owner}`;
    });
  }

  it('come in the order of customer time, the same in every run', async () => {
    const stories: string[][] = [];
    for (let run = 0; run < runs; run++) {
      const merchant = await service.merchant();
      const here = await scenario(merchant);
      await merchant.advance(here.clock, end);
      stories.push(await told(merchant, here));
    }
    const [story = [], ...others] = stories;
    for (const other of others) assert.deepEqual(other, story);
    const [advancing, ...effects] = story;
    assert.match(advancing ?? '', /test_clock\.advancing clock$/);
    assert.match(effects.at(-1) ?? '', /test_clock\.ready clock$/);
    assert.ok(effects.length > 30, `${effects.length} events`);
    const instants = effects.map((line) => line.slice(0, 24));
    assert.deepEqual(instants, instants.toSorted());
  });

  it('are the same if workers are killed in the middle of it', async () => {
    const merchant = await service.merchant();
    const undisturbed = await scenario(merchant);
    await merchant.advance(undisturbed.clock, end);
    const story = await told(merchant, undisturbed);

    const here = await scenario(merchant);
    await service.stopWorkers();
    await service.stopDispatcher();
    let worker = await service.startWorkerProcess();
    await merchant.beginAdvance(here.clock, end);
    for (const share of [0.2, 0.6]) {
      const enough = Math.floor(story.length * share);
      await eventually('the advance is under way', async () => (await told(merchant, here)).length > enough);
      worker.child.kill('SIGKILL');
      worker = await service.startWorkerProcess();
    }
    assert.equal((await merchant.stopped(here.clock, 120_000)).status, 'ready');
    assert.deepEqual(await told(merchant, here), story);
  });

  /** The events of the advances of a random world: when, what and of which object, customers among each other too. */
  async function toldOfWorld(seed: string): Promise<string[]> {
    const world = { ...worldOf(seed), actions: [] };
    const place = { url: service.url, sql: service.db.sql, vault: service.vault };
    const { happenings, faults } = await tell(place, world, inOneAdvance);
    assert.deepEqual(faults, []);
    // What is due when a subject is made is charged at once, and belongs to no advance.
    const ofAdvances = happenings.filter(({ at }) => Date.parse(at) > startOf(world));
    return ofAdvances.map(({ at, type, subject, customer }) => `${at} ${type} ${subject} of ${customer}`);
  }

  /** Kills the one worker process every so often while `work` runs, and starts another. */
  async function withKills<T>(work: () => Promise<T>): Promise<T> {
    await service.stopWorkers();
    await service.stopDispatcher();
    let worker = await service.startWorkerProcess();
    const ending = new AbortController();
    const killing = (async () => {
      for (;;) {
        await pause(killEveryMs, undefined, { signal: ending.signal }).catch(() => {});
        if (ending.signal.aborted) return;
        worker.child.kill('SIGKILL');
        worker = await service.startWorkerProcess();
      }
    })();
    try {
      return await work();
    } finally {
      ending.abort();
      await killing;
      worker.child.kill('SIGKILL');
      service.startDispatcher();
      await service.startWorkers();
    }
  }

  it('are in the same order in a second run of a random world in which workers are killed', async () => {
    const lengths: number[] = [];
    for (let nth = 1; nth <= worlds; nth += 1) {
      const name = `${searchSeed}/${nth}`;
      const first = await toldOfWorld(name);
      assert.deepEqual(await withKills(() => toldOfWorld(name)), first, `world ${name}, with killed workers`);
      const instants = first.map((line) => line.slice(0, 24));
      assert.deepEqual(instants, instants.toSorted(), `world ${name}`);
      lengths.push(first.length);
    }
    console.log(`      ${lengths.join(', ')} events, SEARCH_SEED=${searchSeed}`);
  });
});
