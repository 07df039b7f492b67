import assert from 'node:assert/strict';
import { describe, it } from 'mocha';
import type { ClockEffect, DryRun } from '../../src/resources/clock-effect.ts';
import { frozen, usePayer } from '../support/payer.ts';
import { refusal } from '../support/stage.ts';

const clocks = '/test_helpers/test_clocks';
const inDays = (days: number) => new Date(Date.parse(frozen) + days * 86_400_000).toISOString();

/** Fails at the due date and a day later, then succeeds. */
const troubled = { metadata: { _sandbox_outcome: 'decline,decline,succeed' } };

/** An effect in one line: when, what, and what has changed. */
function line(effect: ClockEffect): string {
  const day = effect.at.slice(0, 10);
  if (effect.object === 'payment_plan') return `${day} plan ${effect.changes.state} (${effect.changes.state_reason})`;
  if (effect.object === 'mandate') return `${day} mandate ${effect.changes.status} (${effect.changes.status_reason})`;
  if (effect.object === 'subscription') return `${day} subscription ${effect.changes.state}`;
  if (effect.object !== 'payment_intent') return `${day} ${effect.object} ${effect.changes.status}`;
  const { status, attempt, next_attempt_at } = effect.changes;
  const again = next_attempt_at === null ? '' : `, again ${next_attempt_at.slice(0, 10)}`;
  return `${day} slot ${effect.slot} of ${effect.due_date} ${status}, attempt ${attempt}${again}`;
}

/** What an effect shows beside the names that only a real advance can give. */
function unnamed({ advance_id, event_id, object_id, ...rest }: ClockEffect) {
  return rest;
}

describe('the effects of a clock’s advances', () => {
  const here = usePayer();
  const { stage } = here;
  const list = async (query = ''): Promise<ClockEffect[]> => {
    const { status, body } = await stage.request('GET', `${clocks}/${here.clock}/effects${query}`);
    assert.equal(status, 200);
    return body.data;
  };

  it('are listed in the order of the clock’s time, each with its object, what has changed, and its event', async () => {
    const plan = await here.active({ start_date: '2027-01-12', ...troubled, total_amount_cents: 2000 });
    await here.advance(inDays(14));
    const effects = await list();
    assert.deepEqual(effects.map(line), [
      '2027-01-12 slot 0 of 2027-01-12 failed, attempt 1, again 2027-01-13',
      '2027-01-13 slot 0 of 2027-01-12 failed, attempt 2, again 2027-01-15',
      '2027-01-15 slot 0 of 2027-01-12 succeeded, attempt 3',
      '2027-01-19 payout in_transit',
      '2027-01-19 payout in_transit',
      '2027-01-19 slot 1 of 2027-01-19 failed, attempt 1, again 2027-01-20',
      '2027-01-20 payout paid',
      '2027-01-20 slot 1 of 2027-01-19 failed, attempt 2, again 2027-01-22',
      '2027-01-22 slot 1 of 2027-01-19 succeeded, attempt 3',
      '2027-01-22 plan closed (total_collected)',
    ]);
    const events = await stage.merchant.events({ test_clock: here.clock });
    for (const effect of effects) {
      const event = events.find(({ id }) => id === effect.event_id);
      assert.deepEqual(
        [event?.event_type, event?.created_at, event?.data.id],
        [effect.event_type, effect.at, effect.object_id],
      );
    }
    const [failed] = effects;
    assert.ok(failed?.object === 'payment_intent');
    assert.deepEqual([failed.payment_plan_id, failed.changes.last_payment_error?.code], [plan, 'insufficient_funds']);
    const closed = effects.at(-1);
    assert.ok(closed?.object === 'payment_plan');
    assert.deepEqual(closed.changes, {
      state: 'closed',
      state_reason: 'total_collected',
      collected_amount_cents: 2000,
      next_payment_date: null,
      next_attempt_at: null,
    });
  });

  it('are those of the advances alone: what requests do between them, at the very same instants, is not among them', async () => {
    await here.active({ start_date: '2027-01-10' });
    await here.advance(inDays(7));
    const plan = await here.active({ start_date: '2027-01-17' });
    await here.move(plan, 'suspend');
    await here.advance(inDays(13));
    const effects = (await list()).filter(({ object }) => object !== 'payout');
    assert.deepEqual(effects.map(line), ['2027-01-17 slot 1 of 2027-01-17 succeeded, attempt 1']);
    const { last_advance } = await stage.merchant.getClock(here.clock);
    assert.notEqual(effects[0]?.advance_id, last_advance?.id);
  });

  it('are told apart by advance, and page by page in the same order', async () => {
    await here.active({ start_date: '2027-01-11' });
    await here.active({ start_date: '2027-01-12' });
    await here.advance(inDays(9));
    const first = (await stage.merchant.getClock(here.clock)).last_advance?.id;
    await here.advance(inDays(16));
    const second = (await stage.merchant.getClock(here.clock)).last_advance?.id;
    const all = await list();
    const of = (id: string | undefined) => all.filter(({ advance_id }) => advance_id === id);
    const payments = [first, second].map((id) => of(id).filter(({ object }) => object === 'payment_intent').length);
    assert.deepEqual(payments, [4, 2]);
    assert.deepEqual([...of(first), ...of(second)], all);
    assert.deepEqual(await list(`?advance_id=${second}`), of(second));
    assert.deepEqual(await list('?advance_id=adv_none'), []);
    const paged: ClockEffect[] = [];
    for (;;) {
      const after = paged.length > 0 ? `&starting_after=${paged.at(-1)?.event_id}` : '';
      const { body } = await stage.request('GET', `${clocks}/${here.clock}/effects?limit=4${after}`);
      paged.push(...body.data);
      if (!body.has_more) break;
    }
    assert.deepEqual(paged, all);
  });

  it('name no plan for a scheduled payment', async () => {
    const input = { amount: 1000, currency: 'AUD' as const, customer_id: here.customer, payment_method: here.card };
    const intent = await stage.merchant.intent({ ...input, scheduled_payment_date: '2027-01-13' });
    await here.advance(inDays(5));
    const [effect, ...others] = await list();
    assert.deepEqual([...new Set(others.map(({ object }) => object))], ['payout']);
    assert.ok(effect?.object === 'payment_intent');
    assert.deepEqual(
      [effect.object_id, effect.at, effect.payment_plan_id, effect.slot, effect.changes.attempt],
      [intent.id, '2027-01-13T00:00:00.000Z', null, null, 1],
    );
  });

  it('are visible to no other biller, and an unknown cursor is 400', async () => {
    const { merchant } = await stage.stranger();
    refusal(await merchant.request('GET', `${clocks}/${here.clock}/effects`), 404, 'resource_missing');
    refusal(await stage.request('GET', `${clocks}/${here.clock}/effects?starting_after=evt_x`), 400);
  });
});

describe('a dry run of an advance', () => {
  const here = usePayer();
  const { stage } = here;
  const ask = (target: string, extra: object = { dry_run: true }) =>
    stage.request('POST', `${clocks}/${here.clock}/advance`, { frozen_time: target, ...extra });
  const dryRun = async (target: string): Promise<DryRun> => {
    const { status, body } = await ask(target);
    assert.equal(status, 200, JSON.stringify(body));
    return body;
  };
  /** Every row of the database, as text. */
  async function everything(): Promise<Record<string, string[]>> {
    const { sql } = stage.db;
    const tables = await sql<{ name: string }[]>`
      select tablename as name from pg_tables where schemaname = 'public' and tablename <> 'idempotency_keys'`;
    const contents = await Promise.all(
      tables.map(async ({ name }) => {
        const rows = await sql<{ row: string }[]>`select t::text as row from ${sql(name)} t order by 1`;
        return [name, rows.map(({ row }) => row)] as const;
      }),
    );
    return Object.fromEntries(contents);
  }

  it('answers the effects and the counts that the advance then has', async () => {
    await here.active({ start_date: '2027-01-12', ...troubled, total_amount_cents: 2000 });
    await here.active({ start_date: '2027-01-10', metadata: { _sandbox_outcome: 'succeed,requires_action' } });
    const stopped = { failure_behaviour: 'stop' as const, metadata: { _sandbox_outcome: 'decline' } };
    await here.active({ start_date: '2027-01-16', frequency_period: 2, ...stopped });
    const input = { amount: 1099, currency: 'AUD' as const, customer_id: here.customer, payment_method: here.card };
    const scheduled = await stage.merchant.intent({ ...input, scheduled_payment_date: '2027-01-13' });

    const told = await dryRun(inDays(14));
    assert.deepEqual(
      [told.id, told.dry_run, told.status, told.frozen_time, told.target_time],
      [here.clock, true, 'created', frozen, inDays(14)],
    );
    await here.advance(inDays(14));
    const { body } = await stage.request('GET', `${clocks}/${here.clock}/effects?limit=100`);
    const byInstant = (a: object, b: object) => (JSON.stringify(a) < JSON.stringify(b) ? -1 : 1);
    const truth: ClockEffect[] = body.data;
    assert.ok(truth.length >= 12, `only ${truth.length} effects`);
    assert.deepEqual(told.effects.map(unnamed).sort(byInstant), truth.map(unnamed).sort(byInstant));
    assert.deepEqual(
      told.effects.map(({ at }) => at),
      truth.map(({ at }) => at),
    );
    assert.deepEqual((await stage.merchant.getClock(here.clock)).last_advance?.effects_manifest, told.effects_manifest);
    assert.deepEqual(
      told.effects.map(({ advance_id, event_id }) => advance_id ?? event_id),
      told.effects.map(() => null),
    );
    assert.deepEqual(
      told.effects.flatMap((effect) => (effect.object === 'payment_intent' ? (effect.object_id ?? []) : [])),
      [scheduled.id],
    );
  });

  it('changes nothing, takes nothing and sends nothing, with an Idempotency-Key too', async () => {
    await here.active({ start_date: '2027-01-11' });
    await stage.merchant.endpoint('http://127.0.0.1:9/');
    const before = await everything();
    const charged = stage.ledger.requests.length;
    const { effects } = await dryRun(inDays(14));
    assert.equal(effects.filter(({ object }) => object === 'payment_intent').length, 2);
    const keyed = { key: stage.merchant.key, headers: { 'Idempotency-Key': 'dry-run' } };
    const body = { frozen_time: inDays(14), dry_run: true };
    const reply = await stage.api.send('POST', `/api/v1${clocks}/${here.clock}/advance`, { ...keyed, body });
    assert.deepEqual([reply.status, reply.body.effects], [200, effects]);
    assert.deepEqual(await everything(), before);
    assert.equal(stage.ledger.requests.length, charged);
  });

  it('is refused where the advance would be', async () => {
    const max = (await stage.merchant.getClock(here.clock)).max_frozen_time;
    assert.equal(max, inDays(62));
    refusal(await ask(inDays(63)), 422, 'advance_bound_exceeded');
    refusal(await ask(frozen), 422);
    await stage.merchant.beginAdvance(here.clock, inDays(1));
    refusal(await ask(inDays(2)), 422, 'invalid_state');
  });

  it('is not asked for by `dry_run: false`, and nothing but true and false is understood', async () => {
    assert.deepEqual(refusal(await ask(inDays(1), { dry_run: 'yes' }), 422), ['/dry_run invalid_type']);
    assert.equal((await ask(inDays(1), { dry_run: false })).status, 202);
    await stage.carryOut(here.clock);
    assert.equal((await stage.merchant.getClock(here.clock)).frozen_time, inDays(1));
  });
});

describe('a test clock shows', () => {
  const here = usePayer();
  const { stage } = here;

  it('how far one advance can take it: two of the shortest intervals of its active plans, and null while none can be made', async () => {
    const max = async () => (await stage.merchant.getClock(here.clock)).max_frozen_time;
    assert.equal(await max(), inDays(62));
    await here.active({ frequency_type: 'monthly', start_date: '2027-02-01' });
    assert.equal(await max(), inDays(60));
    const fortnightly = await here.active({ frequency_period: 2, start_date: '2027-02-01' });
    assert.equal(await max(), inDays(28));
    await here.move(fortnightly, 'suspend');
    assert.equal(await max(), inDays(60));
    await stage.merchant.beginAdvance(here.clock, inDays(60));
    assert.equal(await max(), null);
    await stage.carryOut(here.clock);
    assert.equal(await max(), inDays(120));
    assert.equal((await stage.request('GET', clocks)).body.data[0].max_frozen_time, inDays(120));
  });

  it('its last advance, with the manifest once it is complete', async () => {
    assert.equal((await stage.merchant.getClock(here.clock)).last_advance, null);
    await here.active({ start_date: '2027-01-11' });
    await stage.merchant.beginAdvance(here.clock, inDays(7));
    const underWay = (await stage.merchant.getClock(here.clock)).last_advance;
    assert.deepEqual(
      [underWay?.status, underWay?.from_time, underWay?.target_time, underWay?.effects_manifest, underWay?.finished_at],
      ['advancing', frozen, inDays(7), null, null],
    );
    await stage.carryOut(here.clock);
    const clock = await stage.merchant.getClock(here.clock);
    assert.deepEqual(clock.last_advance, {
      ...underWay,
      status: 'ready',
      effects_manifest: {
        payment_intents_enqueued: 1,
        links_expired: 0,
        subscriptions_rolled: 0,
        plans_recalculated: 1,
      },
      finished_at: clock.last_advanced_at,
      webhook_deliveries: { pending: 0, delivered: 0, failed: 0 },
    });
  });

  it('how many of its webhook deliveries are pending, delivered and failed', async () => {
    const counts = async () => (await stage.merchant.getClock(here.clock)).webhook_deliveries;
    assert.deepEqual(await counts(), { pending: 0, delivered: 0, failed: 0 });
    await stage.merchant.endpoint('http://127.0.0.1:9/');
    await here.active({ start_date: '2027-01-11' });
    await here.advance(inDays(7));
    // activated, advancing, succeeded, a payout created, reconciled and paid, ready
    assert.deepEqual(await counts(), { pending: 7, delivered: 0, failed: 0 });
    const { sql } = stage.db;
    const [one, other] = await sql<{ id: string }[]>`select id from webhook_deliveries order by id`;
    await sql`
      insert into webhook_delivery_attempts (delivery_id, number, at, status_code, duration_ms)
      values (${one?.id ?? ''}, 1, now(), 200, 5)`;
    await sql`
      update webhook_deliveries
      set status = 'delivered', attempt_count = 1, next_attempt_at = null, finished_at = now() where id = ${one?.id ?? ''}`;
    await sql`
      update webhook_deliveries set status = 'failed', failure_reason = 'x', next_attempt_at = null, finished_at = now()
      where id = ${other?.id ?? ''}`;
    assert.deepEqual(await counts(), { pending: 5, delivered: 1, failed: 1 });
  });

  it('how many webhook deliveries its last advance has caused, with its end and without what came before or after', async () => {
    const counts = async () => (await stage.merchant.getClock(here.clock)).last_advance?.webhook_deliveries;
    assert.equal(await counts(), undefined);
    await stage.merchant.endpoint('http://127.0.0.1:9/');
    await here.active({ start_date: '2027-01-11' });
    await here.advance(inDays(7));
    // succeeded, a payout created, reconciled and paid, ready
    assert.deepEqual(await counts(), { pending: 5, delivered: 0, failed: 0 });
    const { id } = await stage.merchant.intent({ customer_id: here.customer });
    await stage.merchant.client.paymentIntents.cancel(id);
    assert.deepEqual(await counts(), { pending: 5, delivered: 0, failed: 0 });
    const { sql } = stage.db;
    await sql`
      update webhook_deliveries set status = 'failed', failure_reason = 'x', next_attempt_at = null, finished_at = now()
      where event_id in (select id from events where event_type = 'test_clock.ready')`;
    assert.deepEqual(await counts(), { pending: 4, delivered: 0, failed: 1 });
    await here.advance(inDays(8));
    // of the second slot: succeeded, ready
    assert.deepEqual(await counts(), { pending: 2, delivered: 0, failed: 0 });
  });
});

describe('payment intents filtered by test clock', () => {
  const here = usePayer();

  it('are those of the clock’s customers, newest first', async () => {
    const { merchant } = here.stage;
    const other = await merchant.customer();
    const mine = await merchant.intent({ customer_id: here.customer });
    await merchant.intent({ customer_id: other.id });
    const newer = await merchant.intent({ customer_id: here.customer });
    const ids = async (query: string) =>
      (await here.stage.request('GET', `/payment_intents?${query}`)).body.data.map(({ id }: { id: string }) => id);
    assert.deepEqual(await ids(`test_clock=${here.clock}`), [newer.id, mine.id]);
    assert.deepEqual(await ids(`test_clock=${here.clock}&limit=1&starting_after=${newer.id}`), [mine.id]);
    assert.deepEqual(await ids('test_clock=clk_none'), []);
  });
});
