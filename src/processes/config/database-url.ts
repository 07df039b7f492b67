const example = 'postgres://user:password@host:5432/payments';

/** What the PostgreSQL client takes from its own variables if the URL leaves it out. */
export interface ClientDefaults {
  /** Whether PGDATABASE names the database. */
  hasDatabase: boolean;
}

/**
 * Returns what is wrong with the form of a database URL, as the end of a sentence that begins with its variable, or
 * null. The value itself is left out: it holds a password. A URL without a host (`postgres:///payments`) is valid: the
 * client then uses PGHOST, or localhost.
 */
export function databaseUrlFault(value: string, { hasDatabase }: ClientDefaults): string | null {
  const [, authority, rest] = /^postgres(?:ql)?:\/\/([^/?#]*)(.*)$/is.exec(value) ?? [];
  if (authority === undefined || rest === undefined) return `must begin with postgres://, such as ${example}`;
  const at = authority.lastIndexOf('@');
  const [, host = '', port] = /^(\[[^\]]*\]|[^:]*)(?::(.*))?$/s.exec(authority.slice(at + 1)) ?? [];
  const isPort =
    port === undefined || port === '' || (/^\d{1,5}$/.test(port) && Number(port) > 0 && Number(port) < 65_536);
  const path = rest.split('?', 1)[0] ?? '';
  // What follows a bare / or ? in a password is taken for the path or the query, with the @ before the host.
  const isCutShort = path.includes('@') || (rest.includes('@') && (!isPort || path === ''));
  if (rest.includes('#') || isCutShort) {
    return 'has a character in its user or password that must be escaped: write / as %2F, ? as %3F, # as %23, @ as %40';
  }
  if (![authority, path].every(isDecodable)) {
    return 'has a % that does not begin an escape, perhaps in its password: write it as %25';
  }
  if (host === '' && authority !== '') return `names no host. Give one, such as ${example}`;
  if (!isPort) return `has no usable port: after the host, give a whole number from 1 to 65535, such as ${example}`;
  if (!URL.canParse(value)) return `has a host that is neither a name nor an address. Give one, such as ${example}`;
  if (/^\/?$/.test(path) && !hasDatabase) return `names no database. Write it after the host, such as ${example}`;
  return null;
}

function isDecodable(text: string): boolean {
  try {
    decodeURIComponent(text);
    return true;
  } catch {
    return false;
  }
}
