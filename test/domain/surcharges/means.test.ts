import assert from 'node:assert/strict';
import { describe, it } from 'mocha';
import { fixtureCards } from '../../../src/domain/cards.ts';
import { type MethodFacts, meansOf, networkOfBin, networkOfBrand } from '../../../src/domain/surcharges/means.ts';

describe('the network of a card', () => {
  it('is told by the first digits, with the whole range of Mastercard', () => {
    const known: Record<string, string[]> = {
      visa: ['4000', '42424242', '49999999'],
      mastercard: ['5100', '51551234', '55999999', '2221', '22210000', '27209999', '25000000'],
      amex: ['3400', '37144963'],
      discover: ['60110000', '65000000'],
      diners: ['36000000', '38000000'],
      jcb: ['35280000'],
    };
    for (const [network, bins] of Object.entries(known)) {
      for (const bin of bins) assert.equal(networkOfBin(bin), network, bin);
    }
    for (const bin of ['', '222', '22209999', '27210000', '50999999', '56000000', '4242x', '99999999']) {
      assert.equal(networkOfBin(bin), null, bin);
    }
  });

  it('is told by the brand that a biller or a test card names, however it is written', () => {
    const names = { 'American Express': 'amex', Amex: 'amex', 'VISA Debit': 'visa', master_card: 'mastercard' };
    for (const [brand, network] of Object.entries(names)) assert.equal(networkOfBrand(brand), network, brand);
    for (const brand of ['', 'Bankcard', 'visage', 'Revisa']) assert.equal(networkOfBrand(brand), null, brand);
    for (const { brand } of fixtureCards) assert.ok(networkOfBrand(brand), brand);
  });

  it('is every one that is named: the facts about a co-branded card add up', () => {
    const card = (data: object, brand: string | null = null): MethodFacts => ({
      brand,
      instrument: { type: 'card', instrument_data: data },
    });
    const of = (facts: MethodFacts) => meansOf(facts).networks;
    assert.deepEqual(of(card({ card_networks: ['eftpos'], card_bin: '42424242' })), ['eftpos', 'visa']);
    assert.deepEqual(of(card({ card_bin: '42424242' }, 'American Express')), ['amex', 'visa']);
    assert.deepEqual(of(card({ card_networks: ['visa', 'visa'] }, 'Visa')), ['visa']);
    for (const unknown of [card({}), card({ wallet: 'apple_pay' }), card({ card_bin: '99999999' }, 'Bankcard')]) {
      assert.deepEqual(meansOf(unknown), { type: 'card', networks: [], funding: null });
    }
    assert.equal(meansOf(card({ card_funding: 'prepaid' })).funding, 'prepaid');
    const account = { brand: null, instrument: { type: 'au_becs_debit', instrument_data: {} } } as const;
    assert.deepEqual(meansOf(account), { type: 'au_becs_debit', networks: [], funding: null });
  });
});
