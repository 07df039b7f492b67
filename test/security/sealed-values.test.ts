import assert from 'node:assert/strict';
import { randomBytes } from 'node:crypto';
import { beforeEach, describe, it } from 'mocha';
import { type SealedColumn, type SealedField, sealedColumns, sealedField } from '../../src/db/sealed-values.ts';
import type { Id } from '../../src/domain/ids.ts';
import { createVault, VaultError } from '../../src/services/accounts/vault.ts';
import { rotateSecret } from '../../src/services/webhooks/endpoints.ts';
import { type Reply, useApi } from '../support/api.ts';
import { useDatabase } from '../support/database.ts';
import { makeKeys } from '../support/factories.ts';
import {
  deliveryOf,
  makeCall,
  makeEndpoint,
  makeEvent,
  useDeliveries,
  useReceiver,
  webhookDeps,
} from '../support/webhooks.ts';

const accountNumber = '123498765';
const bankAccount = {
  type: 'au_becs_debit',
  payment_method_data: { bsb_number: '000-000', account_name: 'Jo', account_number: accountNumber },
};

describe('an attacker who can write to the database, without an encryption key,', () => {
  const db = useDatabase();
  const vault = createVault([{ id: 'test', key: randomBytes(32) }]);
  const api = useApi(db, undefined, () => ({ vault }));
  let victim: Awaited<ReturnType<typeof makeKeys>>;
  let attacker: Awaited<ReturnType<typeof makeKeys>>;

  beforeEach('make two billers', async () => {
    victim = await makeKeys(db.sql);
    attacker = await makeKeys(db.sql);
  });

  const post = (key: string, path: string, body: unknown, name: string): Promise<Reply> =>
    api.send('POST', `/api/v1${path}`, { key, body, headers: { 'Idempotency-Key': name } });

  /** Asserts that a repeated request is refused, and that nothing sealed is returned. */
  function isRefused({ status, text, body }: Reply): void {
    assert.deepEqual([status, body.error?.code], [500, 'internal_error'], text);
    assert.equal(text.includes(accountNumber), false);
  }

  it('cannot read an account number back through the idempotency row of another biller', async () => {
    await post(victim.sandboxSecret, '/payment_methods', bankAccount, 'saved');
    await post(attacker.sandboxSecret, '/customers', { name: 'Mallory' }, 'mine');
    await db.sql`
      update idempotency_keys set sealed_response = (
        select sealed_account_number from payment_methods where biller_id = ${victim.biller.id})
      where biller_id = ${attacker.biller.id}`;
    isRefused(await post(attacker.sandboxSecret, '/customers', { name: 'Mallory' }, 'mine'));
  });

  it('cannot read it back through a row of the same biller', async () => {
    await post(victim.sandboxSecret, '/payment_methods', bankAccount, 'saved');
    await post(victim.sandboxSecret, '/customers', { name: 'Mallory' }, 'mine');
    await db.sql`
      update idempotency_keys set sealed_response = (
        select sealed_account_number from payment_methods where biller_id = ${victim.biller.id})
      where biller_id = ${victim.biller.id} and key = 'mine'`;
    isRefused(await post(victim.sandboxSecret, '/customers', { name: 'Mallory' }, 'mine'));
  });

  it('cannot give a request the response to another: of another key, mode or biller', async () => {
    const [secret, live] = [victim.sandboxSecret, victim.liveSecret];
    const customers = { theirs: { name: 'Theirs' }, mine: { name: 'Mine' } };
    const askFor: Record<string, () => Promise<Reply>> = {
      'another key': () => post(secret, '/customers', customers.mine, 'other'),
      'the live mode': () => post(live, '/customers', customers.mine, 'saved'),
      'another biller': () => post(attacker.sandboxSecret, '/customers', customers.mine, 'saved'),
    };
    assert.equal((await post(secret, '/customers', customers.theirs, 'saved')).status, 201);
    for (const [where, ask] of Object.entries(askFor)) {
      assert.equal((await ask()).status, 201, where);
    }
    await db.sql`
      update idempotency_keys set sealed_response = (
        select sealed_response from idempotency_keys
        where biller_id = ${victim.biller.id} and not livemode and key = 'saved')
      where (biller_id = ${victim.biller.id} and (livemode or key <> 'saved')) or biller_id = ${attacker.biller.id}`;
    for (const ask of Object.values(askFor)) isRefused(await ask());
    assert.equal((await post(secret, '/customers', customers.theirs, 'saved')).status, 201);
  });

  describe('and knows the signing secret of an endpoint', () => {
    const receiver = useReceiver();
    const deliveries = useDeliveries(db, receiver);

    it('cannot have webhooks of another endpoint signed with it', async () => {
      const { id, endpoint } = await deliveries.made();
      const known = await makeEndpoint(db.sql, deliveries.call, `${receiver.url}/known`);
      await db.sql`
        update webhook_endpoints set sealed_secret = (
          select sealed_secret from webhook_endpoints where id = ${known.id})
        where id = ${endpoint.id}`;
      await assert.rejects(deliveries.attempt(id), { name: 'VaultError' });
      assert.equal(receiver.received.length, 0);
    });

    it('cannot make a former secret the current one again', async () => {
      const { id, endpoint } = await deliveries.made();
      await rotateSecret(db.sql, deliveries.call, endpoint.id, {}, webhookDeps);
      assert.equal((await deliveries.attempt(id))?.status, 'delivered');
      const eventId = await makeEvent(db.sql, deliveries.call);
      await db.sql`update webhook_endpoints set sealed_secret = sealed_previous_secret where id = ${endpoint.id}`;
      const later = await deliveryOf(db.sql, eventId, endpoint.id);
      await assert.rejects(deliveries.attempt(later), { name: 'VaultError' });
      assert.equal(receiver.received.length, 1);
    });

    it('cannot have webhooks of another biller signed with it', async () => {
      const mine = await makeCall(db.sql);
      const known = await makeEndpoint(db.sql, mine, `${receiver.url}/known`);
      const theirs = await makeEndpoint(db.sql, deliveries.call, `${receiver.url}/theirs`);
      const id = await deliveryOf(db.sql, await makeEvent(db.sql, deliveries.call), theirs.id);
      await db.sql`
        update webhook_endpoints set sealed_secret = (
          select sealed_secret from webhook_endpoints where id = ${known.id})
        where id = ${theirs.id}`;
      await assert.rejects(deliveries.attempt(id), { name: 'VaultError' });
      assert.equal(receiver.received.length, 0);
    });
  });
});

describe('a sealed value', () => {
  const vault = createVault([{ id: 'test', key: randomBytes(32) }]);
  const fields = (Object.keys(sealedColumns) as SealedColumn[]).flatMap((column) =>
    (['acct_1', 'acct_2'] as const).flatMap((billerId) =>
      [false, true].flatMap((livemode) =>
        ['row_1', 'row_2'].map((rowId) => sealedField(column, { billerId, livemode }, rowId)),
      ),
    ),
  );

  /** Asserts that a value sealed for each of these fields opens only there. */
  function areApart(all: readonly SealedField[]): void {
    for (const [from, field] of all.entries()) {
      const sealed = vault.seal(accountNumber, field);
      for (const [to, other] of all.entries()) {
        if (from === to) assert.equal(vault.open(sealed, other), accountNumber);
        else assert.throws(() => vault.open(sealed, other), VaultError, JSON.stringify([field, other]));
      }
    }
  }

  it('opens only in its own table, column, biller, mode and row: 48 fields, each tried at each place', () => {
    assert.equal(fields.length, 48);
    areApart(fields);
  });

  it('cannot be moved by a row id that reads like another place', () => {
    const names: [Id<'biller'>, string][] = [
      ['acct_1', 'a","b'],
      ['acct_1","a', 'b'],
      ['acct_1",false,"a', 'b'],
      ['acct_1', '",false,"a'],
      ['acct_1', 'ÿ'],
      ['acct_1', '\\u00ff'],
      ['acct_1', '\u017f'],
    ];
    areApart(names.map(([billerId, row]) => sealedField('idempotent_answers', { billerId, livemode: false }, row)));
  });
});
