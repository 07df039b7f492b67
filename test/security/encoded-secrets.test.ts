import assert from 'node:assert/strict';
import { once } from 'node:events';
import { connect } from 'node:net';
import { before, describe, it } from 'mocha';
import type { CompletedRequest } from '../../src/api/http/deps.ts';
import { randomBase62 } from '../../src/domain/base62.ts';
import { createLogger } from '../../src/platform/logger.ts';
import { withoutSecrets } from '../../src/platform/redact.ts';
import { type Reply, send, useApi } from '../support/api.ts';
import { useDatabase } from '../support/database.ts';
import { makeKey } from '../support/factories.ts';

/** The part of each secret that must not be found. It is long and random, so nothing else has it. */
const tails: string[] = [];

function secretOf(prefix: string): string {
  const tail = randomBase62(43);
  tails.push(tail);
  return prefix + tail;
}

const secrets = {
  'a secret key': secretOf('sk_sandbox_'),
  'a live secret key': secretOf('sk_live_'),
  'a publishable key': secretOf('pk_live_'),
  'a signing secret': secretOf('whsec_'),
  'a client secret': secretOf(`pi_sandbox_${'0'.repeat(32)}_secret_`),
};

const hex = (letter: string) => letter.charCodeAt(0).toString(16).padStart(2, '0');
const each = (text: string, write: (letter: string, index: number) => string) => [...text].map(write).join('');
const encodings: Record<string, (secret: string) => string> = {
  'as it is': (secret) => secret,
  'with its underscores encoded': (secret) => secret.replaceAll('_', '%5F'),
  'in small hexadecimal digits': (secret) => secret.replaceAll('_', '%5f'),
  'with every letter encoded': (secret) => each(secret, (letter) => `%${hex(letter)}`),
  'in digits of mixed case': (secret) =>
    each(secret, (letter, n) => `%${n % 2 === 0 ? hex(letter).toUpperCase() : hex(letter)}`),
  'with every other letter encoded': (secret) =>
    each(secret, (letter, n) => (n % 2 === 0 ? letter : `%${hex(letter)}`)),
  'encoded twice': (secret) => secret.replaceAll('_', '%255F'),
  'encoded twice, every letter': (secret) => each(secret, (letter) => `%25${hex(letter)}`),
  'encoded three times': (secret) => secret.replaceAll('_', '%25255f'),
  'encoded twice, the percent sign letter by letter': (secret) => secret.replaceAll('_', '%25%35%46'),
};

const places: Record<string, (encoded: string) => [method: string, path: string]> = {
  'the parameter of a route': (text) => ['GET', `/api/v1/customers/${text}`],
  'a parameter that is an id as well': (text) => ['GET', `/api/v1/customers/cus_${'0'.repeat(32)}${text}`],
  'a second parameter': (text) => ['GET', `/api/v1/customers/cus_none/payment_methods/${text}`],
  'a path that no route has': (text) => ['GET', `/${text}/customers`],
  'another method’s path': (text) => ['DELETE', `/api/v1/payment_intents/${text}/confirm`],
  'a path with a broken escape': (text) => ['GET', `/api/v1/customers/${text}%E0%A4%A`],
  'a query': (text) => ['GET', `/api/v1/customers/cus_none?client_secret=${text}`],
  'the name of a parameter': (text) => ['GET', `/api/v1/customers?${text}=1`],
  'a cursor': (text) => ['GET', `/api/v1/events?starting_after=${text}`],
};

/** Decodes percent-encoding in a text, as often as it was encoded. */
function whollyDecoded(text: string): string {
  const decoded = text.replace(/%([0-9a-f]{2})/gi, (_, code) => String.fromCharCode(Number.parseInt(code, 16)));
  return decoded === text ? text : whollyDecoded(decoded);
}

function assertHidden(text: string, told: string): void {
  const decoded = whollyDecoded(text);
  for (const tail of tails) assert.equal(decoded.includes(tail.slice(0, 20)), false, told);
}

describe('a secret in a URL, however it is encoded', () => {
  const db = useDatabase();
  let log = '';
  const counted: CompletedRequest[] = [];
  const logger = createLogger('trace', 'api', {
    write: (line) => {
      log += line;
    },
  });
  const api = useApi(db, undefined, () => ({
    logger,
    watch: { begun: () => {}, completed: (request) => counted.push(request) },
  }));
  const replies: { told: string; reply: Reply }[] = [];
  let key = '';

  before('send each secret, in each encoding, at each place', async () => {
    key = (await makeKey(db.sql)).key;
    for (const [what, secret] of Object.entries(secrets)) {
      for (const [how, encode] of Object.entries(encodings)) {
        for (const [where, place] of Object.entries(places)) {
          const [method, path] = place(encode(secret));
          const reply = await send(api.url + path, method, { key });
          replies.push({ told: `${what} ${how} in ${where}`, reply });
        }
      }
    }
  });

  it('is refused', () => {
    assert.equal(replies.length, 5 * 10 * 9);
    for (const { told, reply } of replies)
      assert.ok(reply.status >= 400 && reply.status < 500, `${told}: ${reply.text}`);
  });

  it('is in no log line; each request has one, with the route instead of the path', () => {
    assertHidden(log, 'the log');
    const lines = log.trimEnd().split('\n');
    assert.equal(lines.length, replies.length);
    for (const { told, reply } of replies) {
      const line = lines.find((text) => text.includes(reply.headers.get('request-id') ?? 'none'));
      assert.ok(line, told);
      const { route, operation, path, url } = JSON.parse(line);
      assert.deepEqual([path, url], [undefined, undefined], told);
      if (operation === undefined) assert.equal(route, null, told);
      else assert.match(route, /^\/api\/v1\/(\w+|:\w+|\/)+$/, told);
    }
  });

  it('is in no error message, which clients may log', () => {
    for (const { told, reply } of replies) assertHidden(reply.text, `${told}: ${reply.text}`);
  });

  it('is in no metric label', () => {
    assert.equal(counted.length, replies.length);
    for (const { route } of counted) assert.ok(route === null || route.startsWith('/api/v1/'), String(route));
    assertHidden(JSON.stringify(counted), 'the metrics');
  });

  it('is in no response to a malformed HTTP request', async () => {
    const before = log;
    const secret = encodings['encoded twice']?.(secrets['a secret key']);
    const socket = connect(Number(new URL(api.url).port), '127.0.0.1').setEncoding('utf8');
    await once(socket, 'connect');
    socket.write(`GET /api/v1/customers/${secret} HTTP/1.1\r\nHost: x\r\nX: \0\r\n\r\n`);
    const answer = (await socket.toArray()).join('');
    assert.match(answer, /^HTTP\/1\.1 400 /);
    assertHidden(answer, answer);
    assertHidden(log.slice(before.length), 'the log');
  });

  it('leaves the ids of a path in the log, as separate fields', async () => {
    const id = `cus_${'0'.repeat(32)}`;
    const { headers } = await send(`${api.url}/api/v1/customers/${id.replace('_', '%5F')}`, 'GET', { key });
    const line = log.split('\n').find((text) => text.includes(headers.get('request-id') ?? 'none')) ?? '{}';
    const { route, customer_id } = JSON.parse(line);
    assert.deepEqual([route, customer_id], ['/api/v1/customers/:customer_id', id]);
  });
});

describe('the redaction of foreign texts', () => {
  const secret = 'sk_live_0123456789abcdef';

  it('removes secrets in any encoding, and nothing else', () => {
    for (const [how, encode] of Object.entries(encodings)) {
      const text = withoutSecrets(`No such customer: ${encode(secret)}.`);
      assert.equal(text, 'No such customer: sk_live_[redacted].', how);
    }
    for (const harmless of ['100 %', '50%25 off', 'a%20b', '%5Fx%5F', 'sk%5Flive%5F', '%', '%zz', '%E0%A4%A']) {
      assert.equal(withoutSecrets(harmless), harmless);
    }
  });

  it('removes adjacent secrets, and repeatedly encoded ones', () => {
    assert.equal(
      withoutSecrets(`${secret} sk%255Flive%255F${'x'.repeat(20)}`),
      'sk_live_[redacted] sk_live_[redacted]',
    );
  });

  it('removes everything if the encoding is unreasonably deep', () => {
    const encode = (text: string) => each(text, (letter) => `%${hex(letter)}`);
    let text = 'sk_live_12345678';
    for (let times = 0; times < 5; times++) text = encode(text);
    assertHidden(withoutSecrets(text), text);
    assert.equal(withoutSecrets(text), '[redacted]');
  });
});
