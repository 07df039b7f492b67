import assert from 'node:assert/strict';
import { describe, it } from 'mocha';
import { realNow } from '../../src/platform/real-time.ts';
import { changeBillerProfile } from '../../src/services/accounts/biller-profile.ts';
import { createBiller } from '../../src/services/accounts/billers.ts';
import { ValidationFailed } from '../../src/services/errors.ts';
import { useDebtor } from '../support/debtor.ts';
import { tester } from '../support/factories.ts';
import { useLinks } from '../support/links.ts';
import { usePages } from '../support/pages.ts';
import { useStage } from '../support/stage.ts';

/** Control characters and marks of direction: the first and the last of each range. */
const unprintable = [
  ...'\u0001\t\n\r\u001b\u001f\u007f\u0080\u0085\u009f\u061c\u200e\u200f\u202a\u202b\u202c\u202d\u202e',
  ...'\u2066\u2067\u2068\u2069',
];
const becs = { bsb_number: '062-000', account_name: 'Jo', account_number: '98765432' };
const card = { expiry_month: 12, expiry_year: 2030, token_metadata: { type: 'vault', token: 'tok_1', data: '' } };

describe('text that reaches statements and banks', () => {
  const stage = useStage();
  const here = useDebtor(stage);
  const links = useLinks(stage);
  const pages = usePages(stage);
  const intent = { amount: 2500, currency: 'AUD' };

  it('has no control characters and no marks of direction: the message names the field and what to leave out', async () => {
    const account = await here.account((await stage.merchant.customer()).id);
    const online = await here.online();
    const places: [path: string, field: string, body: (text: string) => object][] = [
      ['/payment_intents', '/statement_descriptor', (text) => ({ ...intent, statement_descriptor: text })],
      ['/payment_links', '/statement_descriptor', (text) => ({ name: 'A', ...intent, statement_descriptor: text })],
      [
        '/payment_methods',
        '/payment_method_data/account_name',
        (text) => ({ type: 'au_becs_debit', payment_method_data: { ...becs, account_name: text } }),
      ],
      [
        '/payment_methods',
        '/payment_method_data/card_name',
        (text) => ({ type: 'card', payment_method_data: { ...card, card_name: text } }),
      ],
      [
        '/test_helpers/payment_methods',
        '/instrument_data/account_name',
        (text) => ({ type: 'pay_id', instrument_data: { payid: 'jo', account_name: text } }),
      ],
      [
        '/mandates',
        '/acceptance/signatory_name',
        (text) => ({ payment_method_id: account, acceptance: { ...online, signatory_name: text } }),
      ],
    ];
    for (const [path, field, body] of places) {
      for (const symbol of unprintable) {
        const { status, body: reply, text } = await stage.request('POST', path, body(`HARBOUR${symbol}GYM`));
        assert.ok(status === 400 || status === 422, `${path} ${JSON.stringify(symbol)} ${text}`);
        const [detail] = reply.error.details;
        assert.deepEqual([detail.path, detail.code], [field, 'invalid_format']);
        const words = /must be a string of .* characters, without control characters and without marks that change/;
        assert.match(detail.message, words);
      }
      const { status, text } = await stage.request('POST', path, body('Şükran 海 נועם'));
      assert.ok(status < 300, `${path}: letters of any script are text: ${text}`);
    }
  });

  it('is checked in the name and descriptor of a biller, and in what pages say of it', async () => {
    const origin = { by: tester, now: realNow() };
    const refused = (path: string) => (error: unknown) =>
      error instanceof ValidationFailed && error.fieldErrors.every((each) => each.path === path);
    for (const symbol of unprintable) {
      const text = `Gym${symbol}`;
      await assert.rejects(createBiller(stage.db.sql, { name: text, ...origin }), refused('/name'));
      const more = { name: 'Gym', statementDescriptor: text };
      await assert.rejects(createBiller(stage.db.sql, { ...more, ...origin }), refused('/statement_descriptor'));
      const change = changeBillerProfile(stage.db.sql, stage.keys.biller.id, { display_name: text }, origin);
      await assert.rejects(change, refused('/display_name'));
    }
  });

  it('is checked in the account name that a payer types', async () => {
    const link = await links.link({ payment_method_types: ['au_becs_debit'] });
    const path = `/checkout/${await links.open(link)}`;
    for (const symbol of ['\u202e', '\u200f', '\t']) {
      const { hidden } = await pages.open(path);
      const account = { method: 'au_becs_debit', bsb: '000-000', account_number: '12345678', agreed: 'yes' };
      const payer = { name: 'Jo', email: 'jo@example.com', account_name: `Jo${symbol}Nguyen` };
      const { status, text } = await pages.post(path, { ...hidden, ...account, ...payer });
      assert.equal(status, 400);
      assert.match(text, /Type the account name: what you pasted has invisible characters/);
    }
  });

  it('is only text for banks: other names and descriptions keep what the biller sends', async () => {
    const name = 'Jo\u202e\u200f Nguyen';
    const customer = await stage.request('POST', '/customers', { name });
    assert.deepEqual([customer.status, customer.body.name], [201, name]);
    const description = 'One line\nand\tanother \u202e';
    const made = await stage.request('POST', '/payment_intents', { ...intent, description });
    assert.deepEqual([made.status, made.body.description], [201, description]);
  });
});
