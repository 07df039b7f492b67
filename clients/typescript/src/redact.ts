/** Removes from a text what an error must not contain. */
export type Redact = (text: string) => string;

const cut = '[redacted]';
/** What may be a query: if it has a `=`. With the `=` in the pattern, many `?` would take their number squared. */
const maybeQuery = /\?[^\s"'<>`]*/g;
/** Any text that has the form of a key or a client secret. */
const anySecret = /(\b[sp]k_(?:sandbox|live)_|_secret_)[0-9A-Za-z]{8,}/g;
/** The number of nested causes that are kept. */
const deepest = 4;

/**
 * Returns the redaction for errors of a request to this URL. It removes the query, as sent and decoded: the query may
 * have a `client_secret`, a name or an address, and a proxy or the user's own `fetch` may quote it.
 */
export function redactorOf(url: URL): Redact {
  const exact = [url.search, decoded(url.search), url.searchParams.get('client_secret') ?? ''].filter(
    (text) => text.length > 1,
  );
  return (text) =>
    exact
      .reduce((rest, quoted) => rest.replaceAll(quoted, cut), text)
      .replace(maybeQuery, (query) => (query.includes('=') ? cut : query))
      .replace(anySecret, `$1${cut}`);
}

function decoded(search: string): string {
  return `?${[...new URLSearchParams(search)].map(([name, value]) => `${name}=${value}`).join('&')}`;
}

/** Returns a redacted copy of a thrown value: name, code, message, stack and causes. Other members are left out. */
export function redactError(thrown: unknown, redact: Redact, depth = deepest): Error {
  if (!(thrown instanceof Error)) return new Error(redact(String(thrown)));
  const deeper = depth > 0 && thrown.cause !== undefined ? { cause: redactError(thrown.cause, redact, depth - 1) } : {};
  const copy = new Error(redact(thrown.message), deeper);
  Object.defineProperty(copy, 'name', { value: thrown.name, configurable: true, writable: true });
  Object.defineProperty(copy, 'stack', { value: redact(thrown.stack ?? ''), configurable: true, writable: true });
  return 'code' in thrown && typeof thrown.code === 'string' ? Object.assign(copy, { code: thrown.code }) : copy;
}
