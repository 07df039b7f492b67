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

  it('names a database URL whose password has a bare percent sign, and says how to write it', () => {
    assert.throws(
      () => readConfig({ DATABASE_URL: 'postgres://biller:hunter100%@127.0.0.1/payments' }),
      (error: Error) => {
        assert.match(error.message, /DATABASE_URL has a % that is no escape, perhaps in its password: write it as %25/);
        assert.doesNotMatch(error.message, /hunter/);
        return true;
      },
    );
    assert.ok(readConfig({ DATABASE_URL: 'postgres://biller:hunter100%25@127.0.0.1/payments' }).databaseUrl);
  });

  it('keeps a password out of its complaint about a database URL', () => {
    assert.throws(
      () => readConfig({ DATABASE_URL: 'mysql://me:hunter2@host/db' }),
      (error: unknown) => error instanceof ConfigError && !error.message.includes('hunter2'),
    );
  });

  it('takes a long key of operators, whose value it never repeats, and the URL of the Web UI without its last slash', () => {
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

  it('reads the formats of sealed values in order, so that the first one is written', () => {
    const formats = ['', '2,1', '1,2', '2'].map((text) => readConfig({ ENCRYPTION_FORMATS: text }).encryptionFormats);
    assert.deepEqual(formats, [[2, 1], [2, 1], [1, 2], [2]]);
    for (const wrong of ['1', '3', '2,2', '1, 2,3']) {
      assert.throws(() => readConfig({ ENCRYPTION_FORMATS: wrong }), /ENCRYPTION_FORMATS must be one of/, wrong);
    }
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
