import assert from 'node:assert/strict';
import { describe, it } from 'mocha';
import { useApi } from '../support/api.ts';
import { useDatabase } from '../support/database.ts';
import { makeKey } from '../support/factories.ts';

const number = '4242 4242.4242/4242';
const fields = ['card_name', 'card_number_token', 'fingerprint'] as const;
const rates = { webhookAllowLoopback: true, rateLimitPerSecond: 100_000, rateLimitBurst: 100_000 };

describe('the numbers of cards at the API', () => {
  const db = useDatabase();
  const api = useApi(db);
  const vaults = useApi(db, undefined, () => ({ settings: { ...rates, tokensMayPassLuhn: true } }));

  const save = async (to: typeof api, livemode: boolean, more: object) => {
    const { key } = await makeKey(db.sql, { livemode });
    const token_metadata = { type: 'vault', token: 'tok_1', data: '' };
    const payment_method_data = { expiry_month: 12, expiry_year: 2030, token_metadata, ...more };
    return to.send('POST', '/api/v1/payment_methods', { key, body: { type: 'card', payment_method_data } });
  };
  const stored = async () =>
    (await db.sql`select 1 from payment_methods method where to_jsonb(method)::text like '%4242%4242%'`).length;

  for (const livemode of [false, true]) {
    it(`are refused and not stored in each field of a card that is stored as sent, livemode ${livemode}`, async () => {
      for (const field of fields) {
        const reply = await save(api, livemode, { [field]: number });
        assert.equal(reply.status, 400, field);
        const paths = reply.body.error.details.map(({ path }: { path: string }) => path);
        assert.deepEqual(paths, [`/payment_method_data/${field}`]);
        assert.doesNotMatch(reply.text, /4242/);
      }
      const all = await save(api, livemode, Object.fromEntries(fields.map((field) => [field, number])));
      assert.equal(all.body.error.details.length, fields.length);
      assert.equal(await stored(), 0);
    });
  }

  it('are tokens where CARD_TOKENS_MAY_PASS_LUHN says so, and never the name of a card', async () => {
    for (const field of fields) {
      const { status } = await save(vaults, false, { [field]: '4242424242424242' });
      assert.equal(status, field === 'card_name' ? 400 : 200, field);
    }
  });
});
