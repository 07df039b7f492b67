import assert from 'node:assert/strict';
import { createHash, randomBytes } from 'node:crypto';
import { describe, it } from 'mocha';
import { createVault, VaultError } from '../../src/services/vault.ts';

const older = { id: '2025', key: randomBytes(32) };
const newer = { id: '2026', key: randomBytes(32) };
const intent = 'pi_sandbox_0Ab3dE6hIj9kLmNoPqRsTuVwXyZ01234';

describe('the vault', () => {
  it('opens what it sealed, whatever the text', () => {
    const vault = createVault([newer]);
    for (const text of ['', '123456789', 'Zoë 💶', 'x'.repeat(300_000)]) {
      assert.equal(vault.open(vault.seal(text)), text);
    }
  });

  it('never seals the same text to the same bytes, and leaves nothing of it readable', () => {
    const vault = createVault([newer]);
    const sealed = vault.seal('123456789');
    assert.notDeepEqual(sealed, vault.seal('123456789'));
    assert.equal(sealed.includes('123456789'), false);
  });

  it('seals with the first key and opens with all of them, so that keys rotate', () => {
    const sealedBefore = createVault([older]).seal('kept');
    const vault = createVault([newer, older]);
    assert.equal(vault.open(sealedBefore), 'kept');
    assert.equal(createVault([newer]).open(vault.seal('new')), 'new');
  });

  it('names the key that is missing', () => {
    assert.throws(() => createVault([newer]).open(createVault([older]).seal('kept')), /"2025" is not configured/);
  });

  it('refuses bytes of which any single one was changed', () => {
    const vault = createVault([newer]);
    const sealed = vault.seal('123456789');
    for (let position = 0; position < sealed.length; position++) {
      const changed = Buffer.from(sealed);
      changed.writeUInt8(changed.readUInt8(position) ^ 1, position);
      assert.throws(() => vault.open(changed), VaultError, `byte ${position}`);
    }
  });

  it('refuses bytes that were cut off anywhere', () => {
    const vault = createVault([newer]);
    const sealed = vault.seal('123456789');
    for (let length = 0; length < sealed.length; length++) {
      assert.throws(() => vault.open(sealed.subarray(0, length)), VaultError, `${length} bytes`);
    }
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
