import assert from 'node:assert/strict';
import fc from 'fast-check';
import { describe, it } from 'mocha';
import { card, useLinks } from '../support/links.ts';
import { useStage } from '../support/stage.ts';

const start = Date.parse('2027-03-01T00:00:00Z');
const at = (minutes: number) => new Date(start + minutes * 60_000).toISOString();
/** Minutes: two days, well within what one advance may cover. */
const end = 2 * 24 * 60;

/** What happens to each link before the clock moves: nothing, a visit, a decline, a challenge, a payment. */
const visits = ['none', 'visit', 'decline', 'challenge', 'payment'] as const;
const tokens = {
  decline: 'tok_sandbox_visa_decline_insufficient_funds',
  challenge: 'tok_sandbox_visa_3ds_required',
  payment: 'tok_sandbox_visa_succeed',
} as const;

const scenario = fc.record({
  links: fc.array(
    fc.record({
      expiresAfter: fc.integer({ min: 1, max: end + 60 }),
      visit: fc.constantFrom(...visits),
      maxPayments: fc.constantFrom(1, 2, null),
    }),
    { minLength: 1, maxLength: 4 },
  ),
  stops: fc.array(fc.integer({ min: 1, max: end - 1 }), { maxLength: 3 }),
});
type Scenario = typeof scenario extends fc.Arbitrary<infer T> ? T : never;

describe('links on a clock, whatever happens before it moves', function () {
  this.timeout(120_000);
  const stage = useStage();
  const links = useLinks(stage);

  /** Plays a scenario with these stops of the clock. Returns its result, and how many links were counted. */
  async function play({ links: wanted }: Scenario, stops: readonly number[]) {
    const { clock, payer } = await stage.merchant.customerOnClock(at(0));
    const pages = [];
    for (const { expiresAfter, visit, maxPayments } of wanted) {
      const link = await links.link({ customer_id: payer.id, expires_at: at(expiresAfter), max_payments: maxPayments });
      const token = visit === 'none' ? null : await links.open(link);
      if (token !== null && visit !== 'visit' && visit !== 'none')
        await links.pay(token, { method: card(tokens[visit]) });
      pages.push({ link, token });
    }
    for (const stop of stops) await stage.advance(clock.id, at(stop));
    const state = [];
    for (const { link, token } of pages) {
      const { status, payments_count, collected_amount, expired_at } = await links.read(link);
      const session = token === null ? null : await links.find(token);
      const { state: sitting, session: row, intent } = session ?? {};
      state.push([
        ...[status, payments_count, collected_amount, expired_at?.toISOString()],
        ...[sitting, row?.status_reason, row?.expired_at?.toISOString(), intent?.status, intent?.last_error_code],
      ]);
    }
    const counted = (await stage.merchant.manifests(clock.id)).reduce((sum, one) => sum + one.links_expired, 0);
    const events = await stage.merchant.events({ event_type: 'payment_link.expired', test_clock: clock.id });
    await stage.merchant.deleteClock(clock.id);
    return { state, counted, told: events.length };
  }

  it('end the same in one advance as in any split of it, and every expiry is counted and told once', async () => {
    const property = fc.asyncProperty(scenario, async (given) => {
      const stops = [...new Set(given.stops)].sort((a, b) => a - b);
      const whole = await play(given, [end]);
      const split = await play(given, [...stops, end]);
      assert.deepEqual(split, whole);
      const due = whole.state.filter(([status]) => status === 'expired').length;
      assert.deepEqual([whole.counted, whole.told], [due, due]);
    });
    await fc.assert(property, { numRuns: 4 });
  });
});
