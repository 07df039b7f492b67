import type { OutboundPolicy } from '../../src/platform/outbound-address.ts';

/** What the name server of `policy` knows. */
export const names: Record<string, string[]> = {
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
/** Reaches public addresses only; a name that it does not know is an error. */
export const policy: OutboundPolicy = { allowLoopback: false, resolve };
