import assert from 'node:assert/strict';
import { existsSync, readFileSync } from 'node:fs';
import { chmod, mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, it } from 'mocha';
import { root } from '../../../lab/run-program.ts';
import { useReceiver } from '../../support/webhooks.ts';
import type { Call, Outcome } from './driver.ts';

/** Calls the helpers for tests in one language. Names are those of Python, times are seconds. */
export interface SandboxDriver {
  attempt(call: Call): Promise<Outcome>;
}

interface Shown {
  number: number;
  base_url: string;
  data_dir: string;
  biller_id: string;
  keys: Record<string, string>;
}

/** What the helpers for tests do, in each language that has them. `dataDir` is the folder of a running service. */
export function itGivesTestsAnAccount(driver: SandboxDriver, dataDir: () => string): void {
  const receiver = useReceiver();
  const open: number[] = [];
  const attempt = (method: string, given: unknown[] = [], options = {}) =>
    driver.attempt({ resource: 'sandbox', method, arguments: given, options });
  // biome-ignore lint/suspicious/noExplicitAny: the tests compare what comes back
  async function call(method: string, given: unknown[] = [], options = {}): Promise<any> {
    const { result, error } = await attempt(method, given, options);
    assert.equal(error, undefined, `${method}: ${JSON.stringify(error)}`);
    return result;
  }
  async function start(options = {}): Promise<Shown> {
    const shown: Shown = await call('start', [], { data_dir: dataDir(), ...options });
    open.push(shown.number);
    return shown;
  }
  async function folderWith(text: string | null): Promise<string> {
    const folder = await mkdtemp(join(tmpdir(), 'sandbox-'));
    if (text !== null) await writeFile(join(folder, 'development.json'), text);
    return folder;
  }

  afterEach('leave', async () => {
    for (const number of open.splice(0)) await call('stop', [number]);
    receiver.reset();
  });

  it('joins a service that runs, with an account of its own', async () => {
    const [one, other] = [await start(), await start()];
    assert.equal(one.base_url, other.base_url);
    assert.equal(one.data_dir, dataDir());
    assert.notEqual(one.biller_id, other.biller_id);
    const { id, biller_id } = await call('call', [one.number, 'customers', 'create', { name: 'Ada' }]);
    assert.equal(biller_id, one.biller_id);
    const { error } = await attempt('call', [other.number, 'customers', 'get', id]);
    assert.equal(error.status, 404);
    assert.deepEqual(Object.keys(one.keys).sort(), [
      'live_publishable',
      'live_secret',
      'sandbox_publishable',
      'sandbox_secret',
    ]);
    for (const key of Object.values(one.keys)) {
      const response = await fetch(`${one.base_url}/api/v1/customers`, { headers: { Authorization: `Bearer ${key}` } });
      assert.notEqual(response.status, 401);
    }
  });

  it('advances a clock beyond the bound, and returns when its own receiver has received everything', async () => {
    const { number } = await start();
    const { url } = await call('webhooks', [number]);
    const clock = await call('clock', [number], { at: '2028-01-03T09:00:00Z', name: 'Renewals' });
    assert.deepEqual([clock.name, clock.frozen_time], ['Renewals', '2028-01-03T09:00:00.000Z']);
    const ready = await call('advance', [number, clock.id, '2028-06-01T02:00:00+02:00']);
    assert.equal(ready.frozen_time, '2028-06-01T00:00:00.000Z');
    const events: { event_type: string; sequence: number }[] = await call('events', [number]);
    const types = events.map(({ event_type }) => event_type);
    assert.equal(types.filter((type) => type === 'test_clock.ready').length, 3);
    const sequences = events.map(({ sequence }) => sequence);
    assert.deepEqual(
      sequences,
      sequences.toSorted((one, two) => one - two),
    );
    // A stranger's request is no webhook.
    assert.equal((await fetch(url, { method: 'POST', body: '{"id":"evt_1"}' })).status, 400);
    assert.equal((await call('events', [number])).length, events.length);
  });

  it('refuses to go on while a webhook of the clock is pending, and to go back', async () => {
    const { number } = await start();
    await call('call', [number, 'webhook_endpoints', 'create', { url: receiver.url }]);
    receiver.answer = (_, response) => void response.writeHead(500).end();
    const { id } = await call('clock', [number], { at: '2028-01-03T09:00:00Z' });
    const late = await attempt('advance', [number, id, '2028-01-04T00:00:00Z'], { timeout: 0.5 });
    assert.match(late.error.message, /^[1-9] webhooks of the clock are still pending after /);
    const back = await attempt('advance', [number, id, '2028-01-02T00:00:00Z']);
    assert.equal(back.error.status, 422);
    await call('delete_clock', [number, id]);
    assert.deepEqual((await call('call', [number, 'test_clocks', 'list'])).data, []);
  });

  it('goes on with a fresh account after a reset, and leaves no clock behind', async () => {
    const before = await start();
    const { number } = before;
    await call('clock', [number]);
    await call('call', [number, 'customers', 'create', { name: 'Ada' }]);
    const after: Shown = await call('reset', [number]);
    assert.notEqual(after.biller_id, before.biller_id);
    assert.notEqual(after.keys.sandbox_secret, before.keys.sandbox_secret);
    assert.deepEqual((await call('call', [number, 'customers', 'list'])).data, []);
    const headers = { Authorization: `Bearer ${before.keys.sandbox_secret}` };
    const clocks = await fetch(`${before.base_url}/api/v1/test_helpers/test_clocks`, { headers });
    assert.deepEqual(((await clocks.json()) as { data: unknown[] }).data, []);
  });

  it('makes its accounts with the time zone and the country that are asked for, and says which it does not know', async () => {
    const place = async (number: number) => {
      const { time_zone, country } = await call('call', [number, 'account', 'get']);
      return [time_zone, country];
    };
    const { number } = await start({ time_zone: 'Australia/Sydney', country: 'AU' });
    assert.deepEqual(await place(number), ['Australia/Sydney', 'AU']);
    await call('reset', [number], { time_zone: 'Pacific/Auckland', country: 'NZ' });
    assert.deepEqual(await place(number), ['Pacific/Auckland', 'NZ']);
    assert.deepEqual(await place((await start()).number), ['UTC', null]);
    const { error } = await attempt('start', [], { data_dir: dataDir(), time_zone: 'Sydney', country: 'Oz' });
    assert.match(error.message, /422 .*time_zone/);
  });

  it('brings an event about, and waits for its webhook', async () => {
    const { number } = await start();
    await call('webhooks', [number, 'payment_intent.*']);
    const event = await call('trigger', [number, 'payment_intent.failed']);
    assert.equal(event.event_type, 'payment_intent.failed');
    const received = await call('wait_for', [number, 'payment_intent.failed'], { about: event.data.id });
    assert.deepEqual(received, event);
    const never = await attempt('wait_for', [number, 'payment_intent.failed'], { about: 'pi_1', timeout: 0.2 });
    assert.match(
      never.error.message,
      /^payment_intent\.failed of pi_1 has not come within .*payment_intent\.failed\.$/,
    );
    assert.match(
      (await attempt('trigger', [number, 'payment.done'])).error.message,
      /"payment\.done" cannot be triggered/,
    );
  });

  it('says what to do if no service runs', async () => {
    const folder = await folderWith(null);
    const refused = await attempt('start', [], { data_dir: folder });
    assert.match(refused.error.message, /^No payments service runs from .* npm start/);
    const broken = await attempt('start', [], { service: folder, data_dir: folder, start_timeout: 20 });
    assert.match(broken.error.message, /has not started:\n/);
    await rm(folder, { recursive: true });
  });

  it('joins the service that wrote development.json alone, whatever has its ports by now', async () => {
    const written = JSON.parse(readFileSync(join(dataDir(), 'development.json'), 'utf8'));
    const dead = 'http://127.0.0.1:1';
    for (const text of [
      { ...written, accounts_url: dead }, // killed, and another copy has the port of its API
      { ...written, accounts_url: written.base_url }, // and something has the port of its accounts, which says yes
      { ...written, accounts_token: 'of an earlier start' },
      { ...written, base_url: dead },
      null,
    ].map((named) => (named === null ? '{"base_url": "half' : JSON.stringify(named)))) {
      const folder = await folderWith(text);
      const { error } = await attempt('start', [], { data_dir: folder });
      assert.match(error.message, new RegExp(`^No payments service runs from ${folder}`));
      await rm(folder, { recursive: true });
    }
  });

  it('joins no service that another user could have named', async () => {
    const written = readFileSync(join(dataDir(), 'development.json'), 'utf8');
    const folder = await folderWith(written);
    await chmod(join(folder, 'development.json'), 0o666);
    const refused = await attempt('start', [], { data_dir: folder });
    assert.match(refused.error.message, /development\.json could have been written by another user/);
    await chmod(join(folder, 'development.json'), 0o600);
    await chmod(folder, 0o777);
    const shared = await attempt('start', [], { data_dir: folder });
    assert.match(shared.error.message, /could have been written by another user/);
    await rm(folder, { recursive: true });
  });

  it('ends the service that it has started, and deletes its data', async () => {
    const own: Shown = await call('start', [], { service: root, data_dir: 'none-of-this-name' });
    assert.notEqual(own.data_dir, dataDir());
    assert.ok(existsSync(own.data_dir));
    await call('stop', [own.number]);
    await assert.rejects(fetch(`${own.base_url}/healthz`));
    assert.ok(!existsSync(own.data_dir));
  });
}
