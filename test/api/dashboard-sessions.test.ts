import assert from 'node:assert/strict';
import { describe, it } from 'mocha';
import { listAudit } from '../../src/services/accounts/audit.ts';
import { allScopes } from '../../src/services/accounts/scopes.ts';
import { makeKey } from '../support/factories.ts';
import { faultPaths, rowCounts, useStage } from '../support/stage.ts';

const path = '/api/v1/dashboard_sessions';
const ann = { person: 'ann@school.example', role: 'support' };

describe('a dashboard session', () => {
  const stage = useStage();
  const create = (body: unknown = ann, key = stage.keys.sandboxSecret, headers: Record<string, string> = {}) =>
    stage.api.send('POST', path, { key, body, headers });

  it('is made for an hour, or for as long as is asked, in either mode', async () => {
    const { status, body } = await create();
    assert.equal(status, 201);
    const { id, url, expires_at, created_at, ...rest } = body;
    assert.deepEqual(rest, { object: 'dashboard_session', ...ann, livemode: false });
    assert.match(id, /^dbs_[0-9A-Za-z]{32}$/);
    assert.match(url, /\/dashboard\/enter\/[0-9A-Za-z]{43}$/);
    assert.equal(Date.parse(expires_at) - Date.parse(created_at), 3_600_000);
    const live = await create({ ...ann, expires_in: 300 }, stage.keys.liveSecret);
    assert.equal(live.body.livemode, true);
    assert.equal(Date.parse(live.body.expires_at) - Date.parse(live.body.created_at), 300_000);
  });

  it('is not made without a person, without a role, and for longer than half a day', async () => {
    assert.deepEqual(faultPaths(await create({}), 422), ['/person', '/role']);
    assert.deepEqual(faultPaths(await create({ person: '', role: 'owner' }), 422), ['/person', '/role']);
    assert.deepEqual(faultPaths(await create({ ...ann, person: 'x'.repeat(201) }), 422), ['/person']);
    for (const expires_in of [299, 43_201, 1.5]) {
      assert.deepEqual(faultPaths(await create({ ...ann, expires_in }), 422), ['/expires_in']);
    }
  });

  it('has at most the role that the scopes of its key allow, which is asked before the Idempotency-Key', async () => {
    const scopes = allScopes.filter((scope) => scope !== 'balance:read');
    const { key } = await makeKey(stage.db.sql, { billerId: stage.keys.biller.id, scopes });
    const before = await rowCounts(stage);
    const headers = { 'Idempotency-Key': 'one' };
    for (const role of ['finance', 'admin']) {
      const refused = await create({ ...ann, role }, key, headers);
      assert.deepEqual([refused.status, refused.body.error.code], [403, 'insufficient_scope']);
      assert.match(refused.body.error.message, /balance:read/);
    }
    assert.deepEqual(await rowCounts(stage), before);
    assert.equal((await create(ann, key, headers)).status, 201);
    const blind = await makeKey(stage.db.sql, { billerId: stage.keys.biller.id, scopes: ['dashboard:write'] });
    assert.equal((await create({ ...ann, role: 'viewer' }, blind.key)).body.error.code, 'insufficient_scope');
  });

  it('made twice with one Idempotency-Key is one session with one URL', async () => {
    const headers = { 'Idempotency-Key': 'one' };
    const first = await create(ann, stage.keys.sandboxSecret, headers);
    const second = await create(ann, stage.keys.sandboxSecret, headers);
    assert.equal(second.text, first.text);
    const { body } = await stage.request('GET', '/dashboard_sessions');
    assert.equal(body.data.length, 1);
  });

  it('is listed without its URL, the newest first', async () => {
    const first = await create();
    const second = await create({ ...ann, person: 'Bob' });
    const { body } = await stage.request('GET', '/dashboard_sessions?limit=1');
    const { url: _, ...shown } = second.body;
    assert.deepEqual(body, { data: [shown], has_more: true });
    const next = await stage.request('GET', `/dashboard_sessions?starting_after=${second.body.id}`);
    assert.deepEqual(
      next.body.data.map(({ id }: { id: string }) => id),
      [first.body.id],
    );
  });

  it('ends when it is ended, once', async () => {
    const { body } = await create();
    const ended = await stage.request('POST', `/dashboard_sessions/${body.id}/end`);
    assert.equal(ended.status, 200);
    assert.ok(Date.parse(ended.body.expires_at) <= Date.now());
    const again = await stage.request('POST', `/dashboard_sessions/${body.id}/end`);
    assert.equal(again.body.expires_at, ended.body.expires_at);
  });

  it('is in the audit log, with its person and without a token', async () => {
    const { body } = await create();
    await stage.request('POST', `/dashboard_sessions/${body.id}/end`);
    const entries = await listAudit(stage.db.sql, { billerId: stage.keys.biller.id, limit: 2 });
    assert.deepEqual(
      entries.map(({ action, subject_id }) => [action, subject_id]),
      [
        ['dashboard_session.ended', body.id],
        ['dashboard_session.created', body.id],
      ],
    );
    assert.equal(entries[1]?.changes.person?.to, ann.person);
    const [, token = 'none'] = /enter\/(\w+)$/.exec(body.url) ?? [];
    assert.ok(!JSON.stringify(entries).includes(token));
    const [row] = await stage.db.sql`select * from dashboard_sessions where id = ${body.id}`;
    assert.ok(!JSON.stringify(row).includes(token));
    assert.ok(!JSON.stringify(stage.api.log).includes(token));
  });
});
