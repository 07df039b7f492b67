import assert from 'node:assert/strict';
import { randomBytes } from 'node:crypto';
import { describe, it } from 'mocha';
import { grantRights } from '../../src/db/grants.ts';
import type { Id } from '../../src/domain/ids.ts';
import { addMs } from '../../src/domain/instants.ts';
import type { Tx } from '../../src/platform/postgres/connection.ts';
import { atomically } from '../../src/platform/postgres/transaction.ts';
import { realNow } from '../../src/platform/real-time.ts';
import { revokeKey, rollKey } from '../../src/services/accounts/api-keys.ts';
import { type AuditRecord, changesBetween, listAudit, recordAudit } from '../../src/services/accounts/audit.ts';
import { ensureDemoBiller } from '../../src/services/accounts/billers.ts';
import { attemptDelivery } from '../../src/services/webhooks/attempt.ts';
import { createWebhookSender } from '../../src/services/webhooks/sender.ts';
import { send, useApi } from '../support/api.ts';
import { useDatabase } from '../support/database.ts';
import { makeBiller, makeKey, tester } from '../support/factories.ts';
import { deliveryOf, makeCall, makeEndpoint, makeEvent, useReceiver, webhookDeps } from '../support/webhooks.ts';

const now = realNow();
const deed = { by: tester, now };

describe('the audit log', () => {
  const db = useDatabase();

  /** What was recorded of a biller, oldest first. */
  const told = async (billerId: Id<'biller'>): Promise<AuditRecord[]> =>
    (await listAudit(db.sql, { billerId, limit: 100 })).reverse();

  it('tells of a new biller: who, when and what', async () => {
    const { id } = await makeBiller(db.sql, { ...deed, timeZone: 'Australia/Sydney' });
    const [{ id: number, ...entry } = assert.fail(), ...others] = await told(id);
    assert.deepEqual(others, []);
    assert.ok(number >= 1);
    assert.deepEqual(entry, {
      at: now,
      action: 'biller.created',
      actor: tester,
      biller_id: id,
      livemode: null,
      subject_id: id,
      request_id: null,
      changes: {
        name: { from: null, to: 'Test biller' },
        require_mandates: { from: null, to: false },
        time_zone: { from: null, to: 'Australia/Sydney' },
      },
    });
  });

  it('tells of each key that is made, rolled and revoked, with its mode and when it ends', async () => {
    const { id: billerId } = await makeBiller(db.sql);
    const first = await makeKey(db.sql, { billerId, livemode: true, scopes: ['events:read'] });
    const second = await rollKey(db.sql, first.id, { overlapHours: 1, ...deed });
    await revokeKey(db.sql, first.id, deed);
    const entries = (await told(billerId)).slice(1);
    const ends = new Date(now.getTime() + 3_600_000).toISOString();
    const made = { kind: { from: null, to: 'secret' }, scopes: { from: null, to: ['events:read'] } };
    assert.deepEqual(
      entries.map(({ action, subject_id, livemode, changes }) => [action, subject_id, livemode, changes]),
      [
        ['api_key.created', first.id, true, made],
        ['api_key.rolled', first.id, true, { revoked_at: { from: null, to: ends } }],
        ['api_key.created', second.id, true, made],
        ['api_key.revoked', first.id, true, { revoked_at: { from: ends, to: now.toISOString() } }],
      ],
    );
  });

  it('tells nothing of a revocation that changes nothing', async () => {
    const { id, biller_id } = await makeKey(db.sql);
    await revokeKey(db.sql, id, deed);
    const before = await told(biller_id);
    await revokeKey(db.sql, id, { ...deed, now: addMs(now, 1000) });
    assert.deepEqual(await told(biller_id), before);
  });

  it('names the service itself for the demo biller and its keys', async () => {
    const { billerId } = await ensureDemoBiller(db.sql, null);
    const entries = await told(billerId);
    assert.equal(entries.length, 5);
    for (const { actor } of entries) assert.deepEqual(actor, { kind: 'service', id: 'start' });
  });

  it('never holds a key, its hash or the end of it', async () => {
    const { key, hint, biller_id } = await makeKey(db.sql);
    const [row] = await db.sql`select hash from api_keys where biller_id = ${biller_id}`;
    const text = JSON.stringify(await db.sql`select * from audit_log where biller_id = ${biller_id}`);
    for (const part of [key, hint, row?.hash.toString('hex'), row?.hash.toString('base64')]) {
      assert.equal(text.includes(`"${part}"`) || text.includes(key.slice(11)), false);
    }
  });

  it('is written with the change or not at all', async () => {
    const { id: billerId } = await makeBiller(db.sql);
    const before = await told(billerId);
    const failing = atomically(db.sql, async (tx) => {
      await makeKey(tx, { billerId });
      throw new Error('the change fails');
    });
    await assert.rejects(failing, /the change fails/);
    assert.deepEqual(await told(billerId), before);
    await db.sql`alter table audit_log add constraint broken check (action <> 'api_key.created') not valid`;
    await assert.rejects(makeKey(db.sql, { billerId }), /broken/);
    await db.sql`alter table audit_log drop constraint broken`;
    assert.equal((await db.sql`select 1 from api_keys where biller_id = ${billerId}`).length, 0);
  });

  it('refuses that an entry is changed or removed, even to a session that replicates', async () => {
    await makeBiller(db.sql);
    const before = await listAudit(db.sql, { limit: 100 });
    for (const role of ['origin', 'replica']) {
      for (const statement of [
        `update audit_log set actor_id = 'somebody else'`,
        'delete from audit_log',
        'truncate audit_log',
        'truncate billers cascade',
      ]) {
        const refused = db.sql.begin(async (tx) => {
          await tx.unsafe(`set local session_replication_role = ${role}`);
          await tx.unsafe(statement);
        });
        await assert.rejects(refused, { code: '23001' }, `${statement} as ${role}`);
      }
    }
    assert.deepEqual(await listAudit(db.sql, { limit: 100 }), before);
  });

  it('can be written and not rewritten by the role that the service runs as', async () => {
    const role = `service_${randomBytes(6).toString('hex')}`;
    await db.sql.unsafe(`create role ${role}`);
    try {
      await grantRights(db.sql, role);
      const as = (work: (tx: Tx) => Promise<unknown>) =>
        atomically(db.sql, async (tx) => {
          await tx.unsafe(`set local role ${role}`);
          await work(tx);
        });
      await as((tx) => makeKey(tx));
      for (const statement of [
        'update audit_log set at = now()',
        'delete from audit_log',
        'truncate audit_log',
        'alter table audit_log disable trigger all',
        'drop trigger audit_log_only_grows on audit_log',
      ]) {
        await assert.rejects(
          as((tx) => tx.unsafe(statement)),
          { code: '42501' },
          statement,
        );
      }
    } finally {
      await db.sql.unsafe(`drop owned by ${role}; drop role ${role}`);
    }
  });

  it('is read newest first, in pages, for one biller or for all', async () => {
    const { id: billerId } = await makeBiller(db.sql);
    for (let n = 0; n < 3; n++) await makeKey(db.sql, { billerId });
    const all = await listAudit(db.sql, { billerId, limit: 100 });
    assert.equal(all.length, 4);
    assert.ok(all.every(({ id }, index) => index === 0 || id < (all[index - 1]?.id ?? 0)));
    const first = await listAudit(db.sql, { billerId, limit: 2 });
    const rest = await listAudit(db.sql, { billerId, limit: 2, before: first.at(-1)?.id });
    assert.deepEqual([...first, ...rest], all);
    const { id: other } = await makeBiller(db.sql);
    assert.deepEqual(
      (await listAudit(db.sql, { limit: 2 })).map(({ biller_id }) => biller_id),
      [other, billerId],
    );
  });

  it('takes an entry of the whole service, which belongs to no biller', async () => {
    const at = realNow();
    const entry = { action: 'encryption.rotation_begun', by: tester, at, tenant: null, subjectId: null } as const;
    await recordAudit(db.sql, { ...entry, changes: { keys: { from: ['k1'], to: ['k2', 'k1'] } } });
    const [newest] = await listAudit(db.sql, { limit: 1 });
    assert.deepEqual([newest?.biller_id, newest?.subject_id, newest?.livemode], [null, null, null]);
    assert.deepEqual(newest?.changes, { keys: { from: ['k1'], to: ['k2', 'k1'] } });
  });
});

describe('the audit log of URLs that open something', () => {
  const db = useDatabase();
  const api = useApi(db);

  it('tells which key has made a session of the dashboard or given a payment link another URL, and never the URL', async () => {
    const { key, id: keyId, biller_id: billerId } = await makeKey(db.sql);
    const ask = async (path: string, body?: unknown) => {
      const reply = await send(`${api.url}/api/v1${path}`, 'POST', { key, body });
      assert.ok(reply.status < 300, reply.text);
      return { ...reply.body, requestId: reply.headers.get('request-id') };
    };
    const session = await ask('/dashboard_sessions', { person: 'Ann', role: 'viewer' });
    const link = await ask('/payment_links', { name: 'Invoice', amount: 2500, currency: 'AUD' });
    const rotated = await ask(`/payment_links/${link.id}/rotate_url`);
    assert.notEqual(rotated.url, link.url);
    const entries = (await listAudit(db.sql, { billerId, limit: 2 })).reverse();
    assert.deepEqual(
      entries.map(({ action, actor, subject_id, livemode, request_id, changes }) => {
        return { action, actor, subject_id, livemode, request_id, changes };
      }),
      [
        {
          action: 'dashboard_session.created',
          actor: { kind: 'api_key', id: keyId },
          subject_id: session.id,
          livemode: false,
          request_id: session.requestId,
          changes: { person: { from: null, to: 'Ann' }, role: { from: null, to: 'viewer' } },
        },
        {
          action: 'payment_link.url_rotated',
          actor: { kind: 'api_key', id: keyId },
          subject_id: link.id,
          livemode: false,
          request_id: rotated.requestId,
          changes: {},
        },
      ],
    );
    const text = JSON.stringify(entries);
    const tokens = [session.url, link.url, rotated.url].map((url: string) => url.split('/').filter(Boolean).at(-1));
    for (const token of tokens) assert.equal(text.includes(String(token)), false);
  });
});

describe('the audit log of webhook endpoints', () => {
  const db = useDatabase();
  const api = useApi(db);
  const receiver = useReceiver();

  it('tells of each change which key asked for it, in which request, and what was what; and of no secret', async () => {
    const { key, id: keyId, biller_id: billerId } = await makeKey(db.sql);
    const ask = async (method: string, path: string, body?: unknown) => {
      const reply = await api.send(method, `/api/v1/webhook_endpoints${path}`, { key, body });
      assert.ok(reply.status < 300, reply.text);
      return { ...reply.body, requestId: reply.headers.get('request-id') };
    };
    const made = await ask('POST', '', { url: 'http://127.0.0.1:9/a?password=hunter2', description: 'ours' });
    const path = `/${made.id}`;
    const moved = await ask('PUT', path, { url: 'http://127.0.0.1:9/b', status: 'disabled' });
    await ask('PUT', path, { url: 'http://127.0.0.1:9/b' });
    const asked = await ask('PUT', path, { url: 'http://127.0.0.1:9/b?password=hunter3' });
    const rotated = await ask('POST', `${path}/rotate_secret`, { overlap_hours: 2 });
    const deleted = await ask('DELETE', path);

    const entries = (await listAudit(db.sql, { billerId, limit: 100 })).reverse().slice(2);
    assert.deepEqual(
      entries.map(({ action, request_id }) => [action, request_id]),
      [
        ['webhook_endpoint.created', made.requestId],
        ['webhook_endpoint.updated', moved.requestId],
        ['webhook_endpoint.updated', asked.requestId],
        ['webhook_endpoint.secret_rotated', rotated.requestId],
        ['webhook_endpoint.deleted', deleted.requestId],
      ],
    );
    for (const { actor, subject_id, livemode } of entries) {
      assert.deepEqual([actor, subject_id, livemode], [{ kind: 'api_key', id: keyId }, made.id, false]);
    }
    const [creation, move, change, rotation, deletion] = entries.map(({ changes }) => changes);
    assert.deepEqual(creation, {
      url: { from: null, to: 'http://127.0.0.1:9/a?…' },
      event_types: { from: null, to: ['*'] },
      description: { from: null, to: 'ours' },
      status: { from: null, to: 'enabled' },
    });
    assert.deepEqual(move, {
      url: { from: 'http://127.0.0.1:9/a?…', to: 'http://127.0.0.1:9/b' },
      status: { from: 'enabled', to: 'disabled' },
      disabled_reason: { from: null, to: 'requested' },
    });
    assert.deepEqual(change, { url: { from: 'http://127.0.0.1:9/b', to: 'http://127.0.0.1:9/b?…' } });
    assert.deepEqual(Object.keys(rotation ?? {}), ['previous_secret_expires_at']);
    assert.deepEqual(deletion?.url, { from: 'http://127.0.0.1:9/b?…', to: null });
    const text = JSON.stringify(entries);
    for (const secret of [made.secret, rotated.secret, 'hunter', key]) assert.equal(text.includes(secret), false);
  });

  it('names the service where it has disabled an endpoint on its own, and why', async () => {
    const call = await makeCall(db.sql);
    const endpoint = await makeEndpoint(db.sql, call, `${receiver.url}/hook`);
    const delivery = await deliveryOf(db.sql, await makeEvent(db.sql, call), endpoint.id);
    receiver.answer = (_request, response) => response.writeHead(410).end();
    const sender = createWebhookSender({ policy: webhookDeps.outbound });
    const deps = { vault: webhookDeps.vault, sender, now: realNow, random: () => 0.5 };
    await attemptDelivery(db.sql, deps, delivery, null);
    await sender.close();
    const [entry] = await listAudit(db.sql, { billerId: call.billerId, limit: 1 });
    assert.deepEqual(
      [entry?.action, entry?.actor, entry?.subject_id, entry?.request_id],
      ['webhook_endpoint.disabled', { kind: 'service', id: 'webhook delivery' }, endpoint.id, null],
    );
    assert.deepEqual(entry?.changes, {
      status: { from: 'enabled', to: 'disabled' },
      disabled_reason: { from: null, to: 'gone' },
    });
  });
});

describe('the changes of an entry', () => {
  it('are the fields that differ, in their values before and after', () => {
    const before = { url: 'https://a', event_types: ['*'], description: 'same' };
    const after = { url: 'https://b', event_types: ['*'], description: 'same' };
    assert.deepEqual(changesBetween(before, after), { url: { from: 'https://a', to: 'https://b' } });
    assert.deepEqual(changesBetween(before, before), {});
  });

  it('have null for what was not there before, or is not there after', () => {
    assert.deepEqual(changesBetween(null, { name: 'x', zone: null }), { name: { from: null, to: 'x' } });
    assert.deepEqual(changesBetween({ name: 'x' }, null), { name: { from: 'x', to: null } });
  });
});
