import assert from 'node:assert/strict';
import { describe, it } from 'mocha';
import { ConfigError, readConfig } from '../../src/processes/config/config.ts';

const ofStripe =
  'script-src https://js.stripe.com; frame-src https://js.stripe.com https://hooks.stripe.com; connect-src https://api.stripe.com';

describe('the fields for cards that live pages may load, LIVE_CARD_FIELDS', () => {
  it('are origins for scripts, frames and requests, as in a Content-Security-Policy; none by default', () => {
    assert.equal(readConfig({}).liveCardFields, null);
    assert.deepEqual(readConfig({ LIVE_CARD_FIELDS: ofStripe }).liveCardFields, {
      scripts: ['https://js.stripe.com'],
      frames: ['https://js.stripe.com', 'https://hooks.stripe.com'],
      requests: ['https://api.stripe.com'],
    });
    const local = readConfig({ LIVE_CARD_FIELDS: 'script-src http://127.0.0.1:9000;' }).liveCardFields;
    assert.deepEqual(local, { scripts: ['http://127.0.0.1:9000'], frames: [], requests: [] });
  });

  for (const [what, value] of [
    ['without a script', 'frame-src https://js.stripe.com'],
    ['with another directive', `${ofStripe}; img-src https://js.stripe.com`],
    ['with the directive of all', 'default-src https://js.stripe.com'],
    ['with a directive twice', 'script-src https://a.example; script-src https://b.example'],
    ['with a directive of nothing', 'script-src'],
    ['with a keyword', "script-src https://js.stripe.com 'unsafe-inline'"],
    ['with a scheme alone', 'script-src https:'],
    ['with a wildcard', 'script-src https://*.stripe.com'],
    ['with all', 'script-src *'],
    ['with a path', 'script-src https://js.stripe.com/v3/'],
    ['without TLS on another machine', 'script-src http://js.stripe.com'],
    ['with a password', 'script-src https://me:hunter2@js.stripe.com'],
    ['with two in one', 'script-src https://js.stripe.com,https://evil.example'],
    ['with a line of a header', 'script-src https://js.stripe.com\r\nset-cookie: a=b'],
  ] as const) {
    it(`are refused ${what}`, () => {
      assert.throws(
        () => readConfig({ LIVE_CARD_FIELDS: value }),
        (error: unknown) =>
          error instanceof ConfigError && error.message.includes('LIVE_CARD_FIELDS must be directives'),
      );
    });
  }
});
