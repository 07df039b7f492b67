/** Takes out of a text what must not stand in an error. */
export type Redact = (text: string) => string;

const cut = '[redacted]';
/** A query wherever it stands, and what is a key or a client secret by its form. */
const anyQuery = /\?[^\s"'<>`]*=[^\s"'<>`]*/g;
const anySecret = /(\b[sp]k_(?:sandbox|live)_|_secret_)[0-9A-Za-z]{8,}/g;
/** How many causes of causes are kept. */
const deepest = 4;

/**
 * For the errors of a request to this URL: takes out its query, as it was sent and decoded, since a `client_secret`, a name or
 * an address may be in it. A proxy, or a `fetch` of the user's own, may quote it.
 */
export function redactorOf(url: URL): Redact {
  const exact = [url.search, decoded(url.search), url.searchParams.get('client_secret') ?? ''].filter(
    (text) => text.length > 1,
  );
  return (text) =>
    exact
      .reduce((rest, quoted) => rest.replaceAll(quoted, cut), text)
      .replace(anyQuery, cut)
      .replace(anySecret, `$1${cut}`);
}

function decoded(search: string): string {
  return `?${[...new URLSearchParams(search)].map(([name, value]) => `${name}=${value}`).join('&')}`;
}

/** A copy of what was thrown: name, code, message, stack and causes, redacted. What else an error carries is left out. */
export function redactError(thrown: unknown, redact: Redact, depth = deepest): Error {
  if (!(thrown instanceof Error)) return new Error(redact(String(thrown)));
  const deeper = depth > 0 && thrown.cause !== undefined ? { cause: redactError(thrown.cause, redact, depth - 1) } : {};
  const copy = new Error(redact(thrown.message), deeper);
  Object.defineProperty(copy, 'name', { value: thrown.name, configurable: true, writable: true });
  Object.defineProperty(copy, 'stack', { value: redact(thrown.stack ?? ''), configurable: true, writable: true });
  return 'code' in thrown && typeof thrown.code === 'string' ? Object.assign(copy, { code: thrown.code }) : copy;
}
