import assert from 'node:assert/strict';
import { beforeEach, describe, it } from 'mocha';
import { realNow } from '../../src/platform/real-time.ts';
import { changeBillerProfile } from '../../src/services/accounts/biller-profile.ts';
import { tester } from '../support/factories.ts';
import { useLinks } from '../support/links.ts';
import { type SeenPage, usePages } from '../support/pages.ts';
import { useStage } from '../support/stage.ts';

const visa = 'tok_sandbox_visa_succeed';
const amex = 'tok_sandbox_amex_succeed';
const english = { 'Accept-Language': 'en-AU' };

describe('the surcharge on the pages of an Australian account', () => {
  const stage = useStage({ biller: { timeZone: 'Australia/Sydney' } });
  const links = useLinks(stage);
  const pages = usePages(stage);

  beforeEach('forget who has paid here, and state country and cost', async () => {
    await stage.db.sql`delete from page_uses`;
    const change = { country: 'AU', costs: { amex: 190 } };
    await changeBillerProfile(stage.db.sql, stage.keys.biller.id, change, { by: tester, now: realNow() });
  });

  /** A link over 100.00 with the surcharge, for a customer on a clock at this instant. */
  async function linkAt(frozenTime: string) {
    const { clock, payer } = await stage.merchant.customerOnClock(frozenTime);
    const link = await links.link({ amount: 10_000, surcharge_applied: true, customer_id: payer.id });
    return { clock, link, path: `/pay/${links.tokenOf(link)}` };
  }
  async function begin(path: string): Promise<string> {
    const { hidden } = await pages.open(path, english);
    return String((await pages.post(path, hidden)).headers.get('location'));
  }
  const send = (path: string, { hidden }: SeenPage, method: string) => pages.post(path, { ...hidden, method }, english);
  const isPaid = ({ status, headers }: SeenPage) => status === 303 && /\/done/.test(String(headers.get('location')));
  const taken = () => [...stage.ledger.taken.values()];

  it('is said of each card, and again with the total of the card that is chosen, before anything is taken', async () => {
    const { path } = await linkAt('2026-10-05T00:00:00Z');
    const offer = await pages.open(path, english);
    assert.ok(offer.text.includes('$100.00') && offer.text.includes('a surcharge of up to $1.90'), offer.text);
    const checkout = await begin(path);
    const first = await pages.open(checkout, english);
    assert.ok(first.text.includes('Pay $100.00'), first.text);
    assert.ok(first.text.includes('Visa ending in 4242 test card, succeeds, no surcharge'), first.text);
    assert.ok(first.text.includes('Amex ending in 8431 test card, succeeds, surcharge $1.90'), first.text);
    const again = await send(checkout, first, amex);
    assert.equal(again.status, 200, again.text);
    assert.ok(
      again.text.includes('With this payment method, the total is $101.90. Nothing has been taken yet.'),
      again.text,
    );
    assert.ok(
      again.text.includes('Pay $101.90') && again.text.includes('Surcharge for this payment method'),
      again.text,
    );
    assert.deepEqual(taken(), []);
    assert.ok(isPaid(await send(checkout, again, amex)));
    assert.deepEqual(taken(), [10_190]);
  });

  it('goes with the first card at once if that is the one', async () => {
    const { path } = await linkAt('2026-10-05T00:00:00Z');
    const checkout = await begin(path);
    assert.ok(isPaid(await send(checkout, await pages.open(checkout, english), visa)));
    assert.deepEqual(taken(), [10_000]);
  });

  it('is shown anew in October for a link made in September, and not taken', async () => {
    const { clock, path } = await linkAt('2026-09-30T13:00:00Z');
    const checkout = await begin(path);
    const september = await pages.open(checkout, english);
    assert.ok(september.text.includes('Pay $102.05'), september.text);
    await stage.advance(clock.id, '2026-09-30T14:00:00Z');
    const october = await send(checkout, september, visa);
    assert.ok(october.text.includes('Pay $100.00'), october.text);
    assert.deepEqual(taken(), []);
    assert.ok(isPaid(await send(checkout, october, visa)));
    assert.deepEqual(taken(), [10_000]);
  });

  it('is not another one at the charge than the page has shown: then nothing is taken', async () => {
    const { link } = await linkAt('2026-10-05T00:00:00Z');
    const token = await links.open(link);
    const paid = await links.pay(token, { shownTotal: 10_205 });
    assert.deepEqual([paid.kind, taken()], ['stale', []]);
    assert.equal((await links.pay(token, { shownTotal: 10_000 })).kind, 'done');
  });

  it('is decided anew for the next card after a decline', async () => {
    const { path } = await linkAt('2026-10-05T00:00:00Z');
    const checkout = await begin(path);
    const first = await pages.open(checkout, english);
    await send(checkout, first, 'tok_sandbox_visa_decline_insufficient_funds');
    const again = await send(checkout, await pages.open(checkout, english), amex);
    assert.ok(again.text.includes('Pay $101.90'), again.text);
    assert.ok(isPaid(await send(checkout, again, amex)));
    assert.deepEqual(taken(), [10_190]);
  });
});
