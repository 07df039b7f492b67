/** Longer names are cut where they are shown: the sender knows them, and logs and answers stay small. */
const shownLength = 100;

/** A path that is this long ends there: a hundred faults 30 levels deep would make an answer of a megabyte. */
const shownPathLength = 500;

/** The JSON pointer of a member below `path`; of a very long path, `path` itself. */
export function childPath(path: string, name: string): string {
  if (path.length > shownPathLength) return path;
  return `${path}/${name.slice(0, shownLength).replaceAll('~', '~0').replaceAll('/', '~1')}`;
}

/** The names that a JSON pointer is made of. */
export function segmentsOf(path: string): string[] {
  return path
    .split('/')
    .slice(1)
    .map((segment) => segment.replaceAll('~1', '/').replaceAll('~0', '~'));
}

/** A JSON pointer as people write it: `billing_address.line1`, `phones[0].raw`; the whole is "the body". */
export function nameOf(path: string): string {
  const name = segmentsOf(path)
    .map((segment) => (/^\d+$/.test(segment) ? `[${segment}]` : `.${segment.slice(0, shownLength)}`))
    .join('')
    .replace(/^\./, '');
  return name || 'The body';
}
