import assert from 'node:assert/strict';
import { describe, it } from 'mocha';
import { hasCardNumber } from '../../src/domain/card-numbers.ts';
import { fixtureCards } from '../../src/domain/cards.ts';
import { testNumbers } from '../../src/pages/method-fields.ts';
import { desktop, useBrowser } from '../support/browser.ts';
import { useLinks } from '../support/links.ts';
import { usePages } from '../support/pages.ts';
import { useStage } from '../support/stage.ts';

describe('the numbers of test cards', () => {
  it('are one for each test card, with its last digits, and refused like any card number if they are sent', () => {
    assert.deepEqual(
      Object.keys(testNumbers),
      fixtureCards.map(({ token }) => token),
    );
    for (const { token, last4 } of fixtureCards) {
      const number = testNumbers[token] ?? '';
      assert.ok(number.endsWith(last4) && hasCardNumber(number), token);
    }
  });
});

describe('the field for the number of a test card', () => {
  const stage = useStage();
  const links = useLinks(stage);
  const pages = usePages(stage);
  const browser = useBrowser();
  const collect = { email: 'no', name: 'no', phone: 'no' } as const;
  const type = (number: string) => `(() => {
    const field = document.querySelector('#test-number');
    field.value = ${JSON.stringify(number)};
    field.setSelectionRange(field.value.length, field.value.length);
    field.dispatchEvent(new Event('input'));
    return [field.value, document.querySelector('[name=method]:checked').value, document.querySelector('#test-number-note').textContent];
  })()`;

  it('chooses the card of the number in the browser, writes it in groups, and is in no form that is sent', async function () {
    this.timeout(60_000);
    const link = await links.link({ collect });
    const tab = await browser.open(`${pages.url}/checkout/${await links.open(link)}`);
    const seen = await tab.evaluate<string[]>(type('371449635398431'));
    assert.deepEqual(seen.slice(0, 2), ['3714 496353 98431', 'tok_sandbox_amex_succeed']);
    assert.match(seen[2] ?? '', /^Chosen: Amex ending in 8431/);
    const unknown = await tab.evaluate<string[]>(type('4111 1111 1111 1111'));
    assert.match(unknown[2] ?? '', /^This is not the number of a test card/);
    await tab.evaluate(type('5555555555554444'));
    const sent = await tab.evaluate<string>('JSON.stringify([...new FormData(document.querySelector("form"))])');
    assert.equal(/5555/.test(sent), false);
    await tab.follow(`document.querySelector('form button').click()`);
    assert.match(await tab.evaluate<string>('document.body.innerText'), /Mastercard ending in 4444/);
    assert.equal((await links.read(link)).payments_count, 1);
    assert.deepEqual(tab.complaints, []);
    assert.equal(/5555 ?5555/.test(JSON.stringify(pages.log)), false);
  });

  it('is not there without scripts, where the cards are a list to choose from', async function () {
    this.timeout(60_000);
    const link = await links.link({ collect });
    const view = { ...desktop, isWithoutScripts: true };
    const tab = await browser.open(`${pages.url}/checkout/${await links.open(link)}`, view);
    assert.equal(await tab.evaluate('document.querySelector("#test-number").checkVisibility()'), false);
    assert.equal(await tab.evaluate<number>('document.querySelectorAll("[name=method]").length'), fixtureCards.length);
  });
});
