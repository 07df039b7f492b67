import assert from 'node:assert/strict';
import { describe, it } from 'mocha';
import { randomBase62 } from '../../src/domain/base62.ts';
import { newId } from '../../src/domain/ids.ts';
import { originOf, withoutSecrets } from '../../src/platform/redact.ts';
import { createVault } from '../../src/services/accounts/vault.ts';
import { newChallenge } from '../../src/services/webhooks/challenge.ts';
import { newSigningSecret } from '../../src/services/webhooks/signing.ts';

describe('a text without secrets', () => {
  it('has every key, client secret, signing secret and challenge cut out, wherever they stand', () => {
    const intent = newId('payment_intent', { livemode: false });
    const secrets = [
      `sk_live_${randomBase62(43)}`,
      `pk_sandbox_${randomBase62(43)}`,
      newSigningSecret(),
      newChallenge(),
      createVault([{ id: 'k', key: Buffer.alloc(32) }]).clientSecretOf(intent),
    ];
    for (const secret of secrets) {
      for (const text of [secret, `/api/v1/customers/${secret}`, `"${secret}",${secret} ${secret}`, `a=${secret}&b`]) {
        const cut = withoutSecrets(text);
        assert.equal(cut.includes(secret.slice(-16)), false, cut);
        assert.equal(cut.split('[redacted]').length, text.split(secret).length, cut);
      }
    }
  });

  it('still says what sort of secret was there, and whose', () => {
    assert.equal(
      withoutSecrets(`No such customer: sk_live_${'a'.repeat(43)}.`),
      'No such customer: sk_live_[redacted].',
    );
    assert.equal(withoutSecrets(`pi_1_secret_${'a'.repeat(43)}`), 'pi_1_secret_[redacted]');
  });

  it('has the password of a URL cut out, and nothing else of it', () => {
    assert.equal(
      withoutSecrets('connect to postgres://payments:p%40ss@db.internal:5432/payments failed'),
      'connect to postgres://payments:[redacted]@db.internal:5432/payments failed',
    );
  });

  it('is otherwise as it was', () => {
    for (const text of [
      '',
      '/api/v1/payment_intents/pi_sandbox_0Ab3dE6hIj9kLmNoPqRsTuVwXyZ01234/confirm',
      'use one of the tok_sandbox_visa_succeed of the reference',
      'sk_sandbox_ is the prefix of a key, whsec_ that of a secret',
      'http://127.0.0.1:8080/docs, mail to a@b.co',
    ]) {
      assert.equal(withoutSecrets(text), text);
    }
  });
});

describe('a biller’s URL, as operators see it', () => {
  it('has scheme, host and port alone: path and query may hold secrets', () => {
    assert.equal(originOf('https://shop.example:8443/hook/key?token=hidden'), 'https://shop.example:8443');
    assert.equal(originOf('https://ada:hidden@shop.example/'), 'https://shop.example');
    assert.equal(originOf('hidden'), 'an unknown address');
  });
});
