import assert from 'node:assert/strict';
import { describe, it } from 'mocha';
import { realNow } from '../../src/platform/real-time.ts';
import { listAudit } from '../../src/services/accounts/audit.ts';
import { enterDashboard, hiddenFields } from '../support/dashboard.ts';
import { contentsOf } from '../support/pages.ts';
import { useStage } from '../support/stage.ts';

const markup = `"><script src=x></script><img src=x onerror=alert(1)>'`;

describe('the pages of events and webhooks', () => {
  const stage = useStage();
  type Role = 'viewer' | 'support' | 'finance' | 'admin';

  /** A biller with an endpoint, and a delivery to it that was given up. */
  async function school(description = 'Bookkeeping') {
    const { merchant, keys } = await stage.stranger();
    const endpoint = await merchant.request('POST', '/webhook_endpoints', {
      ...{ url: 'https://93.184.216.34/payments', event_types: ['payment_intent.*'], description },
    });
    assert.equal(endpoint.status, 201, endpoint.text);
    const { id: endpointId } = endpoint.body;
    const payer = await merchant.payer({ name: 'Ada Lovelace' });
    const payment_method = await merchant.card(payer.id);
    await merchant.intent({ customer_id: payer.id, payment_method, confirm: true });
    const deliveries = async () =>
      (await merchant.request('GET', `/webhook_endpoints/${endpointId}/deliveries`)).body.data as {
        id: string;
        status: string;
        failure_reason: string | null;
      }[];
    const [delivery] = await deliveries();
    assert.ok(delivery);
    const fail = (answer = 'nothing') => stage.db.sql`
      with tried as (
        insert into webhook_delivery_attempts (delivery_id, number, at, status_code, error, duration_ms,
          response_excerpt)
        values (${delivery.id}, 1, ${realNow()}, 500, 'The response was 500.', 12, ${answer})
      )
      update webhook_deliveries
      set status = 'failed', failure_reason = 'All attempts have failed.', next_attempt_at = null, attempt_count = 1,
        finished_at = ${realNow()}
      where id = ${delivery.id}`;
    const enter = (role: Role, person?: string) => enterDashboard(stage.api.url, keys.sandboxSecret, role, person);
    return { merchant, keys, endpointId, delivery, deliveries, fail, enter, payer };
  }

  it('say how each endpoint does, and what has not arrived', async () => {
    const { merchant, endpointId, delivery, fail, enter } = await school();
    const ann = await enter('viewer');
    const before = await ann.get('webhooks');
    assert.match(before.text, /93\.184\.216\.34\/payments Bookkeeping enabled Nothing has arrived yet\./);
    await fail();
    const after = await ann.get('webhooks');
    assert.match(after.text, /Not delivered .*payment_intent\.succeeded .*500, The response was 500\. All attempts/);
    const page = await ann.get(`webhooks/${delivery.id}`);
    assert.match(
      page.text,
      /payment_intent\.succeeded not delivered All attempts .* 500, The response was 500\., after 12/,
    );
    assert.ok(!page.html.includes('/send'));
    await merchant.request('PUT', `/webhook_endpoints/${endpointId}`, { status: 'disabled' });
    assert.match((await ann.get('webhooks')).text, /disabled Nothing is sent to it: you have asked for it\./);
    const { text } = await (await (await school()).enter('viewer')).get('webhooks');
    assert.ok(!text.includes('Not delivered'));
  });

  it('send a delivery again once, however often the form is sent; the audit log names the person', async () => {
    const { keys, delivery, deliveries, fail, enter } = await school();
    await fail();
    const ann = await enter('support', 'Ann');
    const path = `webhooks/${delivery.id}/send`;
    assert.ok((await ann.get(`webhooks/${delivery.id}`)).html.includes(path));
    const page = await ann.get(path);
    assert.match(page.text, /Send payment_intent\.succeeded again\? To https:\/\/93\.184\.216\.34/);
    const form = hiddenFields(page.html, path);
    assert.equal((await deliveries())[0]?.status, 'failed');
    const sent = await Promise.all([1, 2, 3].map(() => ann.send(path, form)));
    assert.deepEqual(
      sent.map(({ status, headers }) => [status, headers.get('location')]),
      Array(3).fill([303, `/dashboard/webhooks/${delivery.id}`]),
    );
    assert.equal((await deliveries()).find(({ id }) => id === delivery.id)?.status, 'pending');
    const log = await listAudit(stage.db.sql, { billerId: keys.biller.id, limit: 20 });
    const entries = log.filter(({ action }) => action === 'webhook_delivery.sent_again');
    assert.deepEqual(
      entries.map(({ actor, subject_id: subject }) => [actor, subject]),
      [[{ kind: 'person', id: 'Ann' }, delivery.id]],
    );
    assert.match((await ann.get(`webhooks/${delivery.id}`)).text, /Sent again by Ann/);
  });

  it('send nothing for a viewer or finance, another biller, the other mode, or with a form that is foreign', async () => {
    const { keys, delivery, fail, enter } = await school();
    await fail();
    const path = `webhooks/${delivery.id}/send`;
    const ann = await enter('support');
    const form = hiddenFields((await ann.get(path)).html, path);
    const other = await school();
    const outsiders = [await other.enter('admin'), await enterDashboard(stage.api.url, keys.liveSecret, 'admin')];
    const roles = [await enter('viewer'), await enter('finance')];
    const bob = await enter('support');
    const before = await contentsOf(stage);
    for (const visitor of roles) {
      assert.equal((await visitor.get(path)).status, 403);
      assert.equal((await visitor.send(path, form)).status, 403);
    }
    for (const visitor of outsiders) {
      assert.equal((await visitor.get(`webhooks/${delivery.id}`)).status, 404);
      assert.equal((await visitor.get(path)).status, 404);
      assert.equal((await visitor.send(path, form)).status, 403);
    }
    assert.equal((await bob.send(path, form)).status, 403);
    assert.equal((await ann.send(`webhooks/${other.delivery.id}/send`, form)).status, 403);
    assert.equal((await ann.send(path, {})).status, 403);
    assert.equal((await ann.send(path, form, { 'Sec-Fetch-Site': 'cross-site' })).status, 400);
    assert.equal(await contentsOf(stage), before);
    assert.equal((await ann.get('webhooks/whd_unknown/send')).status, 404);
  });

  it('refuse to send to an endpoint that is disabled or deleted', async () => {
    const { merchant, endpointId, delivery, fail, enter } = await school();
    await fail();
    const ann = await enter('admin');
    const path = `webhooks/${delivery.id}/send`;
    const form = hiddenFields((await ann.get(path)).html, path);
    await merchant.request('PUT', `/webhook_endpoints/${endpointId}`, { status: 'disabled' });
    assert.equal((await ann.get(path)).status, 422);
    assert.equal((await ann.send(path, form)).status, 422);
    await merchant.request('DELETE', `/webhook_endpoints/${endpointId}`);
    assert.equal((await ann.get(path)).status, 422);
    const { text, html } = await ann.get(`webhooks/${delivery.id}`);
    assert.match(text, /an endpoint that is deleted/);
    assert.ok(!html.includes('/send'));
  });

  it('list events in words, by type and customer, without their data', async () => {
    const { enter, payer, merchant } = await school();
    const ann = await enter('viewer');
    const { text, html } = await ann.get('events');
    assert.match(text, /A\$10\.00 collected payment_intent\.succeeded/);
    assert.ok(html.includes(`/dashboard/customers/${payer.id}`));
    const link = await merchant.request('POST', '/payment_links', { name: 'Camp', amount: 100, currency: 'AUD' });
    assert.ok(!(await ann.get('events')).html.includes(link.body.url ?? 'no url'));
    const none = await ann.get('events?event_type=payment_intent.failed');
    assert.match(none.text, /No events\./);
    for (const query of ['event_type=%27%20or%201=1', `customer_id=${encodeURIComponent(markup)}`, 'object_id=%25']) {
      const page = await ann.get(`events?${query}`);
      assert.match(page.text, /No events\./, query);
      assert.ok(!page.html.includes('<script') && !page.html.includes('<img'));
    }
    for (const query of ['colour=red', `object_id=${'x'.repeat(10_000)}`, 'limit=1000', 'starting_after=evt_1']) {
      assert.equal((await ann.get(`events?${query}`)).status, 400, query.slice(0, 20));
    }
    const stranger = await (await school()).enter('viewer');
    assert.match((await stranger.get(`events?customer_id=${payer.id}`)).text, /No events\./);
  });

  it('write what receivers and people say as text, and no secret', async () => {
    const { merchant, endpointId, delivery, fail, enter } = await school(markup);
    await fail(markup);
    const rotated = await merchant.request('POST', `/webhook_endpoints/${endpointId}/rotate_secret`, {});
    const ann = await enter('admin');
    for (const path of ['webhooks', `webhooks/${delivery.id}`, 'events']) {
      const { html } = await ann.get(path);
      assert.ok(!html.includes('<script') && !html.includes('<img') && !html.includes(rotated.body.secret), path);
    }
  });
});
