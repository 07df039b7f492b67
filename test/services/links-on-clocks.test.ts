import assert from 'node:assert/strict';
import { describe, it } from 'mocha';
import { range } from '../../lab/parallel.ts';
import { selectOpenAdvance } from '../../src/db/test-clocks.ts';
import { nothingToDo } from '../../src/operations/operator-commands.ts';
import { findSubjectWantingWorkflow } from '../../src/operations/reconciler/reconciliations.ts';
import { realNow } from '../../src/platform/real-time.ts';
import { linkStatus, sessionStatus } from '../../src/services/links/subject-status.ts';
import { completeAdvance } from '../../src/services/test-clocks/clock-advance.ts';
import { expireOnClock } from '../../src/services/test-clocks/expiry.ts';
import { card, useLinks } from '../support/links.ts';
import { useStage } from '../support/stage.ts';

const start = '2027-03-01T00:00:00.000Z';
const inHours = (hours: number) => new Date(Date.parse(start) + hours * 3_600_000).toISOString();
const inAnHour = () => new Date(Number(realNow()) + 3_600_000).toISOString();
const invoice = { name: 'Invoice 1042', amount: 2500, currency: 'AUD' } as const;

describe('links and sessions on a test clock', () => {
  const stage = useStage({ isAlone: true });
  const links = useLinks(stage);
  /** The signals of the entries in the outbox for a link or session; `null` for a mere start. */
  const outbox = async (id: string) => {
    const rows = await stage.db.sql<{ signal: string | null }[]>`
      select signal from workflow_intents where subject_id = ${id}`;
    return rows.map(({ signal }) => signal);
  };

  /** Begins an advance, and returns what lets links expire in it. */
  async function beginAdvance(clockId: string, target: string) {
    await stage.merchant.beginAdvance(clockId, target);
    const advance = await selectOpenAdvance(stage.db.sql, clockId);
    assert.ok(advance);
    const expire = () => expireOnClock(stage.db.sql, advance, [], realNow());
    return { advance, expire };
  }

  it('have no workflow: none of their changes adds an entry to the outbox', async () => {
    const { clock, payer } = await stage.merchant.customerOnClock(start);
    const client = stage.merchant.client;
    const terms = { name: 'Invoice', amount: 2500, currency: 'AUD', customer_id: payer.id } as const;
    const { id } = await client.paymentLinks.create({ ...terms, expires_at: inHours(10) });
    await client.paymentLinks.update(id, { expires_at: inHours(11) });
    await client.paymentLinks.deactivate(id);
    await client.paymentLinks.renew(id, {});
    const link = await links.link({ customer_id: payer.id, expires_at: inHours(12) });
    const paid = await links.open(link);
    await links.pay(paid, { method: card('tok_sandbox_visa_3ds_required') });
    const inSession = (await links.find(paid))?.session.id ?? '';
    const alone = await client.checkoutSessions.create(terms);
    const ended = await client.checkoutSessions.create(terms);
    await client.checkoutSessions.expire(ended.id);
    await stage.advance(clock.id, inHours(48));
    for (const subject of [id, link.id, inSession, alone.id, ended.id]) {
      assert.deepEqual(await outbox(subject), [], subject);
    }
    const inRealTime = await client.paymentLinks.create({ ...invoice, expires_at: inAnHour() });
    assert.equal((await outbox(inRealTime.id)).length, 1);
  });

  it('are not missed by the reconciler, and there is nothing for a recheck to start', async () => {
    const { payer } = await stage.merchant.customerOnClock(start);
    const link = await links.link({ customer_id: payer.id, expires_at: inHours(10) });
    const session = (await links.find(await links.open(link)))?.session.id ?? '';
    assert.equal(await findSubjectWantingWorkflow(stage.db.sql, 'paymentLink', link.id), null);
    assert.equal(await findSubjectWantingWorkflow(stage.db.sql, 'checkoutSession', session), null);
    assert.match(nothingToDo(link.id), /waits for its test clock/);
    const inRealTime = await links.link({ expires_at: inAnHour() });
    assert.equal((await findSubjectWantingWorkflow(stage.db.sql, 'paymentLink', inRealTime.id))?.id, inRealTime.id);
  });

  it('have ended for a workflow that was started for one all the same', async () => {
    const { payer } = await stage.merchant.customerOnClock(start);
    const link = await links.link({ customer_id: payer.id, expires_at: inHours(10) });
    const session = (await links.find(await links.open(link)))?.session.id ?? '';
    assert.equal((await linkStatus(stage.db.sql, link.id)).ended, true);
    assert.equal((await sessionStatus(stage.db.sql, session)).ended, true);
  });

  it('end in the order of their instants, and so do their events, a hundred in a transaction', async () => {
    const { clock, payer } = await stage.merchant.customerOnClock(start);
    const hours = range(104).map((nth) => 104 - nth);
    for (const hour of hours) await links.link({ customer_id: payer.id, expires_at: inHours(hour) });
    const { advance, expire } = await beginAdvance(clock.id, inHours(200));
    const countEnded = async () =>
      (await stage.db.sql`select 1 from payment_links where test_clock_id = ${clock.id} and status = 'expired'`).length;
    for (const ended of [100, 104, 104]) {
      await expire();
      assert.equal(await countEnded(), ended);
    }
    const events = await stage.db.sql<{ at: Date }[]>`
      select created_at as at from events
      where test_clock_id = ${clock.id} and event_type = 'payment_link.expired' order by sequence`;
    assert.deepEqual(
      events.map(({ at }) => at.toISOString()),
      hours.toReversed().map((hour) => inHours(hour)),
    );
    await completeAdvance(stage.db.sql, advance, realNow());
    assert.deepEqual((await stage.merchant.manifests(clock.id)).at(-1)?.links_expired, 104);
  });

  it('end alike however the advance is split: a session whose challenge fails ends before its link does', async () => {
    const ends = [];
    for (const split of [[48], [1, 25, 48], [24, 30, 48]]) {
      const { clock, payer } = await stage.merchant.customerOnClock(start);
      const link = await links.link({ customer_id: payer.id, expires_at: inHours(30) });
      const token = await links.open(link);
      await links.pay(token, { method: card('tok_sandbox_visa_3ds_required') });
      for (const hours of split) {
        const { advance, expire } = await beginAdvance(clock.id, inHours(hours));
        await expire();
        await completeAdvance(stage.db.sql, advance, realNow());
      }
      const story = await stage.merchant.events({ test_clock: clock.id });
      ends.push([
        (await links.find(token))?.session.status_reason,
        ...story
          .filter(({ event_type: type }) => /expired|failed/.test(type))
          .map(({ event_type: type, created_at: at }) => `${at} ${type}`),
      ]);
    }
    const [first] = ends;
    assert.deepEqual(first, [
      'time',
      `${inHours(0.25)} payment_intent.failed`,
      `${inHours(24)} checkout_session.expired`,
      `${inHours(30)} payment_link.expired`,
    ]);
    for (const end of ends) assert.deepEqual(end, first);
  });

  it('end only when it is their turn: not before a plan that is due earlier, of whatever customer', async () => {
    const { clock, payer } = await stage.merchant.payerOnClock(start);
    await stage.merchant.activePlan({ customer_id: payer.id, start_date: '2027-03-02' });
    const { id: other } = await stage.merchant.customer({ test_clock: clock.id });
    const first = await links.link({ customer_id: payer.id, expires_at: inHours(10) });
    const second = await links.link({ customer_id: other, expires_at: inHours(15) });
    const afterPlan = await links.link({ customer_id: other, expires_at: inHours(25) });
    const statuses = async () =>
      Promise.all([first, second, afterPlan].map(async (link) => (await links.read(link)).status));
    const { expire } = await beginAdvance(clock.id, inHours(48));
    await expire();
    assert.deepEqual(await statuses(), ['expired', 'expired', 'open']);
    await stage.carryOut(clock.id);
    assert.deepEqual(await statuses(), ['expired', 'expired', 'expired']);
    const events = await stage.merchant.events({ test_clock: clock.id });
    const instants = events.map(({ created_at: at }) => at);
    assert.deepEqual(instants, instants.toSorted());
  });

  it('that cannot be ended are named by the failure, and all that was to be committed with them stays open', async () => {
    const { clock, payer } = await stage.merchant.customerOnClock(start);
    const healthy = await links.link({ customer_id: payer.id, expires_at: inHours(1) });
    const broken = await links.link({ customer_id: payer.id, expires_at: inHours(2) });
    await stage.db.sql.unsafe(
      `alter table payment_links add constraint broken check (id <> '${broken.id}' or status <> 'expired')`,
    );
    const { expire } = await beginAdvance(clock.id, inHours(3));
    assert.match((await expire()) ?? '', new RegExp(`^${broken.id}: .*violates check constraint "broken"`));
    assert.equal((await links.read(healthy)).status, 'open');
    await stage.db.sql`alter table payment_links drop constraint broken`;
    await expire();
    assert.equal((await links.read(broken)).status, 'expired');
  });

  it('stay as they are once the advance has ended or the clock was deleted, however late a worker is', async () => {
    const { clock, payer } = await stage.merchant.customerOnClock(start);
    const link = await links.link({ customer_id: payer.id, expires_at: inHours(10) });
    const { advance, expire } = await beginAdvance(clock.id, inHours(12));
    await stage.db.sql`update payment_links set wake_at = wake_at + interval '1 day' where id = ${link.id}`;
    await completeAdvance(stage.db.sql, advance, realNow());
    await stage.db.sql`update payment_links set wake_at = wake_at - interval '1 day' where id = ${link.id}`;
    await expire();
    assert.equal((await links.read(link)).status, 'open');
    await stage.merchant.deleteClock(clock.id);
    await expire();
  });

  it('wake no workflow that ends them itself in real time, but those of the sessions that end with a link', async () => {
    const link = await links.link({ expires_at: inAnHour() });
    const session = (await links.find(await links.open(link)))?.session.id ?? '';
    const alone = await stage.merchant.client.checkoutSessions.create(invoice);
    await stage.db.sql`delete from workflow_intents where subject_id = any(${[link.id, session, alone.id]})`;
    await stage.expireLink(link.id, new Date(Number(realNow()) + 3_600_001));
    await stage.expireSession(alone.id, new Date(Number(realNow()) + 25 * 3_600_000));
    assert.equal((await links.read(link)).status, 'expired');
    assert.equal((await stage.merchant.client.checkoutSessions.get(alone.id)).status, 'expired');
    assert.deepEqual([await outbox(link.id), await outbox(alone.id)], [[], []]);
    assert.deepEqual(await outbox(session), ['poke']);
  });
});
