import assert from 'node:assert/strict';
import { describe, it } from 'mocha';
import type { OutboundPolicy } from '../../src/platform/outbound-address.ts';
import { destinationError } from '../../src/services/webhooks/destination.ts';
import { policy } from '../support/names.ts';

describe('the URL of a webhook endpoint', () => {
  const codeOf = async (url: string, livemode = false, allowed = policy) =>
    (await destinationError(url, livemode, allowed))?.code ?? null;

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
      '127.0.1',
      '0x7f.0x0.0x0.0x1',
      '00000177.1',
      '127.0.0.0x1',
      '0X7F000001',
      '[::127.0.0.1]',
      '[2001:0:4136:e378:8000:63bf:3fff:fdd2]',
      '[0000:0000:0000:0000:0000:ffff:7f00:0001]',
      '[::FFFF:127.0.0.1]',
      '１２７.0.0.1',
      '169.254.169.254',
      '192.168.1.1',
      'private.test',
      'private.test.',
      'PRIVATE.test',
      'mixed.test',
      'loopback.test',
    ];
    for (const host of hosts) {
      for (const port of ['', ':443', ':22', ':65535']) {
        const url = `https://${host}${port}/hook`;
        assert.deepEqual([await codeOf(url), await codeOf(url, true)], ['url_not_public', 'url_not_public'], url);
      }
    }
  });

  it('is refused when its host is no address and no name in any reading', async () => {
    const hosts = ['256.1.1.1', '1.2.3.4.5', '[::1', '[fe80::1%25eth0]', '[::ffff:1.2.3]', 'a%2fb.test', '%00'];
    for (const host of hosts) assert.equal(await codeOf(`https://${host}/`), 'url_invalid', host);
  });

  it('is looked up under the name that is called: in lower case, in ASCII, without a user before it', async () => {
    const asked: string[] = [];
    const asking: OutboundPolicy = {
      allowLoopback: false,
      resolve: async (hostname) => {
        asked.push(hostname);
        return [];
      },
    };
    for (const host of ['Bücher.TEST', 'ⓔxample.test', 'a.test\\@b.test', '127.0.0.1.nip.test', '1.1.1.1..']) {
      assert.equal(await codeOf(`https://${host}/`, false, asking), 'url_unresolvable', host);
    }
    assert.deepEqual(asked, ['xn--bcher-kva.test', 'example.test', 'a.test', '127.0.0.1.nip.test', '1.1.1.1..']);
  });

  it('is refused when it is a name of this machine, where the name servers know it and where they do not', async () => {
    const localNames = [
      'localhost',
      'localhost.',
      'LOCALHOST',
      'hooks.localhost',
      'localhost.localdomain',
      'ip6-localhost',
    ];
    const knowing = { allowLoopback: false, resolve: async () => ['127.0.0.1', '::1'] };
    const ignorant = { allowLoopback: false, resolve: async () => [] };
    for (const name of localNames) {
      assert.equal(await codeOf(`https://${name}/`, false, knowing), 'url_not_public', name);
      assert.equal(await codeOf(`https://${name}/`, false, ignorant), 'url_unresolvable', name);
    }
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
      'https://public.test:0/',
      'https://8.8.8.8@127.0.0.1/',
      'https://127.0.0.1%2f@8.8.8.8/',
      'https://@public.test:pass@127.0.0.1/',
      'ws://public.test/',
      'data:,x',
    ];
    for (const url of urls) assert.equal(await codeOf(url), 'url_invalid', url);
  });

  it('is https in live mode, and may be http in sandbox', async () => {
    assert.equal(await codeOf('http://public.test/hook?a=1', false), null);
    assert.equal(await codeOf('http://public.test/hook', true), 'url_invalid');
    assert.equal(await codeOf('https://public.test:8443/hook', true), null);
  });

  it('may be on this machine in sandbox where the configuration says so, and never in live mode', async () => {
    const allowing = { ...policy, allowLoopback: true };
    assert.equal(await codeOf('http://127.0.0.1:9999', false, allowing), null);
    assert.equal(await codeOf('http://loopback.test/', false, allowing), null);
    assert.equal(await codeOf('https://127.0.0.1:9999/', true, allowing), 'url_not_public');
    assert.equal(await codeOf('https://loopback.test/', true, allowing), 'url_not_public');
  });
});
