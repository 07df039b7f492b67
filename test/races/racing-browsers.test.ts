import assert from 'node:assert/strict';
import { describe, it } from 'mocha';
import { useLinks } from '../support/links.ts';
import { usePages } from '../support/pages.ts';
import { useStage } from '../support/stage.ts';
import { type Dice, races, storm } from './storms.ts';

const browsers = 20;
/** Of the 200 links that the service promises to charge once each: RACES=25 plays them all. */
const linksPerRun = 8;
const payer = { name: 'Jo', email: 'jo@example.com' };

describe('browsers that race for single-use links, over HTTP', () => {
  const stage = useStage();
  const links = useLinks(stage);
  const throughProxy = { trustedProxies: ['127.0.0.1'] };
  const processes = [usePages(stage, throughProxy), usePages(stage, throughProxy)];

  /**
   * Opens the link, begins, and sends the form until the page says that the link is paid. Returns what it was shown.
   */
  async function race(path: string, address: string, dice: Dice): Promise<number[]> {
    const from = { 'X-Forwarded-For': address };
    const any = () => dice.pick(processes);
    const opened = await any().open(path, from);
    if (opened.status === 410) return [410];
    const begun = await any().post(path, opened.hidden, from);
    if (begun.status !== 303) return [begun.status];
    const session = String(begun.headers.get('location'));
    const seen: number[] = [];
    for (let tries = 0; tries < 30; tries += 1) {
      const form = await any().open(session, from);
      seen.push(form.status);
      if (form.status === 303 || form.status === 410) return seen;
      if (form.hidden.form === undefined) continue;
      const method = tries === 0 && dice.random() < 0.2 ? 'tok_sandbox_visa_timeout' : 'tok_sandbox_visa_succeed';
      const fields = { ...form.hidden, ...payer, method };
      // Some press the button twice.
      const presses = dice.random() < 0.3 ? 2 : 1;
      const sent = await Promise.all(Array.from({ length: presses }, () => any().post(session, fields, from)));
      seen.push(...sent.map(({ status }) => status));
    }
    return seen;
  }

  it('charge each link once, from 20 browsers that each begin and pay, some twice and some after a decline', async function () {
    this.timeout(60_000 * races);
    await storm(linksPerRun, async (dice) => {
      stage.ledger.reset();
      await stage.db.sql`delete from page_uses`;
      const link = await links.link();
      const path = `/pay/${links.tokenOf(link)}`;
      const seen = await Promise.all(
        Array.from({ length: browsers }, (_, n) => race(path, `203.0.113.${n + 1}`, dice)),
      );
      const story = JSON.stringify(seen);
      const { status, payments_count, collected_amount } = await links.read(link);
      assert.deepEqual([status, payments_count, collected_amount], ['completed', 1, 2500], story);
      assert.equal(stage.ledger.taken.size, 1, story);
      assert.deepEqual(
        seen.flat().filter((code) => code >= 500),
        [],
        story,
      );
      assert.ok(
        seen.every((codes) => [303, 410].includes(codes.at(-1) ?? 0)),
        story,
      );
    });
  });
});
