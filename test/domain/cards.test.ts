import assert from 'node:assert/strict';
import { brandOf, findFixtureCard, fixtureCards } from '../../src/domain/cards.ts';

describe('fixture cards', () => {
  const table: [token: string, brand: string, last4: string, outcome: string][] = [
    ['tok_sandbox_visa_succeed', 'Visa', '4242', 'succeeded'],
    ['tok_sandbox_visa_decline_insufficient_funds', 'Visa', '0002', 'insufficient_funds'],
    ['tok_sandbox_visa_decline_card_lost', 'Visa', '9987', 'card_declined'],
    ['tok_sandbox_visa_decline_expired_card', 'Visa', '0069', 'expired_card'],
    ['tok_sandbox_visa_3ds_required', 'Visa', '3155', 'requires_action'],
    ['tok_sandbox_visa_timeout', 'Visa', '0119', 'gateway_timeout'],
    ['tok_sandbox_mastercard_succeed', 'Mastercard', '4444', 'succeeded'],
    ['tok_sandbox_amex_succeed', 'Amex', '8431', 'succeeded'],
  ];
  for (const [token, brand, last4, outcome] of table) {
    it(`give ${token} as ${brand} ending ${last4}, ${outcome} when charged`, () => {
      const card = findFixtureCard(token);
      assert.ok(card);
      assert.deepEqual([card.token, card.brand, card.last4], [token, brand, last4]);
      assert.equal(card.outcome.kind === 'failed' ? card.outcome.code : card.outcome.kind, outcome);
    });
  }

  it('are those of the contract and an expired card, and no more', () => {
    assert.deepEqual(
      fixtureCards.map((card) => card.token),
      table.map(([token]) => token),
    );
  });

  it('are found by the exact token alone', () => {
    for (const token of ['tok_sandbox_visa', 'tok_sandbox_visa_succeed ', 'TOK_SANDBOX_VISA_SUCCEED', '', 'toString']) {
      assert.equal(findFixtureCard(token), null, token);
    }
  });
});

describe('card brands', () => {
  const table: [digits: string, brand: string | null][] = [
    ['4', 'Visa'],
    ['42424242', 'Visa'],
    ['5155', 'Mastercard'],
    ['51550000', 'Mastercard'],
    ['34000000', 'American Express'],
    ['37828224', 'American Express'],
    ['6011', 'Discover'],
    ['65000000', 'Discover'],
    ['36000000', 'Diners Club'],
    ['38000000', 'Diners Club'],
    ['35300000', 'JCB'],
    ['5154', null],
    ['515', null],
    ['6012', null],
    ['601', null],
    ['64000000', null],
    ['3', null],
    ['33000000', null],
    ['39000000', null],
    ['94000000', null],
    ['', null],
    ['4242-4242', null],
    [' 4242', null],
    ['4２', null],
  ];
  for (const [digits, brand] of table) {
    it(`follow the digits ${JSON.stringify(digits)}: ${brand ?? 'none'}`, () => {
      assert.equal(brandOf(digits), brand);
    });
  }
});
