import assert from 'node:assert/strict';
import { randomBytes } from 'node:crypto';
import { isAbsolute } from 'node:path';
import { ConfigError, readConfig } from '../../src/processes/config/config.ts';

describe('the configuration', () => {
  it('needs no variable at all, and then embeds PostgreSQL and Temporal', () => {
    const config = readConfig({});
    assert.equal(config.host, '127.0.0.1');
    assert.deepEqual([config.port, config.temporalPort, config.temporalUiPort], [8080, 7233, 8233]);
    assert.deepEqual([config.databaseUrl, config.temporal.address, config.encryptionKeys], [null, null, null]);
    assert.deepEqual([config.temporal.namespace, config.temporalStore], ['payments', 'sqlite']);
    assert.deepEqual([config.rateLimitPerSecond, config.rateLimitBurst], [500, 1000]);
    assert.equal(config.webhookAllowLoopback, false);
    assert.ok(isAbsolute(config.dataDir));
  });

  it('cannot be changed once it is read', () => {
    assert.ok(Object.isFrozen(readConfig({})));
  });

  it('takes an empty variable for one that is not set', () => {
    assert.equal(readConfig({ PORT: '', DATABASE_URL: '  ' }).databaseUrl, null);
  });

  it('names every fault at once, by variable', () => {
    const env = {
      PORT: '70000',
      LOG_LEVEL: 'loud',
      TEMPORAL_ADDRESS: 'nowhere',
      TEMPORAL_STORE: 'paper',
      WEBHOOK_ALLOW_LOOPBACK: 'yes',
    };
    assert.throws(
      () => readConfig(env),
      (error: unknown) =>
        error instanceof ConfigError &&
        error.faults.length === 5 &&
        Object.keys(env).every((name) => error.message.includes(name)),
    );
  });

  for (const [shape, urls, words] of [
    [
      'another scheme, or none',
      ['mysql://me:hunter2@host/db', 'host:5432/db', 'payments', '"postgres://host/db"', 'postgres:/host/db'],
      'must begin with postgres://',
    ],
    ['no host', ['postgres://me:hunter2@/db', 'postgres://:5432/db', 'postgres://me@:5432/db'], 'names no host'],
    ['a host that cannot be', ['postgres://me:hunter2@my host/db', 'postgres://a<b/db'], 'has a host that is neither'],
    [
      'a port that cannot be',
      ['postgres://host:x/db', 'postgres://host:0/db', 'postgres://me:hunter2@host:65536/db', 'postgres://host:-1/db'],
      'has no usable port',
    ],
    [
      'no database',
      ['postgres://me:hunter2@host', 'postgres://host/', 'postgres://host:5432?sslmode=disable'],
      'names no database',
    ],
    [
      'a bare / ? or # in its password',
      ['/', '?', '#', '1/', '1?', '1#'].map((text) => `postgres://me:${text}hunter2@host/db`),
      'must be escaped',
    ],
    [
      'a bare percent sign',
      ['postgres://me:hunter2%@host/db', 'postgres://100%:hunter2@host/db', 'postgres://host/5%'],
      'write it as %25',
    ],
    [
      'parameters that cannot be',
      [
        'postgres://localhost/db?sslmode=on',
        'postgres://localhost/db?connect_timeout=soon',
        'postgres://localhost/db?sslrootcert=/none.pem',
      ],
      'DATABASE_URL: ',
    ],
  ] as const) {
    it(`says what is wrong with a database URL that has ${shape}, and never repeats the URL`, () => {
      for (const DATABASE_URL of urls) {
        assert.throws(
          () => readConfig({ DATABASE_URL }),
          (error: unknown) =>
            error instanceof ConfigError &&
            error.faults.length === 1 &&
            error.message.includes(words) &&
            !error.message.includes('hunter'),
          DATABASE_URL,
        );
      }
    });
  }

  it("takes a database URL with an escaped password, a client's default, or a file with an @", () => {
    for (const [DATABASE_URL, env] of [
      ['postgres://biller:hunter100%25%2F@127.0.0.1/payments', {}],
      ['POSTGRESQL://biller:p@ss:word@127.0.0.1:5432/payments', {}],
      ['postgres:///payments', {}],
      ['postgres://localhost', { PGDATABASE: 'payments' }],
      ['postgres://localhost/payments?application_name=a@b', {}],
    ] as const) {
      assert.equal(readConfig({ DATABASE_URL, ...env }).databaseUrl, DATABASE_URL);
    }
  });

  it('takes a long key of operators, never repeats its value, and takes the URL of the Web UI without its last slash', () => {
    const config = readConfig({ OPERATOR_KEY: 'x'.repeat(24), TEMPORAL_UI_URL: 'https://ui.example/temporal/' });
    assert.deepEqual([config.operatorKey, config.temporalUiUrl], ['x'.repeat(24), 'https://ui.example/temporal']);
    assert.deepEqual([readConfig({}).operatorKey, readConfig({}).temporalUiUrl], [null, null]);
    for (const key of ['hunter2hunter2', `${'hunter2 '.repeat(5)}`]) {
      assert.throws(
        () => readConfig({ OPERATOR_KEY: key }),
        (error: unknown) =>
          error instanceof ConfigError && /OPERATOR_KEY/.test(error.message) && !error.message.includes('hunter2'),
      );
    }
    assert.throws(() => readConfig({ TEMPORAL_UI_URL: 'javascript:alert(1)' }), /TEMPORAL_UI_URL must be a URL/);
  });

  it('reads encryption keys in order, so that the first one encrypts', () => {
    const [first, second] = [randomBytes(32), randomBytes(32)];
    const text = `new:${first.toString('base64')}, old:${second.toString('base64')}`;
    assert.deepEqual(readConfig({ ENCRYPTION_KEYS: text }).encryptionKeys, [
      { id: 'new', key: first },
      { id: 'old', key: second },
    ]);
  });

  for (const [fault, keys] of [
    ['of the wrong length', `a:${randomBytes(16).toString('base64')}`],
    ['without an id', randomBytes(32).toString('base64')],
    ['twice under one id', `a:${randomBytes(32).toString('base64')},a:${randomBytes(32).toString('base64')}`],
  ] as const) {
    it(`refuses an encryption key ${fault}, without repeating it`, () => {
      assert.throws(
        () => readConfig({ ENCRYPTION_KEYS: keys }),
        (error: unknown) => error instanceof ConfigError && !error.message.includes(keys),
      );
    });
  }

  it('takes a live processor by its URL, without its last slash, and its secret; none by default', () => {
    const LIVE_PROCESSOR_SECRET = 'x'.repeat(24);
    for (const url of ['https://processor.example/v1', 'http://127.0.0.1:9000', 'http://localhost:9000/v1']) {
      const config = readConfig({ LIVE_PROCESSOR_URL: `${url}/`, LIVE_PROCESSOR_SECRET });
      assert.deepEqual(config.liveProcessor, { url, secret: LIVE_PROCESSOR_SECRET });
    }
    assert.equal(readConfig({}).liveProcessor, null);
  });

  it('takes a processor service for the sandbox in the same way; none by default', () => {
    const [url, secret] = ['http://127.0.0.1:9000', 'x'.repeat(24)];
    const config = readConfig({ SANDBOX_PROCESSOR_URL: url, SANDBOX_PROCESSOR_SECRET: secret });
    assert.deepEqual([config.sandboxProcessor, config.liveProcessor], [{ url, secret }, null]);
    assert.equal(readConfig({}).sandboxProcessor, null);
    assert.throws(() => readConfig({ SANDBOX_PROCESSOR_URL: url }), /SANDBOX_PROCESSOR_SECRET is missing/);
  });

  for (const [what, url, secret, complaint] of [
    ['without a secret', 'https://processor.example', '', /LIVE_PROCESSOR_SECRET is missing/],
    ['without a URL', '', 'x'.repeat(24), /LIVE_PROCESSOR_URL is missing/],
    ['with a short secret', 'https://processor.example', 'hunter2', /LIVE_PROCESSOR_SECRET must have 24 characters/],
    ['on another machine without TLS', 'http://hunter2.example', 'x'.repeat(24), /without TLS. Use https/],
    ['with a password in the URL', 'https://me:hunter2@host', 'x'.repeat(24), /URL without user, query and fragment/],
    ['with a query in the URL', 'https://host/?key=hunter2', 'x'.repeat(24), /URL without user, query and fragment/],
    ['with another protocol', 'ftp://hunter2', 'x'.repeat(24), /LIVE_PROCESSOR_URL must be an absolute https URL/],
    ['whose URL is none', 'hunter2', 'x'.repeat(24), /LIVE_PROCESSOR_URL must be an absolute https URL/],
  ] as const) {
    it(`refuses a live processor ${what}, and does not repeat the value`, () => {
      assert.throws(
        () => readConfig({ LIVE_PROCESSOR_URL: url, LIVE_PROCESSOR_SECRET: secret }),
        (error: unknown) =>
          error instanceof ConfigError && complaint.test(error.message) && !error.message.includes('hunter2'),
      );
    });
  }

  it('turns TLS on with an API key, and refuses to send one in the clear', () => {
    assert.equal(readConfig({ TEMPORAL_API_KEY: 'k' }).temporal.tls, true);
    assert.throws(() => readConfig({ TEMPORAL_API_KEY: 'k', TEMPORAL_TLS: 'false' }), /TEMPORAL_TLS/);
  });
});
