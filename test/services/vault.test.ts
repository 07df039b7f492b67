import assert from 'node:assert/strict';
import { createHash, randomBytes } from 'node:crypto';
import { describe, it } from 'mocha';
import { sealedField } from '../../src/db/sealed-values.ts';
import { createVault, VaultError } from '../../src/services/accounts/vault.ts';

const older = { id: '2025', key: randomBytes(32) };
const newer = { id: '2026', key: randomBytes(32) };
const intent = 'pi_sandbox_0Ab3dE6hIj9kLmNoPqRsTuVwXyZ01234';
const field = sealedField('account_numbers', { billerId: 'acct_1', livemode: false }, 'pm_1');

describe('the vault', () => {
  it('opens what it sealed, whatever the text', () => {
    const vault = createVault([newer]);
    for (const text of ['', '123456789', 'Zoë 💶', 'x'.repeat(300_000)]) {
      assert.equal(vault.open(vault.seal(text, field), field), text);
    }
  });

  it('never seals the same text to the same bytes, and leaves nothing of it readable', () => {
    const vault = createVault([newer]);
    const sealed = vault.seal('123456789', field);
    assert.notDeepEqual(sealed, vault.seal('123456789', field));
    assert.equal(sealed.includes('123456789'), false);
  });

  it('seals with the first key and opens with all of them, so that keys rotate', () => {
    const sealedBefore = createVault([older]).seal('kept', field);
    const vault = createVault([newer, older]);
    assert.equal(vault.open(sealedBefore, field), 'kept');
    assert.equal(createVault([newer]).open(vault.seal('new', field), field), 'new');
  });

  it('names the key that is missing', () => {
    assert.throws(
      () => createVault([newer]).open(createVault([older]).seal('kept', field), field),
      /"2025" is not configured/,
    );
  });

  it('refuses bytes of which any single one was changed', () => {
    const vault = createVault([newer]);
    const sealed = vault.seal('123456789', field);
    for (let position = 0; position < sealed.length; position++) {
      for (const bits of [1, 3, 255]) {
        const changed = Buffer.from(sealed);
        changed.writeUInt8(changed.readUInt8(position) ^ bits, position);
        assert.throws(() => vault.open(changed, field), VaultError, `byte ${position}`);
      }
    }
  });

  it('refuses bytes that were cut off anywhere', () => {
    const vault = createVault([newer]);
    const sealed = vault.seal('123456789', field);
    for (let length = 0; length < sealed.length; length++) {
      assert.throws(() => vault.open(sealed.subarray(0, length), field), VaultError, `${length} bytes`);
    }
  });

  it('opens what this version has always sealed: its bytes do not change unnoticed', () => {
    const kept = createVault([{ id: 'kept', key: Buffer.alloc(32, 5) }]);
    const sealed = Buffer.from(
      '01046b657074bc296ce50dafd1405cbcd30c589e56d791c3de4229fb96e9ff86ff74380fb71b6f6cd66a7898be245a2000492b471356898ae4d5855ca822b7',
      'hex',
    );
    assert.equal(kept.open(sealed, field), '123456789');
  });

  it('seals each value with a key of its own, so that no number of values makes a nonce repeat', () => {
    const vault = createVault([newer]);
    const salts = Array.from({ length: 1_000 }, () => vault.seal('', field).subarray(2 + newer.id.length, -16));
    assert.equal(new Set(salts.map((salt) => salt.toString('hex'))).size, 1_000);
    assert.ok(salts.every((salt) => salt.length === 32));
  });

  it('cannot be made without a key, with a short one, or with one id twice', () => {
    assert.throws(() => createVault([]), TypeError);
    assert.throws(() => createVault([{ id: 'short', key: randomBytes(16) }]), TypeError);
    assert.throws(() => createVault([older, { id: older.id, key: randomBytes(32) }]), TypeError);
  });

  it('tells the same text from another under each of its keys, and nothing to who has none of them', () => {
    const [mine, before] = createVault([newer, older]).fingerprintsOf(['POST /x\n', Buffer.from('body')]);
    assert.deepEqual(createVault([older]).fingerprintsOf(['POST /x\nbody'])[0], before);
    assert.deepEqual(createVault([newer]).fingerprintsOf(['POST /x\n', 'body']), [mine]);
    assert.notDeepEqual(createVault([newer]).fingerprintsOf(['POST /x\n', 'bodz'])[0], mine);
    assert.notDeepEqual(createHash('sha256').update('POST /x\nbody').digest(), mine);
  });

  it('derives a client secret that names its intent, stays the same and is 43 base62 characters', () => {
    const secret = createVault([newer]).clientSecretOf(intent);
    assert.match(secret, new RegExp(`^${intent}_secret_[0-9A-Za-z]{43}$`));
    assert.equal(createVault([newer]).clientSecretOf(intent), secret);
    assert.notEqual(createVault([older]).clientSecretOf(intent), secret);
  });

  it('knows a client secret of an older key, and no other text', () => {
    const vault = createVault([newer, older]);
    assert.equal(vault.isClientSecretOf(intent, vault.clientSecretOf(intent)), true);
    assert.equal(vault.isClientSecretOf(intent, createVault([older]).clientSecretOf(intent)), true);
    assert.equal(vault.isClientSecretOf(intent, vault.clientSecretOf(`${intent}x`)), false);
    assert.equal(vault.isClientSecretOf(intent, `${vault.clientSecretOf(intent)}x`), false);
    assert.equal(vault.isClientSecretOf(intent, ''), false);
  });
});
