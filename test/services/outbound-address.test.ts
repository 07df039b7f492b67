import assert from 'node:assert/strict';
import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { after, before, describe, it } from 'mocha';
import {
  AddressRefused,
  createResolver,
  isReachable,
  type OutboundPolicy,
  reachableAddresses,
} from '../../src/services/outbound-address.ts';
import { faultInDestination } from '../../src/services/webhook-destination.ts';
import { createWebhookSender, type WebhookAnswer } from '../../src/services/webhook-sender.ts';

const strict = { allowLoopback: false };
const lenient = { allowLoopback: true };

const refusedClasses: Record<string, string[]> = {
  unspecified: ['0.0.0.0', '0.1.2.3', '::'],
  loopback: ['127.0.0.1', '127.255.255.254', '::1'],
  private: ['10.0.0.1', '172.16.0.1', '172.31.255.255', '192.168.1.1'],
  'link-local': ['169.254.169.254', 'fe80::1', 'febf::1'],
  'unique-local': ['fc00::1', 'fd12:3456::1'],
  'site-local': ['fec0::1'],
  'carrier-grade NAT': ['100.64.0.1', '100.127.255.255'],
  multicast: ['224.0.0.1', '239.255.255.255', 'ff02::1'],
  broadcast: ['255.255.255.255'],
  reserved: ['240.0.0.1', '192.0.0.1', '198.18.0.1', '198.19.255.255'],
  documentation: ['192.0.2.1', '198.51.100.1', '203.0.113.1', '2001:db8::1', '3fff::1'],
  'IPv4-mapped': ['::ffff:127.0.0.1', '::ffff:10.0.0.1', '::ffff:a9fe:a9fe', '::ffff:0.0.0.0'],
  'IPv4-compatible': ['::127.0.0.1', '::7f00:1', '::8.8.8.8'],
  'IPv4-translated': ['::ffff:0:127.0.0.1', '::ffff:0:808:808'],
  NAT64: ['64:ff9b::7f00:1', '64:ff9b::10.0.0.1', '64:ff9b:1::1'],
  '6to4': ['2002:7f00:1::', '2002:808:808::1'],
  Teredo: ['2001::1', '2001:0:4136:e378:8000:63bf:3fff:fdd2'],
  'discard-only': ['100::1'],
  'ORCHID and benchmarking': ['2001:10::1', '2001:20::1', '2001:2::1'],
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

const names: Record<string, string[]> = {
  'public.test': ['93.184.215.14', '2606:2800:21f::1'],
  'private.test': ['10.0.0.7'],
  'mixed.test': ['93.184.215.14', '192.168.0.1'],
  'loopback.test': ['127.0.0.1', '::1'],
  'empty.test': [],
};

const resolve = async (hostname: string) => {
  const found = names[hostname.replace(/\.$/, '')];
  if (found === undefined) throw new Error('ENOTFOUND');
  return found;
};
const policy: OutboundPolicy = { allowLoopback: false, resolve };

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

describe('the URL of a webhook endpoint', () => {
  const codeOf = async (url: string, livemode = false, allowed = policy) =>
    (await faultInDestination(url, livemode, allowed))?.code ?? null;

  it('is refused in every notation of an address that is not public', async () => {
    const hosts = [
      '127.0.0.1',
      '127.1',
      '2130706433',
      '0x7f000001',
      '0x7f.1',
      '0177.0.0.1',
      '017700000001',
      '127.0.0.1.',
      '127。0。0。1',
      '①②⑦.0.0.1',
      '%31%32%37.0.0.1',
      '0',
      '0.0.0.0',
      '[::1]',
      '[::]',
      '[0:0:0:0:0:0:0:1]',
      '[::ffff:127.0.0.1]',
      '[::ffff:7f00:1]',
      '[2002:7f00:1::]',
      '[64:ff9b::7f00:1]',
      '169.254.169.254',
      '192.168.1.1',
      'private.test',
      'private.test.',
      'PRIVATE.test',
      'mixed.test',
      'loopback.test',
    ];
    for (const host of hosts) assert.equal(await codeOf(`https://${host}/hook`), 'url_not_public', host);
  });

  it('is refused when its host cannot be resolved', async () => {
    assert.equal(await codeOf('https://unknown.test/hook'), 'url_unresolvable');
  });

  it('is refused with credentials, a fragment, white space, another scheme, or none', async () => {
    const urls = [
      'https://user@public.test/',
      'https://user:secret@public.test/',
      'https://public.test/#part',
      'https://public.test/#',
      'https://public.test/a b',
      'https://pub\nlic.test/',
      ' https://public.test/',
      'ftp://public.test/',
      'file:///etc/passwd',
      'javascript:alert(1)',
      'public.test/hook',
      '//public.test/hook',
      'https://',
      'https://public.test:99999/',
    ];
    for (const url of urls) assert.equal(await codeOf(url), 'url_invalid', url);
  });

  it('is https in live mode, and may be http in sandbox', async () => {
    assert.equal(await codeOf('http://public.test/hook?a=1', false), null);
    assert.equal(await codeOf('http://public.test/hook', true), 'url_invalid');
    assert.equal(await codeOf('https://public.test:8443/hook', true), null);
  });

  it('may be on this machine in sandbox where the configuration says so, and never in live mode', async () => {
    const allowing = { allowLoopback: true, resolve };
    assert.equal(await codeOf('http://127.0.0.1:9999', false, allowing), null);
    assert.equal(await codeOf('http://loopback.test/', false, allowing), null);
    assert.equal(await codeOf('https://127.0.0.1:9999/', true, allowing), 'url_not_public');
    assert.equal(await codeOf('https://loopback.test/', true, allowing), 'url_not_public');
  });
});

describe('a connection', () => {
  let server: Server;
  let port = 0;
  let requests = 0;

  before(async () => {
    server = createServer((_request, response) => {
      requests += 1;
      response.end('reached');
    });
    await new Promise<void>((done) => server.listen(0, '127.0.0.1', done));
    port = (server.address() as AddressInfo).port;
  });
  after(() => {
    server.closeAllConnections();
    server.close();
  });

  async function send(host: string, allowed: OutboundPolicy, livemode = false): Promise<WebhookAnswer> {
    const sender = createWebhookSender({ policy: allowed, timeoutMs: 2000 });
    const answer = await sender.send({ url: `http://${host}:${port}/`, livemode, headers: {}, body: '{}' });
    await sender.close();
    return answer;
  }

  it('is refused when the name has changed its mind since it was registered', async () => {
    let asked = 0;
    const rebinding: OutboundPolicy = {
      allowLoopback: false,
      resolve: async () => {
        asked += 1;
        return asked === 1 ? ['93.184.215.14'] : ['127.0.0.1'];
      },
    };
    assert.equal(await faultInDestination(`http://rebinding.test:${port}/`, false, rebinding), null);
    const before = requests;
    const answer = await send('rebinding.test', rebinding);
    assert.equal(answer.kind === 'unanswered' && answer.error, 'the address is not public');
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
    assert.equal(answer.kind === 'answered' && answer.excerpt, 'reached');
    assert.equal(asked, 1);
  });

  it('is refused to a literal address, for which no name is looked up', async () => {
    const before = requests;
    for (const host of ['127.0.0.1', '[::1]', '[::ffff:127.0.0.1]', '2130706433']) {
      const answer = await send(host, policy);
      assert.equal(answer.kind === 'unanswered' && answer.error, 'the address is not public', host);
    }
    assert.equal(requests, before);
  });

  it('of live mode is refused to loopback, although sandbox may reach it', async () => {
    const before = requests;
    const answer = await send('127.0.0.1', { allowLoopback: true, resolve }, true);
    assert.equal(answer.kind === 'unanswered' && answer.error, 'the address is not public');
    assert.equal(requests, before);
  });

  it('fails in words when the name cannot be resolved', async () => {
    const answer = await send('unknown.test', policy);
    assert.equal(answer.kind === 'unanswered' && answer.error, 'the host name cannot be resolved');
  });
});
