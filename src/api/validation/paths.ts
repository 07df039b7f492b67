/** Longer names are shortened in messages and logs. The client knows the full name. */
const shownLength = 100;

/** Longer paths are not extended: a hundred field errors 30 levels deep would make a response of a megabyte. */
const shownPathLength = 500;

/** Returns the JSON pointer of a member below `path`. If `path` is too long already, returns `path`. */
export function childPath(path: string, name: string): string {
  if (path.length > shownPathLength) return path;
  return `${path}/${name.slice(0, shownLength).replaceAll('~', '~0').replaceAll('/', '~1')}`;
}

/** Splits a JSON pointer into its member names. */
export function segmentsOf(path: string): string[] {
  return path
    .split('/')
    .slice(1)
    .map((segment) => segment.replaceAll('~1', '/').replaceAll('~0', '~'));
}

/** Formats a JSON pointer for people: `billing_address.line1`, `phones[0].raw`. The root is "The body". */
export function nameOf(path: string): string {
  const name = segmentsOf(path)
    .map((segment) => (/^\d+$/.test(segment) ? `[${segment}]` : `.${segment.slice(0, shownLength)}`))
    .join('')
    .replace(/^\./, '');
  return name || 'The body';
}
