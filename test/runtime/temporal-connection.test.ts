import assert from 'node:assert/strict';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { connect } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createServer, type Server, type TLSSocket } from 'node:tls';
import { NativeConnection } from '@temporalio/worker';
import { after, before } from 'mocha';
import { readRunningConfig } from '../../src/processes/cli/context.ts';
import { ConfigError, readConfig } from '../../src/processes/config/config.ts';
import { addressOf, openTemporal } from '../../src/processes/temporal/client.ts';
import { ofAuthority } from '../support/certificate.ts';
import { serverStartTimeoutMs, temporalServer, testLogger, testNamespace } from '../support/temporal.ts';

/** What is wrong with these variables. */
function faultsOf(env: NodeJS.ProcessEnv): readonly string[] {
  try {
    readConfig(env);
    return [];
  } catch (error) {
    assert.ok(error instanceof ConfigError);
    return error.faults;
  }
}

describe('the connection to Temporal', () => {
  let folder = '';
  const file = (name: string) => join(folder, name);
  const paths = () => ({
    TEMPORAL_TLS_CLIENT_CERT_PATH: file('client.pem'),
    TEMPORAL_TLS_CLIENT_KEY_PATH: file('client.key'),
    TEMPORAL_TLS_SERVER_CA_CERT_PATH: file('authority.pem'),
    TEMPORAL_TLS_SERVER_NAME: 'temporal.test',
  });

  before('write certificates and profiles', async () => {
    folder = await mkdtemp(join(tmpdir(), 'payments-connection-'));
    await writeFile(file('client.pem'), ofAuthority.client.cert);
    await writeFile(file('client.key'), ofAuthority.client.key);
    await writeFile(file('authority.pem'), ofAuthority.authority);
    await writeFile(
      file('temporal.toml'),
      '[profile.cloud]\naddress = "eu.example.com:7233"\nnamespace = "payments.a1b2c"\napi_key = "cloud-key"\n' +
        '[profile.small]\naddress = "127.0.0.1:7300"\nnamespace = "trial"\n' +
        '[profile.certified]\naddress = "eu.example.com:7233"\n[profile.certified.tls]\n' +
        `client_cert_path = "${file('client.pem')}"\nclient_key_path = "${file('client.key')}"\n`,
    );
    await writeFile(file('broken.toml'), '[profile.default]\napi_key = "hunter2\n');
  });
  after('remove them', () => rm(folder, { recursive: true, force: true }));

  it('is described by the profile that is named, in the file that is named, and variables come first', () => {
    const env = { TEMPORAL_CONFIG_FILE: file('temporal.toml'), TEMPORAL_PROFILE: 'cloud' };
    const { address, namespace, apiKey, tls } = readConfig(env).temporal;
    assert.deepEqual([address, namespace, apiKey, tls], ['eu.example.com:7233', 'payments.a1b2c', 'cloud-key', true]);
    assert.equal(readConfig({ ...env, TEMPORAL_NAMESPACE: 'other' }).temporal.namespace, 'other');
    const { tls: certified } = readConfig({ ...env, TEMPORAL_PROFILE: 'certified' }).temporal;
    assert.ok(typeof certified === 'object' && certified.clientCertPair !== undefined);
  });

  it('takes no profile from the home of the user, unless one is named', () => {
    const home = { XDG_CONFIG_HOME: folder, HOME: folder };
    assert.equal(readConfig(home).temporal.address, null);
    assert.match(String(faultsOf({ ...home, TEMPORAL_PROFILE: 'cloud' })), /Profile 'cloud' not found/);
  });

  it('is refused where a file or a profile is missing, or a certificate lacks its key, without repeating a secret', () => {
    const cases: [NodeJS.ProcessEnv, RegExp][] = [
      [{ TEMPORAL_CONFIG_FILE: file('none.toml') }, /Profile 'default' not found/],
      [{ TEMPORAL_CONFIG_FILE: file('temporal.toml'), TEMPORAL_PROFILE: 'none' }, /Profile 'none' not found/],
      [{ TEMPORAL_CONFIG_FILE: file('broken.toml') }, /TEMPORAL_… describes cannot be used/],
      [{ ...paths(), TEMPORAL_TLS_CLIENT_KEY_PATH: '' }, /TEMPORAL_TLS_CLIENT_KEY_… need each other/],
      [{ ...paths(), TEMPORAL_TLS_CLIENT_CERT_PATH: file('none.pem') }, /none\.pem/],
      [{ SANDBOX_TEMPORAL_ADDRESS: 'nowhere' }, /SANDBOX_TEMPORAL_ADDRESS must be a host and a port/],
      [{ SANDBOX_TEMPORAL_ADDRESS: 'far.example.com:7233' }, /Set SANDBOX_TEMPORAL_TLS=true/],
      [{ SANDBOX_TEMPORAL_NAMESPACE: 'a b' }, /SANDBOX_TEMPORAL_NAMESPACE must be letters/],
      [{ SANDBOX_TEMPORAL_API_KEY: 'k', SANDBOX_TEMPORAL_TLS: 'false' }, /SANDBOX_TEMPORAL_TLS must not be false/],
    ];
    for (const [env, expected] of cases) {
      const faults = String(faultsOf(env));
      assert.match(faults, expected);
      assert.ok(!faults.includes('hunter2'), faults);
    }
  });

  it('is one for both modes, unless the sandbox has an address, a namespace or a profile of its own', () => {
    const live = { TEMPORAL_ADDRESS: 'eu.example.com:7233', TEMPORAL_API_KEY: 'live-key', TEMPORAL_NAMESPACE: 'live' };
    assert.equal(readConfig(live).sandboxTemporal, null);
    assert.equal(readConfig({ ...live, SANDBOX_TEMPORAL_NAMESPACE: 'live' }).sandboxTemporal, null);
    const { sandboxTemporal: beside } = readConfig({ ...live, SANDBOX_TEMPORAL_NAMESPACE: 'trial' });
    assert.deepEqual(
      [beside?.address, beside?.namespace, beside?.apiKey, beside?.tls],
      ['eu.example.com:7233', 'trial', 'live-key', true],
    );
    // Another server must not learn the key of the first.
    const { sandboxTemporal: elsewhere } = readConfig({ ...live, SANDBOX_TEMPORAL_ADDRESS: '127.0.0.1:7233' });
    assert.deepEqual(
      [elsewhere?.address, elsewhere?.namespace, elsewhere?.apiKey, elsewhere?.tls],
      ['127.0.0.1:7233', 'payments', null, false],
    );
    const both = { ...live, TEMPORAL_CONFIG_FILE: file('temporal.toml'), TEMPORAL_PROFILE: 'cloud' };
    const { sandboxTemporal: named } = readConfig({ ...both, SANDBOX_TEMPORAL_PROFILE: 'small' });
    assert.deepEqual([named?.address, named?.namespace, named?.apiKey], ['127.0.0.1:7300', 'trial', null]);
  });

  it('is found by commands as `npm start` has written it down, unless the environment names a server', async () => {
    const development = {
      database_url: 'postgres://me@127.0.0.1:1/payments',
      temporal_address: '127.0.0.1:7233',
      temporal_namespace: 'mine',
      sandbox_temporal_address: null,
      sandbox_temporal_namespace: 'trial',
    };
    await writeFile(file('development.json'), JSON.stringify(development));
    const namespaces = async (env: NodeJS.ProcessEnv) => {
      const { config } = await readRunningConfig({ DATA_DIR: folder, TEMPORAL_ADDRESS: '', ...env });
      const { temporal, sandboxTemporal } = config;
      return [temporal.address, temporal.namespace, sandboxTemporal?.address, sandboxTemporal?.namespace];
    };
    const { temporal_address: address } = development;
    assert.deepEqual(await namespaces({}), [address, 'mine', address, 'trial']);
    assert.deepEqual(await namespaces({ TEMPORAL_NAMESPACE: 'other' }), [address, 'other', address, 'trial']);
    const elsewhere = { TEMPORAL_ADDRESS: '127.0.0.1:9' };
    assert.deepEqual(await namespaces(elsewhere), ['127.0.0.1:9', 'payments', undefined, undefined]);
  });

  describe('over TLS with certificates on both ends', function () {
    this.timeout(serverStartTimeoutMs);
    let proxy: Server | undefined;
    const sockets = new Set<TLSSocket>();
    const env = () => {
      const address = proxy?.address();
      assert.ok(typeof address === 'object' && address !== null);
      return { ...paths(), TEMPORAL_ADDRESS: `127.0.0.1:${address.port}`, TEMPORAL_NAMESPACE: testNamespace };
    };

    before('put a door before Temporal that opens for a certificate', async () => {
      testLogger();
      const [, port] = (await temporalServer()).split(':');
      const { authority, server } = ofAuthority;
      const options = { ...server, ca: authority, requestCert: true, rejectUnauthorized: true, ALPNProtocols: ['h2'] };
      proxy = createServer(options, (socket) => {
        sockets.add(socket);
        const onward = connect(Number(port), '127.0.0.1');
        socket.on('error', () => onward.destroy());
        onward.on('error', () => socket.destroy());
        socket.pipe(onward).pipe(socket);
      });
      proxy.on('tlsClientError', () => {});
      await new Promise<void>((resolve) => proxy?.listen(0, '127.0.0.1', resolve));
    });
    after('take it away', () => {
      for (const socket of sockets) socket.destroy();
      proxy?.close();
    });

    it('reaches Temporal, as a client and as a worker', async () => {
      const { temporal: server } = readConfig(env());
      const temporal = openTemporal(server);
      const found = await temporal.workflowService.describeNamespace({ namespace: server.namespace });
      await temporal.connection.close();
      assert.equal(found.namespaceInfo?.name, testNamespace);
      const connection = await NativeConnection.connect(addressOf(server));
      await connection.close();
    });

    it('is refused without the certificate of the client', async () => {
      const variables = { ...env(), TEMPORAL_TLS_CLIENT_CERT_PATH: '', TEMPORAL_TLS_CLIENT_KEY_PATH: '' };
      const { temporal: server } = readConfig(variables);
      const temporal = openTemporal(server);
      await assert.rejects(temporal.workflowService.describeNamespace({ namespace: server.namespace }));
      await temporal.connection.close();
      await assert.rejects(NativeConnection.connect(addressOf(server)));
    });
  });
});
