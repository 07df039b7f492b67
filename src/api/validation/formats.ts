import { Format } from 'typebox/format';
import { Settings } from 'typebox/system';
import { isPlainDate } from '../../domain/calendar.ts';

/** Describes each format in error messages. */
export const formatPhrases: Readonly<Record<string, string>> = {
  email: 'an email address, such as jo@example.com',
  date: 'a date that exists, as YYYY-MM-DD',
  'date-time': 'a date and time with an offset, such as 2027-01-31T09:30:00Z',
  ipv4: 'an IPv4 or IPv6 address, such as 203.0.113.7',
  ipv6: 'an IPv4 or IPv6 address, such as 203.0.113.7',
  uri: 'an absolute URL, such as https://example.com/hooks',
};

// RFC 3339 with capital T and Z. Leap seconds are refused: a JavaScript Date cannot represent them.
const dateTimePattern =
  /^(\d{4}-\d{2}-\d{2})T([01]\d|2[0-3]):[0-5]\d:[0-5]\d(\.\d{1,9})?(Z|[+-]([01]\d|2[0-3]):[0-5]\d)$/;
// One @, a dotted or single-label domain, no spaces and no control characters. Letters of any script.
const emailPattern =
  /^[^\s@"(),:;<>[\\\]\p{Cc}]{1,64}@(?=.{1,255}$)[\p{L}\p{N}]([\p{L}\p{N}-]*[\p{L}\p{N}])?(\.[\p{L}\p{N}]([\p{L}\p{N}-]*[\p{L}\p{N}])?)*$/u;

/**
 * Registers the formats with TypeBox. Also raises TypeBox's limit of eight errors per value, so that all field errors
 * are reported.
 */
export function registerFormats(): void {
  Format.Set('email', isEmail);
  Format.Set('date', isPlainDate);
  Format.Set('date-time', isDateTime);
  Format.Set('uri', (value) => /^[a-z][a-z0-9+.-]*:\S+$/i.test(value) && URL.canParse(value));
  // More than the service reports. The limit exists because each error costs time.
  Settings.Set({ maxErrors: 250 });
}

function isEmail(value: string): boolean {
  if (value.length > 254 || !emailPattern.test(value)) return false;
  const local = value.slice(0, value.indexOf('@'));
  return !local.startsWith('.') && !local.endsWith('.') && !local.includes('..');
}

function isDateTime(value: string): boolean {
  const date = dateTimePattern.exec(value)?.[1];
  if (date === undefined || !isPlainDate(date)) return false;
  // An offset can move the instant out of the years 1 to 9999, which PostgreSQL and JavaScript write in the same way.
  const year = new Date(value).getUTCFullYear();
  return year >= 1 && year <= 9999;
}
