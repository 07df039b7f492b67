/** Whether a URL names this machine, so that what is sent to it does not cross a network. */
export function isOnThisMachine({ hostname }: URL): boolean {
  return hostname === 'localhost' || hostname === '[::1]' || /^127(\.\d+){3}$/.test(hostname);
}

/** Whether others on the network can read what is sent to a URL. */
export function isPlainElsewhere(url: URL): boolean {
  return url.protocol === 'http:' && !isOnThisMachine(url);
}

/**
 * Parses the address of a service, to which a key is sent.
 * @throws TypeError if it is malformed, has credentials, or is neither https nor on this machine. Plain http to other
 * machines can be allowed.
 */
export function parseBaseUrl(text: string, allowPlainHttp = false): URL {
  const url = new URL(text);
  if (url.username !== '' || url.password !== '') throw new TypeError('baseUrl must not contain credentials');
  const isHttp = url.protocol === 'https:' || url.protocol === 'http:';
  if (!isHttp || (isPlainElsewhere(url) && !allowPlainHttp)) {
    throw new TypeError(
      'baseUrl must begin with https://, because the key is sent to it. With allowPlainHttp, http:// is accepted too',
    );
  }
  return url;
}
