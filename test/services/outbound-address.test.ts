import assert from 'node:assert/strict';
import { after, before, describe, it } from 'mocha';
import { type LoopbackServer, serveOnLoopback } from '../../lab/loopback-server.ts';
import {
  AddressRefused,
  createResolver,
  isReachable,
  type OutboundPolicy,
  reachableAddresses,
} from '../../src/platform/outbound-address.ts';
import { destinationError } from '../../src/services/webhooks/destination.ts';
import { createWebhookSender, type WebhookResponse } from '../../src/services/webhooks/sender.ts';
import type { Later } from '../../src/services/webhooks/sending-turns.ts';
import { names, policy } from '../support/names.ts';

const strict = { allowLoopback: false };
const lenient = { allowLoopback: true };

const refusedClasses: Record<string, string[]> = {
  unspecified: ['0.0.0.0', '0.1.2.3', '::'],
  loopback: ['127.0.0.1', '127.255.255.254', '::1'],
  private: ['10.0.0.1', '172.16.0.1', '172.31.255.255', '192.168.1.1'],
  'link-local': ['169.254.169.254', 'fe80::1', 'febf::1', 'fe80::'],
  'unique-local': ['fc00::1', 'fd12:3456::1', 'fd00:ec2::254'],
  'site-local': ['fec0::1'],
  'carrier-grade NAT': ['100.64.0.1', '100.100.100.200', '100.127.255.255'],
  multicast: ['224.0.0.1', '239.255.255.255', 'ff02::1'],
  broadcast: ['255.255.255.255'],
  reserved: ['240.0.0.1', '255.255.255.254', '192.0.0.1', '192.0.0.192', '192.88.99.1'],
  benchmarking: ['198.18.0.1', '198.19.255.255', '2001:2::1'],
  documentation: ['192.0.2.1', '198.51.100.1', '203.0.113.1', '2001:db8::1', '3fff::1'],
  'IPv4-mapped': ['::ffff:127.0.0.1', '::ffff:10.0.0.1', '::ffff:a9fe:a9fe', '::ffff:0.0.0.0'],
  'IPv4-compatible': ['::127.0.0.1', '::7f00:1', '::8.8.8.8'],
  'IPv4-translated': ['::ffff:0:127.0.0.1', '::ffff:0:808:808'],
  NAT64: ['64:ff9b::7f00:1', '64:ff9b::10.0.0.1', '64:ff9b:1::1'],
  '6to4': ['2002:7f00:1::', '2002:808:808::1'],
  Teredo: ['2001::1', '2001:0:4136:e378:8000:63bf:3fff:fdd2'],
  'discard-only': ['100::1'],
  ORCHID: ['2001:10::1', '2001:20::1'],
  'of a protocol': ['2001:1::1', '2001:3::1', '2001:4:112::1', '2001:1ff::1', '192.31.196.1', '192.175.48.1'],
  'segment routing': ['5f00::1'],
  'a cloud host’s own': ['168.63.129.16', '::ffff:168.63.129.16', '64:ff9b::168.63.129.16'],
  'not assigned': ['4000::1', '8000::1', 'e000::1', '200::1'],
  'not an address': ['', 'example.com', '1.2.3', 'fe80::1%eth0', '127.1', '0x7f.0.0.1', '[::1]'],
};

describe('an outbound address', () => {
  for (const [name, addresses] of Object.entries(refusedClasses)) {
    it(`is refused when it is ${name}`, () => {
      for (const address of addresses) assert.equal(isReachable(address, strict), false, address);
    });
  }

  it('is allowed when it is public unicast, also as the IPv4 address inside of an IPv6 one', () => {
    const allowed = ['8.8.8.8', '172.32.0.1', '100.128.0.1', '2606:4700::1111', '::ffff:8.8.8.8', '64:ff9b::8.8.8.8'];
    for (const address of allowed) assert.equal(isReachable(address, strict), true, address);
  });

  it('may be loopback, and nothing else that is private, where that is allowed', () => {
    for (const address of ['127.0.0.1', '127.8.8.8', '::1', '::ffff:127.0.0.1']) {
      assert.equal(isReachable(address, lenient), true, address);
    }
    for (const address of ['0.0.0.0', '10.0.0.1', '169.254.169.254', '::', 'fd00::1', '2002:7f00:1::']) {
      assert.equal(isReachable(address, lenient), false, address);
    }
  });
});

describe('a host name', () => {
  it('stands for all of its addresses when they are public', async () => {
    assert.deepEqual(await reachableAddresses('public.test', policy), names['public.test']);
  });

  it('is refused when one of its addresses is not public', async () => {
    for (const name of ['private.test', 'mixed.test', 'loopback.test']) {
      await assert.rejects(
        reachableAddresses(name, policy),
        (error) => error instanceof AddressRefused && error.reason === 'not_public',
      );
    }
  });

  it('is refused when it has no address, or the name servers fail', async () => {
    for (const name of ['empty.test', 'unknown.test']) {
      await assert.rejects(
        reachableAddresses(name, policy),
        (error) => error instanceof AddressRefused && error.reason === 'unresolved',
      );
    }
  });

  it('is looked up in the hosts file only where loopback may be reached', async () => {
    const found = await createResolver(lenient)('localhost');
    assert.ok(found.includes('127.0.0.1') || found.includes('::1'));
    assert.deepEqual(
      (await createResolver(strict)('localhost').catch(() => [])).filter((a) => isReachable(a, strict)),
      [],
    );
  });
});

describe('a connection', () => {
  let server: LoopbackServer;
  let port = 0;
  let requests = 0;
  let lastHost: string | undefined;

  before(async () => {
    server = await serveOnLoopback(({ headers }, response) => {
      requests += 1;
      lastHost = headers.host;
      response.end('reached');
    });
    port = Number(new URL(server.url).port);
  });
  after(() => server.close());

  async function send(host: string, allowed: OutboundPolicy, livemode = false): Promise<WebhookResponse | Later> {
    const sender = createWebhookSender({ policy: allowed, timeoutMs: 2000 });
    const url = `http://${host}:${port}/`;
    const request = { endpointId: 'we_1', failingMs: null, url, livemode, headers: {}, body: '{}' };
    const answer = await sender.send(request);
    await sender.close();
    return answer;
  }

  // What is no address, or has no notation in a URL, has nothing to be connected to.
  const classes = Object.entries(refusedClasses).filter(([name]) => name !== 'not an address');
  for (const [name, addresses] of classes) {
    it(`is refused to an address that is ${name}: on its own, by a name that had a public one before, and among public ones`, async () => {
      for (const address of addresses) {
        const host = address.includes(':') ? `[${address}]` : address;
        for (const livemode of [false, true]) {
          const url = `https://${host}/`;
          assert.equal((await destinationError(url, livemode, policy))?.code, 'url_not_public', url);
        }
        const literal = await send(host, policy);
        assert.equal(literal.kind === 'failed' && literal.error, 'the address is not public', address);
        for (const answer of [[address], ['93.184.215.14', address], [address, '93.184.215.14']]) {
          const answers = [['93.184.215.14'], answer];
          const rebinding = { allowLoopback: false, resolve: async () => answers.shift() ?? ['93.184.215.14'] };
          assert.equal(await destinationError('https://rebinding.test/', true, rebinding), null);
          const rebound = await send('rebinding.test', rebinding);
          assert.equal(rebound.kind === 'failed' && rebound.error, 'the address is not public', String(answer));
        }
      }
    });
  }

  it('is made to the address alone: the server is told the name that was registered', async () => {
    const answer = await send('name.test', { allowLoopback: true, resolve: async () => ['127.0.0.1'] });
    assert.equal(answer.kind, 'responded');
    assert.equal(lastHost, `name.test:${port}`);
  });

  it('fails, and is not made, when the name servers fail, hang for good or answer nonsense', async () => {
    const before = requests;
    const failing: [OutboundPolicy['resolve'], string][] = [
      [() => Promise.reject(new Error('SERVFAIL')), 'the host name cannot be resolved'],
      [async () => [], 'the host name cannot be resolved'],
      [async () => ['', 'nonsense'], 'the address is not public'],
      [async () => ['localhost'], 'the address is not public'],
      [() => new Promise(() => {}), 'no response within 2 s'],
    ];
    for (const [resolving, error] of failing) {
      const answer = await send('name.test', { allowLoopback: true, resolve: resolving });
      assert.equal(answer.kind === 'failed' && answer.error, error);
    }
    assert.equal(requests, before);
  });

  it('is refused when the name has changed its mind since it was registered', async () => {
    let asked = 0;
    const rebinding: OutboundPolicy = {
      allowLoopback: false,
      resolve: async () => {
        asked += 1;
        return asked === 1 ? ['93.184.215.14'] : ['127.0.0.1'];
      },
    };
    assert.equal(await destinationError(`http://rebinding.test:${port}/`, false, rebinding), null);
    const before = requests;
    const answer = await send('rebinding.test', rebinding);
    assert.equal(answer.kind === 'failed' && answer.error, 'the address is not public');
    assert.equal(asked, 2);
    assert.equal(requests, before);
  });

  it('goes to the address that was checked, without asking for the name again', async () => {
    let asked = 0;
    const once: OutboundPolicy = {
      allowLoopback: true,
      resolve: async () => {
        asked += 1;
        return ['127.0.0.1'];
      },
    };
    const answer = await send('name.test', once);
    assert.equal(answer.kind === 'responded' && answer.excerpt, 'reached');
    assert.equal(asked, 1);
  });

  it('is refused to a literal address, for which no name is looked up', async () => {
    const before = requests;
    for (const host of ['127.0.0.1', '[::1]', '[::ffff:127.0.0.1]', '2130706433']) {
      const answer = await send(host, policy);
      assert.equal(answer.kind === 'failed' && answer.error, 'the address is not public', host);
    }
    assert.equal(requests, before);
  });

  it('is refused to loopback in live mode, although sandbox may reach it', async () => {
    const before = requests;
    const answer = await send('127.0.0.1', { allowLoopback: true, resolve: policy.resolve }, true);
    assert.equal(answer.kind === 'failed' && answer.error, 'the address is not public');
    assert.equal(requests, before);
  });

  it('fails in words when the name cannot be resolved', async () => {
    const answer = await send('unknown.test', policy);
    assert.equal(answer.kind === 'failed' && answer.error, 'the host name cannot be resolved');
  });
});
