/** Whether a host, as the class URL has it, is an address or the name of this machine. */
export function isLoopbackName(host: string): boolean {
  return host === 'localhost' || host === '[::1]' || /^127(\.\d{1,3}){3}$/.test(host);
}
