import assert from 'node:assert/strict';
import { describe, it } from 'mocha';
import type { View } from '../../lab/browser.ts';
import { desktop, obstacles, useBrowser } from '../support/browser.ts';
import { useLinks } from '../support/links.ts';
import { usePages } from '../support/pages.ts';
import { useStage } from '../support/stage.ts';

const phone: View = { width: 360, height: 780, scheme: 'light' };
const isSeen = (id: string) => `document.getElementById('${id}').checkVisibility()`;
const choose = (value: string) => `document.querySelector('[value="${value}"]').click()`;
const card = 'tok_sandbox_visa_succeed';

describe('the form of a session in a real browser', () => {
  const stage = useStage({ biller: { timeZone: 'Australia/Sydney' } });
  const links = useLinks(stage);
  const pages = usePages(stage);
  const browser = useBrowser();
  const both = { payment_method_types: ['card', 'au_becs_debit'] as ('card' | 'au_becs_debit')[] };
  const formOf = async (input: Parameters<typeof links.link>[0]) =>
    `${pages.url}/checkout/${await links.open(await links.link(input))}`;

  for (const isWithoutScripts of [false, true]) {
    it(`shows the fields of an account and its mandate only while an account is chosen, scripts ${isWithoutScripts ? 'off' : 'on'}`, async function () {
      this.timeout(60_000);
      const tab = await browser.open(await formOf(both), { ...phone, isWithoutScripts });
      const seen = async () => {
        const ids = ['account_name', 'bsb', 'account_number', 'agreed'];
        return Promise.all(ids.map((id) => tab.evaluate<boolean>(isSeen(id))));
      };
      const height = () => tab.evaluate<number>('document.documentElement.scrollHeight');
      assert.deepEqual(await seen(), [false, false, false, false]);
      const withCard = await height();
      assert.deepEqual(isWithoutScripts ? [] : await obstacles(tab), []);
      await tab.evaluate(choose('au_becs_debit'));
      assert.deepEqual(await seen(), [true, true, true, true]);
      assert.ok((await height()) > withCard + 300);
      assert.deepEqual(isWithoutScripts ? [] : await obstacles(tab), []);
      await tab.evaluate(choose(card));
      assert.deepEqual([await seen(), await height()], [[false, false, false, false], withCard]);
    });
  }

  it('shows the fields of an account at once where nothing else is offered, and again with what was wrong in them', async function () {
    this.timeout(60_000);
    const alone = await browser.open(await formOf({ payment_method_types: ['au_becs_debit'] }), phone);
    assert.equal(await alone.evaluate(isSeen('bsb')), true);
    const tab = await browser.open(await formOf({ ...both, collect: { email: 'no', name: 'no', phone: 'no' } }), phone);
    await tab.evaluate(choose('au_becs_debit'));
    await tab.follow('document.querySelector("button").click()');
    assert.equal(await tab.evaluate(isSeen('bsb-wrong')), true);
  });

  it('keeps each amount on one line on a phone', async function () {
    this.timeout(60_000);
    const { url } = await stage.merchant
      .intent({ amount: 99_999, surcharge_applied: true })
      .then(({ id }) => stage.request('POST', '/checkout_sessions', { payment_intent_id: id }))
      .then(({ body }) => body);
    const tab = await browser.open(url.replace('http://pages.test', pages.url), { ...phone, width: 320 });
    const lines = await tab.evaluate<number[]>(
      `[...document.querySelectorAll('.money')].map((each) => each.getClientRects().length)`,
    );
    assert.deepEqual(lines, [1, 1, 1, 1]);
  });

  it('says its deadline in the time zone of the payer, and without scripts in that of the biller, by the whole name', async function () {
    this.timeout(60_000);
    const link = await links.link({ expires_at: '2027-01-20T23:00:00Z' });
    const url = `${pages.url}/pay/${links.tokenOf(link)}`;
    const said = async (view: Partial<View>) => {
      const tab = await browser.open(url, { ...desktop, ...view });
      return tab.evaluate<string>('document.querySelector("time").textContent');
    };
    assert.equal(
      await said({ timeZone: 'Australia/Perth' }),
      '21 January 2027 at 7:00 am Australian Western Standard Time',
    );
    assert.equal(
      await said({ timeZone: 'Europe/Berlin' }),
      '21 January 2027 at 12:00 am Central European Standard Time',
    );
    assert.equal(
      await said({ timeZone: 'Europe/Berlin', isWithoutScripts: true }),
      '21 January 2027 at 10:00 am Australian Eastern Daylight Time',
    );
  });
});
