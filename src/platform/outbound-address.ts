import { promises as dns, type LookupAddress } from 'node:dns';
import { isIP, type LookupFunction } from 'node:net';
import ipaddr from 'ipaddr.js';
import { buildConnector } from 'undici';

/** All addresses of a host name; rejects, or answers none, when there are none. */
export type Resolver = (hostname: string) => Promise<string[]>;

/** What may be reached, and how names become addresses. */
export interface OutboundPolicy {
  /** Whether this machine's own loopback addresses may be reached. Nothing else that is not public ever may. */
  allowLoopback: boolean;
  resolve: Resolver;
}

/** Why nothing was sent: the address is not public, or there is none. */
export class AddressRefused extends Error {
  readonly reason: 'not_public' | 'unresolved';

  constructor(reason: 'not_public' | 'unresolved') {
    super(reason === 'not_public' ? 'the address is not public' : 'the host name cannot be resolved');
    this.name = 'AddressRefused';
    this.reason = reason;
  }
}

const resolver = new dns.Resolver({ timeout: 1500, tries: 2 });

/** Looks public, and is the host's own on every virtual machine of Azure: what answers there gives out the machine's secrets. */
const hostsOfClouds: readonly string[] = ['168.63.129.16'];

const globalUnicast = ipaddr.IPv6.parseCIDR('2000::/3');

/**
 * Whether an address, as text, may be reached: public unicast only. An IPv6 address that stands for an IPv4 one (mapped,
 * NAT64) is judged by that one; tunnels that hide one (6to4, Teredo) are refused. What cannot be read is refused.
 */
export function isReachable(address: string, { allowLoopback }: { allowLoopback: boolean }): boolean {
  const canonical = canonicalOf(address);
  if (canonical === null) return false;
  const parsed = embeddedIPv4(ipaddr.parse(canonical));
  const range = parsed.range();
  if (range === 'loopback') return allowLoopback;
  if (range !== 'unicast' || hostsOfClouds.includes(parsed.toString())) return false;
  // What is not assigned yet has no entry among the special ranges, nor have the old IPv4-compatible addresses (::/96).
  return parsed instanceof ipaddr.IPv4 || parsed.match(globalUnicast);
}

/** The address without dotted parts or a zone: `::8.8.8.8` is read as a mapped address by some, and is none. */
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
 * The addresses of a URL's host, every one of which may be reached. A literal address stands for itself, in whatever
 * notation the URL had it: the URL parser has made it canonical.
 * @throws AddressRefused when one of them may not be reached, or there is none.
 */
export async function reachableAddresses(hostname: string, policy: OutboundPolicy): Promise<string[]> {
  const host = hostname.replace(/^\[|\]$/g, '');
  const addresses = isIP(host) === 0 ? await resolveOrRefuse(host, policy.resolve) : [host];
  // One bad address among good ones refuses them all: names that mix them are made to slip through.
  if (!addresses.every((address) => isReachable(address, policy))) throw new AddressRefused('not_public');
  return addresses;
}

async function resolveOrRefuse(host: string, resolve: Resolver): Promise<string[]> {
  const addresses = await resolve(host).catch(() => []);
  if (addresses.length === 0) throw new AddressRefused('unresolved');
  return addresses;
}

/**
 * Asks the name servers, over the network, for both families. The operating system's own lookup would occupy one of the
 * process's four threads for as long as a hostile name server likes. It alone reads the hosts file, so where loopback
 * may be reached, which is in development, it is asked for what the name servers do not know.
 */
export function createResolver({ allowLoopback }: { allowLoopback: boolean }): Resolver {
  return async (hostname) => {
    const answers = await Promise.allSettled([resolver.resolve4(hostname), resolver.resolve6(hostname)]);
    const addresses = answers.flatMap((answer) => (answer.status === 'fulfilled' ? answer.value : []));
    if (addresses.length > 0 || !allowLoopback) return addresses;
    return (await dns.lookup(hostname, { all: true, verbatim: true })).map((found) => found.address);
  };
}

/** The policy of this process: the real name servers, and loopback as configured. */
export function outboundPolicy(allowLoopback: boolean): OutboundPolicy {
  return { allowLoopback, resolve: createResolver({ allowLoopback }) };
}

/**
 * Opens connections for undici to reachable addresses only. Names are resolved once, by the policy's resolver, and the
 * connection goes to an address of that answer: a name that changes its mind between check and use gains nothing.
 * `timeoutMs` is for the connection, TLS included.
 */
export function createGuardedConnector(policy: OutboundPolicy, timeoutMs: number): buildConnector.connector {
  const connect = buildConnector({ timeout: timeoutMs, lookup: createLookup(policy) });
  return (options, callback) => {
    // The lookup is never asked about a literal address.
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
        const found: LookupAddress[] = addresses.map((address) => ({ address, family: isIP(address) }));
        const [first] = found;
        if (options.all) callback(null, found);
        else callback(null, first?.address ?? '', first?.family);
      },
      (error: Error) => callback(error, '', 0),
    );
  };
}
