import assert from 'node:assert/strict';
import { randomBytes } from 'node:crypto';
import { once } from 'node:events';
import type { AddressInfo } from 'node:net';
import { connect } from 'node:net';
import { after, before, beforeEach, describe, it } from 'mocha';
import pino from 'pino';
import Stripe from 'stripe';
import { eventually } from '../../lab/eventually.ts';
import { inParallel } from '../../lab/parallel.ts';
import { chanceOf } from '../../lab/random.ts';
import { rigKey } from '../../lab/stripe-rig/servers.ts';
import { openAccounts, setStatus, writeAccount, writeNoticeSecret } from '../../processors/stripe/accounts.ts';
import { referenceOfMandate } from '../../processors/stripe/debits.ts';
import { openNoticeSecrets } from '../../processors/stripe/notice-secrets.ts';
import { openNoticeWriter, sweepNotices } from '../../processors/stripe/notices.ts';
import { ensureSchema } from '../../processors/stripe/schema.ts';
import { createStripeProcessor } from '../../processors/stripe/server.ts';
import { typesOfEvents } from '../../processors/stripe/stripe-events.ts';
import { createWebhookDoor } from '../../processors/stripe/webhook-door.ts';
import { createHttpProcessor, type HttpProcessor } from '../../src/processors/http-processor.ts';
import { useDatabase } from '../support/database.ts';
import { account, sealingKeys } from './support.ts';

const other = 'acct_othergym';
const secrets = { [account]: 'whsec_harbourgym0000000001', [other]: 'whsec_othergym00000000002' };
const liveSecret = 'whsec_harbourgymlive000003';
const bearer = randomBytes(24).toString('hex');
const mebibyte = 1024 * 1024;

describe('the door for notices of Stripe', function () {
  this.timeout(60_000);
  const database = useDatabase();
  const sql = () => database.sql;
  let url = '';
  let port = 0;
  let processor: HttpProcessor;
  let live: HttpProcessor;
  const ends: (() => unknown)[] = [];
  let last = 0;

  before('open it', async () => {
    await ensureSchema(sql());
    for (const [biller, secret] of Object.entries(secrets)) {
      const place = { account: biller, livemode: false };
      await writeAccount(sql(), sealingKeys, place, { key: rigKey, by: 'test' });
      await writeNoticeSecret(sql(), sealingKeys, place, { secret, by: 'test' });
    }
    const place = { account, livemode: true };
    await writeAccount(sql(), sealingKeys, place, { key: 'sk_live_rig1234567890', by: 'test' });
    await writeNoticeSecret(sql(), sealingKeys, place, { secret: liveSecret, by: 'test' });
    const logger = pino({ level: 'silent' });
    const record = openNoticeWriter(sql());
    const door = createWebhookDoor({
      record,
      mandates: (place, mandate) => referenceOfMandate(sql(), place, mandate),
      secrets: openNoticeSecrets(sql(), sealingKeys, logger),
      logger,
    });
    const accounts = openAccounts(sql(), sealingKeys, 'http://127.0.0.1:1');
    const server = createStripeProcessor({ db: sql(), accounts, secret: bearer, logger, stripeApiUrl: null });
    for (const each of [door, server]) {
      await new Promise<void>((resolve) => each.listen(0, '127.0.0.1', resolve));
      ends.push(
        () => each.closeAllConnections(),
        () => each.close(),
      );
    }
    port = (door.address() as AddressInfo).port;
    url = `http://127.0.0.1:${port}`;
    const serviceUrl = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
    processor = createHttpProcessor({ url: serviceUrl, secret: bearer, livemode: false });
    live = createHttpProcessor({ url: serviceUrl, secret: bearer });
    ends.push(
      () => processor.close(),
      () => live.close(),
    );
  });
  after('close it', async () => {
    for (const end of ends) await end();
  });
  beforeEach('forget all notices', () => sql()`delete from processor_stripe.notices`);

  function event(over: Record<string, unknown> = {}, object: Record<string, unknown> = {}): string {
    const id = `evt_${++last}x${randomBytes(4).toString('hex')}`;
    const data = { object: { id: `pi_${last}`, object: 'payment_intent', ...object } };
    return JSON.stringify({ id, object: 'event', type: 'payment_intent.succeeded', livemode: false, data, ...over });
  }
  const signed = (payload: string, secret = secrets[account], timestamp = Math.floor(Date.now() / 1000)) =>
    Stripe.webhooks.generateTestHeaderString({ payload, secret, timestamp });
  async function post(body: string, header: string | null, to = `/webhooks/stripe/${account}`): Promise<number> {
    const headers = header === null ? {} : { 'stripe-signature': header };
    const response = await fetch(url + to, { method: 'POST', headers, body });
    await response.arrayBuffer();
    return response.status;
  }
  const send = (body: string) => post(body, signed(body));
  const stored = () => sql()<{ event: string; kind: string; reference: string; body: string }[]>`
    select event, kind, reference, body from processor_stripe.notices order by serial`;
  const never = new AbortController().signal;
  const read = async (after: string | null) => {
    const page = await processor.notices(after, never);
    assert.ok(page !== null);
    return page;
  };

  it('stores what Stripe has signed, as it came, and gives it to the service once', async () => {
    const { cursor, notices } = await read(null);
    assert.deepEqual(notices, []);
    const body = event();
    assert.equal(await send(body), 200);
    assert.equal(await send(body), 200, 'Stripe sends a notice again');
    const [row, ...more] = await stored();
    assert.deepEqual([row?.body, more], [body, []]);
    const page = await read(cursor);
    assert.deepEqual(page.notices, [{ kind: 'charge', reference: `pi_${last}`, billerId: account }]);
    assert.equal(page.hasMore, false);
    assert.deepEqual((await read(cursor)).notices, page.notices, 'the same cursor, the same notices');
  });

  it('names a mandate by our reference, and drops one that is not of this account', async () => {
    await sql()`
      insert into processor_stripe.debit_mandates (account, livemode, reference, mandate) values
        (${account}, false, 'DDR-OURS', 'mandate_ours'), (${other}, false, 'DDR-THEIRS', 'mandate_theirs')`;
    const { cursor } = await read(null);
    for (const id of ['mandate_theirs', 'mandate_ours', 'mandate_unknown', 'pi_1'])
      assert.equal(await send(event({ type: 'mandate.updated' }, { id, object: 'mandate', status: 'inactive' })), 200);
    assert.deepEqual((await read(cursor)).notices, [{ kind: 'mandate', reference: 'DDR-OURS', billerId: account }]);
  });

  it('knows what an event is about by its type, and drops all others with 200', async () => {
    const before = (await read(null)).cursor;
    const refund = { id: 're_1', object: 'refund', payment_intent: 'pi_refunded' };
    const dispute = { id: 'du_1', object: 'dispute', payment_intent: 'pi_disputed' };
    for (const [type, object] of [
      ['refund.updated', refund],
      ['charge.dispute.created', dispute],
      ['refund.failed', { ...refund, payment_intent: null }],
      ['customer.created', { id: 'cus_1' }],
      ['constructor', {}],
      ['__proto__', {}],
      ['payment_intent.succeeded', { id: '../customers' }],
    ] as const) {
      assert.equal(await send(event({ type }, object)), 200, type);
    }
    assert.deepEqual(
      (await read(before)).notices.map(({ kind, reference }) => [kind, reference]),
      [
        ['refund', 'pi_refunded'],
        ['charge', 'pi_disputed'],
      ],
    );
    assert.ok(typesOfEvents.length >= 10);
  });

  for (const [what, headerOf] of [
    ['none', () => null],
    ['one of another account', (body: string) => signed(body, secrets[other])],
    ['one of no account', (body: string) => signed(body, 'whsec_nobody000000000000')],
    ['one of another body', () => signed(event())],
    ['one that is six minutes old', (body: string) => signed(body, secrets[account], Date.now() / 1000 - 360)],
    ['one that is six minutes ahead', (body: string) => signed(body, secrets[account], Date.now() / 1000 + 360)],
    ['one without a time', (body: string) => signed(body).replace(/t=\d+,/, '')],
    ['one without a signature', () => `t=${Math.floor(Date.now() / 1000)}`],
    ['an old scheme alone', (body: string) => signed(body).replace('v1=', 'v0=')],
    ['a time of its own', (body: string) => signed(body).replace(/t=\d+/, `t=${Math.floor(Date.now() / 1000) - 7}`)],
    ['half of one', (body: string) => signed(body).slice(0, -32)],
    ['nonsense', () => 't=1e9,v1=x'],
  ] as const) {
    it(`responds 400 to ${what} and stores nothing`, async () => {
      const body = event();
      const header = headerOf(body)?.replace(/t=(\d+)\.\d+/, 't=$1') ?? null;
      assert.equal(await post(body, header), 400);
      assert.deepEqual([...(await stored())], []);
    });
  }

  it('takes a notice that is signed with the old and the new secret, while Stripe changes them', async () => {
    const body = event();
    const old = signed(body, 'whsec_formerly0000000000').replace(/t=\d+,/, '');
    assert.equal(await post(body, `${signed(body)},${old}`), 200);
    assert.equal((await stored()).length, 1);
  });

  it('takes the notice of each mode for that mode alone', async () => {
    const before = (await live.notices(null, never))?.cursor ?? null;
    const [test, real] = [event(), event({ livemode: true })];
    assert.equal(await post(real, signed(real)), 400, 'the secret of the sandbox, an event of live mode');
    assert.equal(await post(test, signed(test, liveSecret)), 400);
    assert.equal(await post(real, signed(real, liveSecret)), 200);
    assert.equal(await send(test), 200);
    assert.equal((await live.notices(before, never))?.notices.length, 1);
    assert.equal((await stored()).length, 2);
  });

  it('responds alike for an account that there is not, and for one that is disabled', async () => {
    const body = event();
    assert.equal(await post(body, signed(body), '/webhooks/stripe/acct_nobody'), 400);
    await setStatus(sql(), { account: other, livemode: false }, 'disabled', null);
    const header = signed(body, secrets[other]);
    await eventually('the door knows it', async () => (await post(body, header, `/webhooks/stripe/${other}`)) === 400);
    await sql()`delete from processor_stripe.notices`;
    assert.equal(await post(body, header, `/webhooks/stripe/${other}`), 400);
    assert.deepEqual([...(await stored())], []);
  });

  it('has no other way in', async () => {
    const body = event();
    for (const to of ['/', '/health', '/prepare', `/webhooks/stripe/${account}/`, `/webhooks/stripe/${account}?x=1`]) {
      assert.equal(await post(body, signed(body), to), 404, to);
    }
    const got = await fetch(`${url}/webhooks/stripe/${account}`);
    assert.equal(got.status, 405);
  });

  it('refuses with 413 what is longer than a mebibyte, whatever its length says', async () => {
    const object = (length: number) => ({ padding: 'x'.repeat(length) });
    const most = event({}, object(mebibyte - event({}, object(0)).length));
    assert.equal(Buffer.byteLength(most), mebibyte);
    assert.equal(await send(most), 200);
    const longer = `${most.slice(0, -1)} }`;
    assert.equal(await send(longer), 413);
    const stream = new ReadableStream({
      start(controller) {
        for (let sent = 0; sent < 3; sent += 1) controller.enqueue(new TextEncoder().encode(most));
        controller.close();
      },
    });
    const headers = { 'stripe-signature': signed(longer) };
    const init = { method: 'POST', headers, body: stream, duplex: 'half' } as RequestInit;
    const chunked = await fetch(`${url}/webhooks/stripe/${account}`, init).then(
      ({ status }) => status,
      () => 413, // the connection was closed while it was still being sent
    );
    assert.equal(chunked, 413);
    assert.equal((await stored()).length, 1);
  });

  it('refuses what is signed and no event, and bytes that are no text', async () => {
    for (const body of [
      '',
      'null',
      '[]',
      '{}',
      '<html>',
      event().slice(0, -3),
      event({ id: 'x' }),
      event({ data: 1 }),
    ]) {
      assert.equal(await send(body), 400, body);
    }
    const bytes = Buffer.concat([Buffer.from(event()), Buffer.from([0xff])]);
    const headers = { 'stripe-signature': signed(bytes.toString('utf8')) };
    const init = { method: 'POST', headers, body: bytes };
    assert.equal((await fetch(`${url}/webhooks/stripe/${account}`, init)).status, 400);
    assert.deepEqual([...(await stored())], []);
  });

  it('does not wait for a body whose headers are wrong', async () => {
    const socket = connect(port, '127.0.0.1');
    const head = `POST /webhooks/stripe/${account} HTTP/1.1\r\nHost: x\r\nContent-Length: 1000\r\n\r\n`;
    socket.write(head);
    const [answer] = await once(socket, 'data');
    assert.match(String(answer), /^HTTP\/1\.1 400/);
    socket.destroy();
  });

  it('spends less than 20 ms on a wrong signature, also of a mebibyte', async () => {
    const body = event({}, { padding: 'x'.repeat(mebibyte - 400) });
    const header = signed(body, 'whsec_nobody000000000000');
    await post(body, header);
    // Sender and receiver together. The least of twenty: a busy machine adds to each.
    const costs: number[] = [];
    for (let nth = 0; nth < 20; nth += 1) {
      const before = process.cpuUsage();
      assert.equal(await post(body, header), 400);
      const { user, system } = process.cpuUsage(before);
      costs.push((user + system) / 1000);
    }
    assert.ok(Math.min(...costs) < 20, `${Math.min(...costs)} ms`);
  });

  it('wakes the service that waits, and lets it wait no longer than half a minute', async () => {
    const { cursor } = await read(null);
    const waiting = read(cursor);
    await new Promise((resolve) => setTimeout(resolve, 300));
    const sentAt = performance.now();
    await send(event());
    assert.equal((await waiting).notices.length, 1);
    assert.ok(performance.now() - sentAt < 2_000);
  });

  it('goes on in pages, and leaves nothing out after the cursor of a database that was restored since', async () => {
    const { cursor: start } = await read(null);
    const bodies = Array.from({ length: 1_200 }, () => event());
    const chance = chanceOf('notices in pages');
    await inParallel(chance.shuffled([...bodies, ...bodies.slice(0, 300)]), 50, send);
    const seen: string[] = [];
    let page = await read(start);
    for (; page.hasMore; page = await read(page.cursor)) seen.push(...page.notices.map(({ reference }) => reference));
    seen.push(...page.notices.map(({ reference }) => reference));
    assert.deepEqual([seen.length, new Set(seen).size], [1_200, 1_200]);
    // The back-up lacks the last ones; others get their numbers.
    await sql()`delete from processor_stripe.notices where serial > (select min(serial) + 600 from processor_stripe.notices)`;
    const late = event();
    await send(late);
    const after = (await read(page.cursor)).notices;
    const references = after.map(({ reference }) => reference);
    assert.ok(references.length > 0 && (await rest(page.cursor)).includes(JSON.parse(late).data.object.id));
  });

  async function rest(cursor: string): Promise<string[]> {
    const seen: string[] = [];
    for (let page = await read(cursor); ; page = await read(page.cursor)) {
      seen.push(...page.notices.map(({ reference }) => reference));
      if (!page.hasMore) return seen;
    }
  }

  it('loses none of what is sent by many connections at once while the reader reads', async () => {
    const { cursor } = await read(null);
    const bodies = Array.from({ length: 2_000 }, () => event());
    const seen = new Set<string>();
    let isSent = false;
    const reading = (async () => {
      for (let from = cursor; ; ) {
        const page = await processor.notices(from, isSent ? AbortSignal.timeout(1_500) : never).catch(() => null);
        if (page === null) return;
        for (const { reference } of page.notices) seen.add(reference);
        from = page.cursor;
      }
    })();
    const statuses = await inParallel(bodies, 50, send);
    assert.deepEqual([...new Set(statuses)], [200]);
    isSent = true;
    await send(event());
    await reading;
    assert.equal(seen.size, 2_001);
  });

  it('keeps a notice for 90 days', async () => {
    await send(event());
    await send(event());
    await sql()`update processor_stripe.notices set received_at = now() - interval '91 days'
      where serial = (select min(serial) from processor_stripe.notices)`;
    await sweepNotices(sql());
    assert.equal((await stored()).length, 1);
  });
});
