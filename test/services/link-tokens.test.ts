import assert from 'node:assert/strict';
import { randomBytes } from 'node:crypto';
import fc from 'fast-check';
import { describe, it } from 'mocha';
import type { PaymentLinkRow } from '../../src/db/payment-links.ts';
import { realNow } from '../../src/platform/real-time.ts';
import { createVault } from '../../src/services/accounts/vault.ts';
import { getPaymentLink, rotateLinkUrl } from '../../src/services/links/payment-links.ts';
import { findLink, findSession } from '../../src/services/links/public-tokens.ts';
import { intentIdOf, pageTokenOf } from '../../src/services/pages/page-urls.ts';
import { useLinks } from '../support/links.ts';
import { usePages } from '../support/pages.ts';
import { useStage } from '../support/stage.ts';

const digits = '0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz';
const links = 30;

/** Ways in which another text can be made of a token. */
const alteration = fc.oneof(
  fc.record({ at: fc.nat(31), by: fc.integer({ min: 1, max: 61 }) }).map(({ at, by }) => (token: string) => {
    const changed = digits[(digits.indexOf(token[at] ?? '') + by) % 62];
    return `${token.slice(0, at)}${changed}${token.slice(at + 1)}`;
  }),
  fc.integer({ min: 1, max: 31 }).map((length) => (token: string) => token.slice(0, length)),
  fc.integer({ min: 1, max: 31 }).map((by) => (token: string) => token.slice(by) + token.slice(0, by)),
  fc.constantFrom('0', ' ', '/', '\0', '%00').map((end) => (token: string) => token + end),
  fc.constant((token: string) => token.toLowerCase()),
  fc.constant((token: string) => token.toUpperCase()),
  fc.constant((token: string) => [...token].reverse().join('')),
);

describe('the tokens in the URLs of links and sessions', () => {
  const stage = useStage();
  const tools = useLinks(stage);
  const pages = usePages(stage);
  const made: { link: PaymentLinkRow; linkToken: string; sessionId: string; sessionToken: string }[] = [];

  const open = async (token: string) => [
    (await findLink(stage.db.sql, token, realNow()))?.link.id ?? null,
    (await findSession(stage.db.sql, token, realNow()))?.session.id ?? null,
  ];

  async function make(): Promise<typeof made> {
    if (made.length > 0) return made;
    for (let n = 0; n < links; n += 1) {
      // All say the same: nothing that they have in common decides about a token.
      const link = await tools.link();
      const sessionToken = await tools.open(link);
      const found = await tools.find(sessionToken);
      made.push({ link, linkToken: tools.tokenOf(link), sessionId: found?.session.id ?? '', sessionToken });
    }
    return made;
  }

  it('open one object each, of one kind', async () => {
    const all = await make();
    for (const { link, linkToken, sessionId, sessionToken } of all) {
      assert.deepEqual(await open(linkToken), [link.id, null]);
      assert.deepEqual(await open(sessionToken), [null, sessionId]);
    }
    assert.equal(new Set(all.flatMap((each) => [each.linkToken, each.sessionToken])).size, 2 * links);
  });

  it('open nothing once anything about them is changed', async function () {
    this.timeout(60_000);
    const tokens = (await make()).flatMap((each) => [each.linkToken, each.sessionToken]);
    await fc.assert(
      fc.asyncProperty(fc.constantFrom(...tokens), alteration, async (token, alter) => {
        const altered = alter(token);
        fc.pre(!tokens.includes(altered));
        const safe = altered.replaceAll('\0', '');
        assert.deepEqual(await open(safe === token ? `${token}.` : safe), [null, null]);
        const path = encodeURIComponent(altered);
        for (const page of ['pay', 'checkout']) {
          assert.equal((await pages.open(`/${page}/${path}`)).status, 404, altered);
        }
      }),
      { numRuns: 200 },
    );
  });

  it('share no more with the ids, and with each other, than chance gives', async () => {
    const all = await make();
    for (const { link, linkToken, sessionId, sessionToken } of all) {
      for (const id of [link.id, sessionId]) assert.deepEqual(await open(id), [null, null]);
      const known = [link.id, sessionId, ...all.flatMap((each) => [each.linkToken, each.sessionToken])];
      for (const token of [linkToken, sessionToken]) {
        // Six characters in common by chance: once in 62^6, times some ten thousand pairs and places.
        const parts = Array.from({ length: 27 }, (_, at) => token.slice(at, at + 6));
        const alike = known.filter((text) => text !== token && parts.some((part) => text.includes(part)));
        assert.deepEqual(alike, []);
      }
    }
  });

  it('open nothing once the URL is rotated, while the new one opens the link', async () => {
    const link = await tools.link();
    const old = tools.tokenOf(link);
    const call = await tools.call();
    await rotateLinkUrl(stage.db.sql, tools.vault, call, link.id);
    const now = tools.tokenOf(await getPaymentLink(stage.db.sql, call, link.id));
    assert.deepEqual(
      [await open(old), await open(now)],
      [
        [null, null],
        [link.id, null],
      ],
    );
  });

  it('prove one payment on one page for challenge and receipt, and none without the key', () => {
    const anotherVault = createVault([{ id: 'test', key: randomBytes(32) }]);
    fc.assert(
      fc.property(fc.stringMatching(/^pi_(sandbox_)?[0-9A-Za-z]{32}$/), alteration, (id, alter) => {
        const challenge = pageTokenOf(stage.vault, 'challenge', id);
        assert.equal(intentIdOf(stage.vault, 'challenge', challenge), id);
        assert.equal(intentIdOf(stage.vault, 'receipt', challenge), null);
        assert.equal(intentIdOf(anotherVault, 'challenge', challenge), null);
        const code = challenge.slice(id.length + 1);
        const altered = alter(`0${code}`).slice(1);
        if (altered !== code) assert.equal(intentIdOf(stage.vault, 'challenge', `${id}_${altered}`), null);
      }),
    );
  });
});
