import type { IncomingMessage } from 'node:http';
import ipaddr from 'ipaddr.js';
import type { Connection } from '../../services/request-context.ts';

/** So many of the last addresses in `X-Forwarded-For` are looked at. */
const mostHops = 20;
const longestAddress = 45;
const longestUserAgent = 500;

/** Returns from where a request comes, and with which browser. */
export function connectionOf(request: IncomingMessage, trustedProxies: readonly string[]): Connection {
  const { 'x-forwarded-for': forwardedFor = '', 'user-agent': userAgent = '' } = request.headers;
  const address = addressOf(request.socket.remoteAddress ?? '', String(forwardedFor), trustedProxies);
  return {
    address: address.slice(0, longestAddress),
    userAgent: userAgent.slice(0, longestUserAgent) || null,
  };
}

/**
 * Returns the address of a client: that of the connection or, if it comes from a trusted proxy,
 * the last one in `X-Forwarded-For` that is no trusted proxy. Anyone else may write into that header what they like.
 */
export function addressOf(remote: string, forwardedFor: string, trustedProxies: readonly string[]): string {
  const passed = forwardedFor.split(',').slice(-mostHops);
  const hops = [...passed.map((hop) => hop.trim()), remote].filter((hop) => hop !== '');
  let address = remote;
  while (hops.length > 0) {
    address = hops.pop() ?? remote;
    if (!isAmong(address, trustedProxies)) break;
  }
  return ipaddr.isValid(address) ? ipaddr.process(address).toString() : address;
}

/** Whether an address is one of these addresses, or in one of these ranges. */
function isAmong(address: string, ranges: readonly string[]): boolean {
  if (!ipaddr.isValid(address)) return false;
  const parsed = ipaddr.process(address);
  return ranges.some((range) => {
    const [base, bits] = range.includes('/')
      ? ipaddr.parseCIDR(range)
      : [ipaddr.process(range), ipaddr.process(range).kind() === 'ipv4' ? 32 : 128];
    return base.kind() === parsed.kind() && parsed.match(base, bits);
  });
}
