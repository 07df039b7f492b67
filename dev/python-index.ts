import { readFile } from 'node:fs/promises';
import { homedir } from 'node:os';
import { join } from 'node:path';
import * as tls from 'node:tls';
import { EnvHttpProxyAgent, fetch } from 'undici';

const pypi = 'https://pypi.org/simple/';

/** After this long without a byte, an index counts as unreachable. */
const silenceMs = 30_000;

/** JSON where the index has it (PEP 691), else the HTML that every index has (PEP 503). */
const accepted = 'application/vnd.pypi.simple.v1+json, application/vnd.pypi.simple.v1+html;q=0.2, text/html;q=0.1';

/** A Python package index, and how to reach it: as pip is configured. */
export interface PythonIndex {
  /** Ends with a slash. May have a user and a password in it: never show it, show `name`. */
  readonly url: string;
  /** For messages. */
  readonly name: string;
  /** The file of certificates that pip trusts, in addition to those of Node.js and of the system. */
  readonly certificates: string | null;
  readonly proxies: { http?: string; https?: string; no?: string };
  /** After how many milliseconds without a byte a request fails. */
  readonly silenceMs: number;
}

/** The index could not be reached, or does not have the file. The message says why, without any password. */
export class IndexError extends Error {
  override name = 'IndexError';
}

/**
 * The index that pip would install from: PIP_INDEX_URL, else the `index-url` of pip's configuration files, else PyPI.
 * Null if pip is told to use no index. Proxies come from PIP_PROXY, `proxy`, HTTPS_PROXY, HTTP_PROXY and NO_PROXY,
 * certificates from PIP_CERT, `cert`, REQUESTS_CA_BUNDLE and SSL_CERT_FILE.
 */
export async function readPythonIndex(env: NodeJS.ProcessEnv): Promise<PythonIndex | null> {
  const settings: Record<string, string> = {};
  for (const file of configFiles(env)) {
    Object.assign(settings, parseConfig(await readFile(file, 'utf8').catch(() => '')));
  }
  const read = (name: string) => env[`PIP_${name.toUpperCase().replace('-', '_')}`] || settings[name] || null;
  if (/^(1|true|yes|on)$/i.test(read('no-index') ?? '')) return null;
  const url = (read('index-url') ?? pypi).replace(/\/*$/, '/');
  if (!URL.canParse(url))
    throw new Error('The index-url that pip is configured for is not a URL: see "pip config list".');
  const proxy = read('proxy');
  const proxies = {
    http: proxy ?? env.http_proxy ?? env.HTTP_PROXY,
    https: proxy ?? env.https_proxy ?? env.HTTPS_PROXY,
    no: env.no_proxy ?? env.NO_PROXY,
  };
  return {
    url,
    name: new URL(url).host,
    certificates: read('cert') ?? (env.REQUESTS_CA_BUNDLE || env.SSL_CERT_FILE || null),
    proxies: Object.fromEntries(Object.entries(proxies).filter(([, value]) => value)),
    silenceMs,
  };
}

/**
 * Downloads one file of a package, into memory. `onBytes` is told how many bytes are there.
 * @throws an IndexError when the index cannot be reached, does not list the file, or sends more than `most` bytes; when
 * `signal` aborts.
 */
export async function downloadFile(
  index: PythonIndex,
  { package: name, file, most }: { package: string; file: string; most: number },
  onBytes: (count: number) => void,
  signal?: AbortSignal,
): Promise<Buffer> {
  const dispatcher = await openDispatcher(index);
  try {
    const { url, authorization } = withoutUser(new URL(`${name}/`, index.url));
    const page = await get(url, { accept: accepted, authorization });
    const link = findLink(await page.text(), page.headers.get('content-type') ?? '', file);
    if (link === null) throw new IndexError(`${index.name} has no ${file}`);
    const from = withoutUser(new URL(link, page.url));
    // A password that the index asks for is for its own host alone.
    const own = from.url.host === url.host ? authorization : null;
    const response = await get(from.url, { accept: '*/*', authorization: from.authorization ?? own });
    const chunks: Buffer[] = [];
    let count = 0;
    for await (const chunk of response.body ?? []) {
      chunks.push(Buffer.from(chunk));
      count += chunk.byteLength;
      if (count > most) throw new IndexError(`${index.name} sends more than the ${most} bytes of ${file}`);
      onBytes(count);
    }
    return Buffer.concat(chunks);
  } catch (error) {
    signal?.throwIfAborted();
    if (error instanceof IndexError) throw error;
    throw new IndexError(`${index.name} could not be reached: ${reasonOf(error, index.silenceMs)}`, { cause: error });
  } finally {
    await dispatcher.destroy();
  }

  async function get(url: URL, { accept, authorization }: { accept: string; authorization: string | null }) {
    const headers = { accept, ...(authorization === null ? {} : { authorization }) };
    const response = await fetch(url, { dispatcher, headers, ...(signal ? { signal } : {}) });
    if (response.ok) return response;
    if (response.status === 404)
      throw new IndexError(`${index.name} has no ${url.pathname.endsWith('/') ? name : file}`);
    throw new IndexError(`${index.name} responded with ${response.status} ${response.statusText}`.trim());
  }
}

const proxyNeedsUser =
  'the proxy asks for a user and a password (407). Put them into HTTPS_PROXY or PIP_PROXY: http://user:password@host:port';

async function openDispatcher({ certificates, proxies, silenceMs: timeout }: PythonIndex): Promise<EnvHttpProxyAgent> {
  const extra = certificates === null ? null : await readFile(certificates, 'utf8').catch(() => null);
  if (certificates !== null && extra === null) {
    throw new IndexError(`the certificates that pip is configured for cannot be read: ${certificates}`);
  }
  const connect = { ca: [...knownCertificates(), ...(extra === null ? [] : [extra])], timeout };
  return new EnvHttpProxyAgent({
    ...{ httpProxy: proxies.http ?? '', httpsProxy: proxies.https ?? proxies.http ?? '', noProxy: proxies.no ?? '' },
    ...{ headersTimeout: timeout, bodyTimeout: timeout, connectTimeout: timeout },
    ...{ connect, requestTls: connect, proxyTls: connect },
  });
}

/** Node.js before 22.15, where a sandbox may run, knows no certificates of the system. */
function knownCertificates(): readonly string[] {
  const { getCACertificates } = tls as Partial<typeof tls>;
  if (getCACertificates === undefined) return tls.rootCertificates;
  return [...getCACertificates('default'), ...getCACertificates('system')];
}

/** The address of a file in a page of the simple API, as it is written there. Null if the page does not list it. */
function findLink(page: string, type: string, file: string): string | null {
  if (type.includes('json')) {
    const { files } = JSON.parse(page) as { files?: { filename?: unknown; url?: unknown }[] };
    const url = files?.find((entry) => entry.filename === file)?.url;
    return typeof url === 'string' ? url : null;
  }
  // Each piece ends with the text of a link. No expression here takes more time than in proportion to the page.
  for (const piece of page.split(/<\/a>/i).slice(0, -1)) {
    if (piece.slice(piece.lastIndexOf('>') + 1).trim() !== file) continue;
    const tag = piece.split(/<a(?=\s)/i).at(-1) ?? '';
    const [, quoted, other] = /\shref\s*=\s*(?:"([^"]*)"|'([^']*)')/i.exec(tag) ?? [];
    const link = quoted ?? other;
    if (link !== undefined) return link.replaceAll('&amp;', '&');
  }
  return null;
}

/** `fetch` takes no user and password in a URL: they become the header that they stand for. */
function withoutUser(url: URL): { url: URL; authorization: string | null } {
  if (url.username === '') return { url, authorization: null };
  const user = `${decodeURIComponent(url.username)}:${decodeURIComponent(url.password)}`;
  const bare = new URL(url);
  bare.username = '';
  bare.password = '';
  return { url: bare, authorization: `Basic ${Buffer.from(user).toString('base64')}` };
}

/** In the order in which a later one wins: of the machine, the user, the environment of Python, PIP_CONFIG_FILE. */
function configFiles(env: NodeJS.ProcessEnv): string[] {
  const named = env.PIP_CONFIG_FILE;
  if (named === '/dev/null') return [];
  const home = env.HOME || homedir();
  const isMac = process.platform === 'darwin';
  const global = isMac ? ['/Library/Application Support/pip/pip.conf'] : ['/etc/xdg/pip/pip.conf', '/etc/pip.conf'];
  const user = [
    join(home, '.pip', 'pip.conf'),
    ...(isMac ? [join(home, 'Library', 'Application Support', 'pip', 'pip.conf')] : []),
    join(env.XDG_CONFIG_HOME || join(home, '.config'), 'pip', 'pip.conf'),
  ];
  const site = env.VIRTUAL_ENV ? [join(env.VIRTUAL_ENV, 'pip.conf')] : [];
  return [...global, ...user, ...site, ...(named ? [named] : [])];
}

/** The settings of `[global]`, and of `[install]`, which win. */
function parseConfig(text: string): Record<string, string> {
  const sections: Record<string, Record<string, string>> = { global: {}, install: {} };
  let section = '';
  for (const line of text.split('\n')) {
    section = /^\[(\w+)\]/.exec(line)?.[1] ?? section;
    const [, name = '', text = ''] = /^([\w-]+)\s*[=:](.*)$/.exec(line.trimEnd()) ?? [];
    const value = text.trim();
    if (name !== '' && value !== '')
      Object.assign(sections[section] ?? {}, { [name.toLowerCase().replaceAll('_', '-')]: value });
  }
  return { ...sections.global, ...sections.install };
}

/** The deepest cause of a failed request, in words. */
function reasonOf(error: unknown, timeout: number): string {
  let deepest = error;
  while (deepest instanceof Error && deepest.cause instanceof Error) deepest = deepest.cause;
  const { code = '', message = String(deepest) } = deepest as { code?: string; message?: string };
  if (/^UND_ERR_(CONNECT|HEADERS|BODY)_TIMEOUT$/.test(code)) return `${timeout / 1000} s without a byte`;
  // A 407 to CONNECT has its number in the message; a 407 to the request itself is the one error without a message.
  if (/\b407\b/.test(message) || `${message}${code}` === '') return proxyNeedsUser;
  return message || code;
}
