const names = new Intl.DisplayNames('en', { type: 'region', fallback: 'none' });

/** Codes that have a name, and are no country. */
const noCountries: ReadonlySet<string> = new Set(['EU', 'EZ', 'UN', 'XA', 'XB', 'ZZ']);

/** Whether a text is the code of a country in ISO 3166-1 alpha-2, such as `AU`. `UK` is not: it is `GB`. */
export function isCountry(code: string): boolean {
  if (!/^[A-Z]{2}$/.test(code) || noCountries.has(code) || names.of(code) === undefined) return false;
  return Intl.getCanonicalLocales(`und-${code}`)[0] === `und-${code}`;
}
