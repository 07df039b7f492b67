import { promises as dns, type LookupAddress } from 'node:dns';
import { isIP, type LookupFunction } from 'node:net';
import ipaddr from 'ipaddr.js';
import { buildConnector } from 'undici';

/** Returns all addresses of a host name. If there are none, it rejects or returns an empty list. */
export type Resolver = (hostname: string) => Promise<string[]>;

/** Which addresses the service may connect to, and how names are resolved. */
export interface OutboundPolicy {
  /** Whether this machine's loopback addresses are allowed. No other address that is not public is ever allowed. */
  allowLoopback: boolean;
  resolve: Resolver;
}

/** Nothing was sent: the address is not public, or the name has no address. */
export class AddressRefused extends Error {
  readonly reason: 'not_public' | 'unresolved';

  constructor(reason: 'not_public' | 'unresolved') {
    super(reason === 'not_public' ? 'the address is not public' : 'the host name cannot be resolved');
    this.name = 'AddressRefused';
    this.reason = reason;
  }
}

const resolver = new dns.Resolver({ timeout: 1500, tries: 2 });

/**
 * This address looks public, but on every Azure virtual machine it is the host's, and it gives out the machine's
 * secrets.
 */
const cloudHostAddresses: readonly string[] = ['168.63.129.16'];

const globalUnicast = ipaddr.IPv6.parseCIDR('2000::/3');

/**
 * Whether an address, as text, is allowed: public unicast only. An IPv6 address that embeds an IPv4 one (mapped, NAT64)
 * is judged by the IPv4 address. Tunnels that hide one (6to4, Teredo) are refused, and so is text that cannot be
 * parsed.
 */
export function isReachable(address: string, { allowLoopback }: { allowLoopback: boolean }): boolean {
  const canonical = canonicalOf(address);
  if (canonical === null) return false;
  const parsed = embeddedIPv4(ipaddr.parse(canonical));
  const range = parsed.range();
  if (range === 'loopback') return allowLoopback;
  if (range !== 'unicast' || cloudHostAddresses.includes(parsed.toString())) return false;
  // Unassigned addresses and the old IPv4-compatible ones (::/96) are not in the library's table of special ranges.
  return parsed instanceof ipaddr.IPv4 || parsed.match(globalUnicast);
}

/**
 * Returns the address without dotted parts or a zone. Some libraries read `::8.8.8.8` as a mapped address, which it is
 * not.
 */
function canonicalOf(address: string): string | null {
  if (isIP(address) !== 6) return isIP(address) === 4 ? address : null;
  const url = `http://[${address}]`;
  return URL.canParse(url) ? new URL(url).hostname.slice(1, -1) : null;
}

function embeddedIPv4(address: ipaddr.IPv4 | ipaddr.IPv6): ipaddr.IPv4 | ipaddr.IPv6 {
  if (address instanceof ipaddr.IPv4) return address;
  if (address.isIPv4MappedAddress()) return address.toIPv4Address();
  const isNat64 = address.match(ipaddr.IPv6.parseCIDR('64:ff9b::/96'));
  return isNat64 ? new ipaddr.IPv4(address.toByteArray().slice(12)) : address;
}

/**
 * Returns the addresses of a URL's host, all of them allowed. A literal address stands for itself: the URL parser has
 * already made its notation canonical.
 * @throws AddressRefused when one of the addresses is not allowed, or there is none.
 */
export async function reachableAddresses(hostname: string, policy: OutboundPolicy): Promise<string[]> {
  const host = hostname.replace(/^\[|\]$/g, '');
  const addresses = isIP(host) === 0 ? await resolveOrRefuse(host, policy.resolve) : [host];
  // One bad address refuses them all: a name that mixes good and bad addresses is made to slip through.
  if (!addresses.every((address) => isReachable(address, policy))) throw new AddressRefused('not_public');
  return addresses;
}

async function resolveOrRefuse(host: string, resolve: Resolver): Promise<string[]> {
  const addresses = await resolve(host).catch(() => []);
  if (addresses.length === 0) throw new AddressRefused('unresolved');
  return addresses;
}

/**
 * Returns a resolver that asks the name servers for both address families. The operating system's lookup would block
 * one of the process's four threads for as long as a hostile name server likes. But only that lookup reads the hosts
 * file. Where loopback is allowed (development), it is used for names that the name servers do not know.
 */
export function createResolver({ allowLoopback }: { allowLoopback: boolean }): Resolver {
  return async (hostname) => {
    const results = await Promise.allSettled([resolver.resolve4(hostname), resolver.resolve6(hostname)]);
    const addresses = results.flatMap((result) => (result.status === 'fulfilled' ? result.value : []));
    if (addresses.length > 0 || !allowLoopback) return addresses;
    return (await dns.lookup(hostname, { all: true, verbatim: true })).map(({ address }) => address);
  };
}

/** Returns the policy of this process: the real name servers, and loopback as configured. */
export function outboundPolicy(allowLoopback: boolean): OutboundPolicy {
  return { allowLoopback, resolve: createResolver({ allowLoopback }) };
}

/**
 * Returns a connector for undici that connects to allowed addresses only. It resolves a name once and connects to an
 * address from that result, so a name that changes between check and use gains nothing. `timeoutMs` limits the
 * connection, TLS included.
 */
export function createGuardedConnector(policy: OutboundPolicy, timeoutMs: number): buildConnector.connector {
  const connect = buildConnector({ timeout: timeoutMs, lookup: createLookup(policy) });
  return (options, callback) => {
    // Node.js does not call the lookup for a literal address.
    if (isIP(options.hostname) !== 0 && !isReachable(options.hostname, policy)) {
      callback(new AddressRefused('not_public'), null);
    } else {
      connect(options, callback);
    }
  };
}

function createLookup(policy: OutboundPolicy): LookupFunction {
  return (hostname, options, callback) => {
    reachableAddresses(hostname, policy).then(
      (addresses) => {
        const resolved: LookupAddress[] = addresses.map((address) => ({ address, family: isIP(address) }));
        const [first] = resolved;
        if (options.all) callback(null, resolved);
        else callback(null, first?.address ?? '', first?.family);
      },
      (error: Error) => callback(error, '', 0),
    );
  };
}
