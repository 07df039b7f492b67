import assert from 'node:assert/strict';
import { describe, it } from 'mocha';
import { hostileForms } from '../../lab/hostile-forms.ts';
import { useLinks } from '../support/links.ts';
import { usePages } from '../support/pages.ts';
import { useStage } from '../support/stage.ts';

/** What is promised for any request: milliseconds of processor time. */
const mostMs = 20;
const rounds = 7;

describe('forms that are made to cost the pages much', () => {
  const stage = useStage();
  const links = useLinks(stage);
  const pages = usePages(stage);

  /** The least processor time that a form took, of this whole process: client and server. */
  async function costOf(path: string, fields: Record<string, string>): Promise<{ ms: number; status: number }> {
    let [ms, status] = [Number.POSITIVE_INFINITY, 0];
    for (let round = 0; round < rounds; round += 1) {
      const before = process.cpuUsage();
      ({ status } = await pages.post(path, fields));
      const { user, system } = process.cpuUsage(before);
      ms = Math.min(ms, (user + system) / 1000);
    }
    return { ms, status };
  }

  it('cost at most 20 ms of processor time, whatever is in them and wherever they are sent', async () => {
    const range = { amount_range: { min: 500, max: 10_000 } };
    const path = `/checkout/${await links.open(await links.link(range))}`;
    const { hidden } = await pages.open(path);
    for (const { what, fields } of hostileForms) {
      for (const to of [path, `/checkout/${'x'.repeat(32)}`, '/nothing']) {
        const { ms, status } = await costOf(to, { ...hidden, method: 'tok_sandbox_visa_succeed', ...fields });
        assert.ok(ms <= mostMs && status >= 400, `${what} to ${to}: ${ms} ms, ${status}`);
      }
    }
  });

  it('are refused above 30 fields, or 300 characters of a name or a value', async () => {
    const path = `/checkout/${await links.open(await links.link())}`;
    const { hidden } = await pages.open(path);
    const fields = (count: number) => Object.fromEntries(Array.from({ length: count }, (_, n) => [`f${n}`, '']));
    const send = async (more: Record<string, string>) => (await pages.post(path, { ...hidden, ...more })).status;
    const others = Object.keys(hidden).length;
    assert.deepEqual([await send(fields(30 - others)), await send(fields(31 - others))], [400, 413]);
    assert.deepEqual([await send({ name: 'x'.repeat(300) }), await send({ name: 'x'.repeat(301) })], [400, 413]);
    assert.deepEqual([await send({ ['n'.repeat(300)]: '' }), await send({ ['n'.repeat(301)]: '' })], [400, 413]);
  });

  it('count for their address when they are refused: after 30 in a minute it is asked to try later', async () => {
    await stage.db.sql`delete from page_uses`;
    const path = `/checkout/${await links.open(await links.link())}`;
    const { hidden } = await pages.open(path);
    const statuses = [];
    for (let n = 0; n < 31; n += 1) statuses.push((await pages.post(path, { ...hidden, method: 'none' })).status);
    assert.deepEqual([statuses.indexOf(429), statuses.length], [30, 31]);
  });
});
