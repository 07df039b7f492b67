import assert from 'node:assert/strict';
import { describe, it } from 'mocha';
import { useLinks } from '../support/links.ts';
import { type Pages, usePages } from '../support/pages.ts';
import { useStage } from '../support/stage.ts';

const isDeclined = 'tok_sandbox_visa_decline_insufficient_funds';
const tenMinutes = 600_000;

describe('the limit of failed attempts of one payment link', () => {
  const stage = useStage();
  const links = useLinks(stage);
  const throughProxy = { trustedProxies: ['127.0.0.1'] };
  const pages = usePages(stage, throughProxy);
  const otherProcess = usePages(stage, throughProxy);

  it('asks payers to try later after 30 failures in ten minutes, whatever their address and the process, with one event', async function () {
    this.timeout(60_000);
    const link = await links.link({ max_payments: null });
    const path = `/pay/${links.tokenOf(link)}`;
    let visitors = 0;
    /** Pays in a sitting of its own, from an address of its own. */
    const pay = async (by: Pages, method: string, at = path) => {
      visitors += 1;
      const from = { 'X-Forwarded-For': `198.51.100.${visitors}` };
      const { hidden: start } = await by.open(at, from);
      const begun = await by.post(at, start, from);
      const session = String(begun.headers.get('location'));
      const { hidden } = await by.open(session, from);
      const form = { ...hidden, name: 'Jo', email: 'jo@example.com', method };
      return (await by.post(session, form, from)).status;
    };
    // Spans begin with the hour, and every ten minutes: one must not end in the middle.
    const left = tenMinutes - (Date.now() % tenMinutes);
    if (left < 20_000) await new Promise((resume) => setTimeout(resume, left));
    const statuses: number[] = [];
    for (let n = 0; n < 29; n += 1) statuses.push(await pay(n % 2 === 0 ? pages : otherProcess, isDeclined));
    // An attempt that succeeds is no failure.
    statuses.push(await pay(pages, 'tok_sandbox_visa_succeed'), await pay(pages, isDeclined));
    assert.deepEqual(statuses, Array(31).fill(303));
    const types = async () => (await links.events()).filter((type) => type === 'payment_link.throttled');
    assert.deepEqual(await types(), []);
    const refused = await Promise.all(
      Array.from({ length: 6 }, (_, n) => pay(n % 2 === 0 ? pages : otherProcess, 'tok_sandbox_visa_succeed')),
    );
    assert.deepEqual(refused, Array(6).fill(429));
    assert.deepEqual(await types(), ['payment_link.throttled']);
    const other = await links.link();
    assert.equal(await pay(pages, isDeclined, `/pay/${links.tokenOf(other)}`), 303);

    // The next span has its own event.
    await stage.db.sql`update payment_links set throttled_until = now() where id = ${link.id}`;
    assert.equal(await pay(pages, isDeclined), 429);
    assert.equal((await types()).length, 2);
    assert.equal((await links.read(link)).payments_count, 1);
  });
});
