import assert from 'node:assert/strict';
import { beforeEach, describe, it } from 'mocha';
import type { PaymentLinkRow } from '../../src/db/payment-links.ts';
import { useLinks } from '../support/links.ts';
import { type Pages, usePages } from '../support/pages.ts';
import { useStage } from '../support/stage.ts';

const succeeds = 'tok_sandbox_visa_succeed';
const isDeclined = 'tok_sandbox_visa_decline_insufficient_funds';
const tenMinutes = 600_000;

describe('the limit of failed attempts of one payment link', function () {
  this.timeout(60_000);
  const stage = useStage();
  const links = useLinks(stage);
  const throughProxy = { trustedProxies: ['127.0.0.1'] };
  const pages = usePages(stage, throughProxy);
  const otherProcess = usePages(stage, throughProxy);

  beforeEach('wait for a span that does not end within the test', async () => {
    const left = tenMinutes - (Date.now() % tenMinutes);
    if (left < 30_000) await new Promise((resume) => setTimeout(resume, left));
  });

  /** Pays in a sitting of its own, from this address. Returns the status. */
  async function pay(link: PaymentLinkRow, address: string, method: string, by: Pages = pages): Promise<number> {
    const from = { 'X-Forwarded-For': address };
    const path = `/pay/${links.tokenOf(link)}`;
    const { hidden: start } = await by.open(path, from);
    const begun = await by.post(path, start, from);
    const session = String(begun.headers.get('location'));
    const { hidden } = await by.open(session, from);
    return (await by.post(session, { ...hidden, name: 'Jo', email: 'jo@example.com', method }, from)).status;
  }
  const throttlings = async () => (await links.events()).filter((type) => type === 'payment_link.throttled').length;
  /** As if so many attempts had been counted by a limit in this span. */
  async function counted(name: string, subject: string, used: number): Promise<void> {
    const [hash = Buffer.of()] = stage.vault.fingerprintsOf([`limit of a page\n${name}\n${subject}`]);
    await stage.db.sql`
      insert into page_uses (subject, begins_at, used)
      values (${hash}, date_bin(make_interval(secs => 600), now(), 'epoch'), ${used})`;
  }

  it('refuses the addresses that have failed, and no other, after 30 failures in ten minutes, with one event', async () => {
    const link = await links.link({ max_payments: null });
    const failing = ['198.51.100.1', '198.51.100.2', '198.51.100.3', '2001:db8:5::1'];
    const addressOf = (n: number) => failing[n % failing.length] ?? '';
    const processOf = (n: number) => (n % 2 === 0 ? pages : otherProcess);
    const statuses: number[] = [];
    for (let n = 0; n < 29; n += 1) statuses.push(await pay(link, addressOf(n), isDeclined, processOf(n)));
    // An attempt that succeeds is no failure.
    statuses.push(await pay(link, addressOf(0), succeeds), await pay(link, addressOf(1), isDeclined));
    assert.deepEqual(statuses, Array(31).fill(303));
    assert.equal(await throttlings(), 0);

    const refused = await Promise.all(failing.map((address, n) => pay(link, address, succeeds, processOf(n))));
    assert.deepEqual(refused, [429, 429, 429, 429]);
    assert.equal(await throttlings(), 1);
    const others = await Promise.all([1, 2, 3, 4, 5].map((n) => pay(link, `203.0.113.${n}`, succeeds, processOf(n))));
    assert.deepEqual(others, Array(5).fill(303));
    // A payer whose first cards are declined has three attempts.
    const unlucky: number[] = [];
    for (let n = 0; n < 4; n += 1) unlucky.push(await pay(link, '203.0.113.99', n < 2 ? isDeclined : succeeds));
    assert.deepEqual(unlucky, [303, 303, 303, 303]);
    for (let n = 0; n < 2; n += 1) await pay(link, '203.0.113.99', isDeclined);
    assert.equal(await pay(link, '203.0.113.99', succeeds), 429);
    assert.equal(await throttlings(), 1);
    assert.equal((await links.read(link)).payments_count, 8);

    const other = await links.link();
    assert.equal(await pay(other, addressOf(0), succeeds), 303);

    // The next span has its own event.
    await stage.db.sql`update payment_links set throttled_until = now() where id = ${link.id}`;
    assert.equal(await pay(link, addressOf(0), isDeclined), 429);
    assert.equal(await throttlings(), 2);
  });

  it('takes 120 more failures from all other addresses together, then no attempt until the ten minutes are over', async () => {
    const link = await links.link({ max_payments: null });
    await counted('link failures', link.id, 30);
    await counted('link failures of others', link.id, 119);
    assert.equal(await pay(link, '203.0.113.1', succeeds), 303);
    assert.equal(await pay(link, '203.0.113.2', isDeclined), 303);
    for (const address of ['203.0.113.1', '203.0.113.3', '2001:db8::1']) {
      assert.equal(await pay(link, address, succeeds), 429, address);
    }
    assert.equal(await throttlings(), 1);
  });

  it('takes the networks of an IPv6 /48 for one', async () => {
    const link = await links.link({ max_payments: null });
    await counted('link failures', link.id, 30);
    const statuses: number[] = [];
    for (const n of [1, 2, 3, 4, 5]) statuses.push(await pay(link, `2001:db8:1:${n}::1`, isDeclined));
    assert.deepEqual(statuses, [303, 303, 303, 429, 429]);
    assert.equal(await pay(link, '2001:db8:2::1', succeeds), 303);
    assert.equal(await pay(link, '::ffff:203.0.113.7', isDeclined), 303);
    assert.equal(await pay(link, '203.0.113.8', succeeds), 303);
  });
});
