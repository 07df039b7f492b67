/** Addresses that lead back to this machine, as a socket and as a setting write them. */
const loopbackAddress = /^(127(\.\d{1,3}){3}|::1|::ffff:127(\.\d{1,3}){3})$/;
const loopbackHost = /^(localhost|127(\.\d{1,3}){3}|\[::1\])(:\d{1,5})?$/i;

/** Whether an address is one of this machine's own. */
export function isLoopbackAddress(address: string): boolean {
  return loopbackAddress.test(address);
}

/**
 * Whether a `Host` header names this machine, on any port. A web page can have a name that points to 127.0.0.1 (DNS
 * rebinding), and its browser then lets it read what a server here returns. It cannot have one of these names.
 */
export function isLoopbackHost(host: string | undefined): boolean {
  return loopbackHost.test(host ?? '');
}
