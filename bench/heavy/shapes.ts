import { range } from '../../lab/parallel.ts';
import type { Sending } from '../flood/job.ts';

/** A request that costs the API much and its sender little. */
export interface Shape extends Sending {
  id: string;
  what: string;
}

const kib = 1024;
/** What a body holds beside its filling, at most. */
const slack = 200;

const members = (count: number, member: (n: number) => string) => `{${range(count).map(member).join(',')}}`;
const filled = (text: string, bytes: number) => text.repeat(Math.floor(bytes / text.length));
const customer = (filling: string) => `{"name":"Ada Example",${filling}}`;
const attributes = (value: string) => customer(`"additional_attributes":${value}`);
const intent = (metadata: string) => `{"amount":500,"currency":"AUD","metadata":${metadata}}`;

/** The most that an object holds: its lists are the largest responses. */
export const fullCustomer = attributes(members(900, (n) => `"a${n}":"${filled('x', (256 * kib - slack) / 900 - 12)}"`));
export const fullIntent = intent(members(50, (n) => `"${String(n).padStart(40, 'k')}":"${filled('é', 500)}"`));

function post(id: string, what: string, path: string, body: string): Shape {
  return { id, what, method: 'POST', path, body };
}

function get(id: string, what: string, path: string, headers: Record<string, string> = {}): Shape {
  return { id, what, method: 'GET', path, body: null, headers };
}

const bodies: Shape[] = [
  post(
    'unknown',
    '20,000 unknown members',
    '/customers',
    members(20_000, (n) => `"m${n}":1`),
  ),
  post('metadata', '20,000 pairs of metadata', '/payment_intents', intent(members(20_000, (n) => `"m${n}":""`))),
  post('items', '120,000 items of a list', '/customers', customer(`"phones":[${filled('1,', 240_000)}1]`)),
  post('free', '20,000 free-form members', '/customers', attributes(members(20_000, (n) => `"m${n}":1`))),
  post(
    'misspelt',
    '900 misspelt members',
    '/customers',
    members(900, (n) => `"additional_atribute${n}":1`),
  ),
  post('pairs', '900 pairs of metadata', '/payment_intents', intent(members(900, (n) => `"m${n}":""`))),
  post('phones', '900 phones without a number', '/customers', customer(`"phones":[${filled('{},', 2_700)}{}]`)),
  post('deep', 'brackets 120,000 deep', '/customers', filled('[', 120_000)),
  post(
    'nul',
    '900 texts with a NUL, 30 levels deep',
    '/customers',
    attributes(`${`{"${filled('d', 100)}":`.repeat(29)}[${filled('"\\u0000",', 8_100)}1]${'}'.repeat(29)}`),
  ),
  post('escapes', '120,000 escapes', '/customers', attributes(`{"a":"${filled('\\"', 240_000)}"}`)),
  post('digits', 'runs of 299 digits', '/customers', attributes(`{"a":"${filled(`${filled('1', 299)},`, 250_000)}"}`)),
  post(
    'names',
    '900 escaped names',
    '/customers',
    attributes(members(900, (n) => `"${filled('\\u0061', 240)}${n}":1`)),
  ),
  post('email', 'a long email address', '/customers', customer(`"email":"a@${filled('a-', 240_000)}"`)),
  post('full-customer', 'a customer of 256 KiB, which is made', '/customers', fullCustomer),
  post('full-intent', 'an intent with full metadata, which is made', '/payment_intents', fullIntent),
];

const long = 15_000;
const heads: Shape[] = [
  get(
    'parameters',
    '2,500 query parameters',
    `/customers?${range(2_500)
      .map((n) => `a${n}`)
      .join('&')}`,
  ),
  get('repeated', 'one query parameter 7,500 times', `/customers?${filled('a&', long)}`),
  get('percent', 'a long escaped parameter', `/customers?name=${filled('%41', long)}`),
  get('path', 'a path of 7,000 segments', filled('/a', long)),
  get('id', 'an id of 15,000 characters', `/customers/${filled('%2525', long)}`),
  get('prefer', 'a long Prefer', '/test_helpers/test_clocks/clk_none', { prefer: filled(', wait =', long) }),
  get('type', 'a long Content-Type', '/customers', { 'content-type': `application/json${filled(' ', long)}x` }),
];

const lists: Shape[] = [
  get('list-customers', 'a list of 100 customers of 256 KiB', '/customers?limit=100'),
  get('list-intents', 'a list of 100 intents with full metadata', '/payment_intents?limit=100'),
];

export const shapes: readonly Shape[] = [...bodies, ...heads, ...lists];
