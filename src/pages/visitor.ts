/** For a browser that names no locale. The amounts of the service's examples read so. */
const defaultLocale = 'en-AU';

/**
 * Returns the locale that a browser prefers, by its `Accept-Language` header, of those in which Intl can write an
 * amount.
 */
export function localeOf(header: string): string {
  const wanted = header
    .slice(0, 200)
    .split(',')
    .map((part) => {
      const [tag = '', ...parameters] = part.trim().split(';');
      const quality = parameters
        .map((parameter) => /^\s*q=([01](?:\.\d{1,3})?)\s*$/.exec(parameter)?.[1])
        .find(Boolean);
      return { tag, quality: Number(quality ?? 1) };
    });
  const tags = wanted.filter(({ quality }) => quality > 0).sort((a, b) => b.quality - a.quality);
  for (const { tag } of tags) {
    // Extensions, as in `de-u-nu-thai`, could choose other digits and calendars.
    const plain = /^[a-z]{2,3}(-[A-Za-z]{4})?(-([A-Z]{2}|\d{3}))?/i.exec(tag)?.[0];
    if (plain !== undefined && Intl.NumberFormat.supportedLocalesOf(plain).length > 0) return plain;
  }
  return defaultLocale;
}
