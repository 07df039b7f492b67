import assert from 'node:assert/strict';
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { readFile } from 'node:fs/promises';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { after, before, describe, it } from 'mocha';
import { eventually } from '../../lab/eventually.ts';
import { childEnvironment } from '../../src/processes/config/config.ts';
import { freePorts, Start } from '../runtime/start-process.ts';
import { useFolder } from '../runtime/support.ts';
import { createMerchant } from '../support/merchant.ts';

const payments = fileURLToPath(new URL('../../tools/payments.mjs', import.meta.url));

/** In the place of Stripe: it is there, and never has an outcome. */
const busy = createServer((_, response) => {
  response.writeHead(503, { 'content-type': 'application/json' }).end('{"error": {"type": "api_error"}}');
});

describe('npm start, when a Stripe account is added for live mode,', function () {
  this.timeout(120_000);
  const folder = useFolder();
  let copy: Start;
  let liveKey = '';
  let baseUrl = '';

  async function start(): Promise<void> {
    const STRIPE_API_URL = `http://127.0.0.1:${(busy.address() as AddressInfo).port}`;
    copy = new Start(join(folder.path, 'data'), { ...(copy?.ports ?? (await freePorts())), STRIPE_API_URL });
    const development = await copy.ready();
    baseUrl = String(development.base_url);
    liveKey = (development.keys as Record<string, string>).live_secret ?? '';
  }
  before('start it', async () => {
    await new Promise<void>((resolve) => busy.listen(0, '127.0.0.1', resolve));
    await start();
  });
  after('end it', async () => {
    copy?.child.kill('SIGTERM');
    await copy?.ended;
    busy.closeAllConnections();
    busy.close();
  });

  /** Adds an account as an operator does, with the key on standard input. */
  async function add(key: string): Promise<string> {
    const child = spawn(
      process.execPath,
      ['--conditions=payments-source', payments, 'processors', 'add', 'stripe', '--mode', 'live'],
      {
        env: childEnvironment({ DATA_DIR: copy.dataDir, DATABASE_URL: '' }),
        stdio: ['pipe', 'pipe', 'inherit'],
      },
    );
    let output = '';
    child.stdout.on('data', (chunk) => {
      output += chunk;
    });
    child.stdin.end(key);
    const [code] = await once(child, 'close');
    assert.equal(code, 0, output);
    return output;
  }

  /** What a live payment is refused with. */
  async function refusal(): Promise<unknown> {
    const shop = createMerchant(baseUrl, liveKey);
    const { id: customer_id } = await shop.customer();
    const token = 'pm_ofstripe';
    const card = { type: 'card', customer_reference: customer_id };
    const data = { card_number_token: token, card_name: 'Ada', expiry_month: 12, expiry_year: 2035 };
    const made = await shop.request('POST', '/payment_methods', {
      ...card,
      payment_method_data: { ...data, token_metadata: { type: 'processor', token, data: 'stripe' } },
    });
    const { body: intent } = await shop.request('POST', '/payment_intents', {
      amount: 2500,
      currency: 'AUD',
      customer_id,
    });
    const confirm = { payment_method: made.body.payment_method.id };
    const { body } = await shop.request('POST', `/payment_intents/${intent.id}/confirm`, confirm);
    return body.error?.code;
  }

  it('starts its processor service without a restart by hand, and live payments go to Stripe', async () => {
    assert.equal(await refusal(), 'processor_not_configured');
    const output = await add('sk_live_abcdefgh9876');
    assert.match(output, /key_hint: 9876/);
    assert.doesNotMatch(output, /abcdefgh/);
    const addedAt = performance.now();
    await eventually('live mode takes payments', () => copy.output.includes('Live mode takes payments by Stripe'), {
      timeoutMs: 60_000,
    });
    console.log(`      after ${((performance.now() - addedAt) / 1000).toFixed(1)} s`);
    assert.equal(await refusal(), 'unavailable');
    assert.match(copy.output, /Stripe processor is up/);
  });

  it('offers cards in live pages, with the fields of what stands in for Stripe and nothing else', async () => {
    const shop = createMerchant(baseUrl, liveKey);
    const { body: link } = await shop.request('POST', '/payment_links', {
      name: 'Invoice',
      amount: 900,
      currency: 'AUD',
    });
    assert.equal(link.payable, true);
    const { port } = busy.address() as AddressInfo;
    const opened = await fetch(link.url);
    const [, form = ''] = /name="form" value="([^"]+)"/.exec(await opened.text()) ?? [];
    const page = await fetch(link.url, { method: 'POST', body: new URLSearchParams({ form }) });
    assert.match(await page.text(), /id="card-fields"/);
    const policy = String(page.headers.get('content-security-policy'));
    const origin = `http://127.0.0.1:${port}`;
    assert.ok(policy.includes(`script-src 'self' ${origin}; connect-src 'self' ${origin};`), policy);
    assert.ok(!policy.includes('stripe.com') && !policy.includes('frame-src'), policy);
  });

  it('starts it again when it is killed', async () => {
    const record = join(copy.dataDir, 'run', 'processor-stripe.json');
    const { pid } = JSON.parse(await readFile(record, 'utf8'));
    process.kill(pid, 'SIGKILL');
    await eventually('it is up again', () => copy.output.includes('Stripe processor is up again'), {
      timeoutMs: 60_000,
    });
    assert.equal(await refusal(), 'unavailable');
  });

  it('starts it with the service the next time, and ends it with the service', async () => {
    copy.child.kill('SIGTERM');
    await copy.ended;
    assert.match(copy.output, /Stripe processor has ended/);
    await start();
    assert.match(copy.output, /Stripe processor is up/);
    assert.equal(await refusal(), 'unavailable');
    // Before its folder is removed.
    copy.child.kill('SIGTERM');
    await copy.ended;
  });
});
