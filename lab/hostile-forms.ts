/** A form that costs the pages for payers much and its sender little: the fields that it has besides the page's own. */
export interface HostileForm {
  id: string;
  what: string;
  fields: Record<string, string>;
}

const many = (count: number, member: (n: number) => [string, string]): Record<string, string> =>
  Object.fromEntries(Array.from({ length: count }, (_, n) => member(n)));

/** What was found to cost much, or would if the checks of fields were not linear. */
export const hostileForms: readonly HostileForm[] = [
  { id: 'amount', what: 'a long amount', fields: { amount: '1'.repeat(15_000) } },
  { id: 'points', what: 'an amount of points', fields: { amount: '1.'.repeat(7_500) } },
  { id: 'spaces', what: 'an amount after spaces', fields: { amount: `1${' '.repeat(15_000)}1` } },
  { id: 'groups', what: 'groups of digits', fields: { name: '1 '.repeat(7_500) } },
  { id: 'long-groups', what: 'long groups of digits', fields: { name: '123456 '.repeat(2_000) } },
  { id: 'script', what: 'digits of another script', fields: { name: '٣ '.repeat(1_000) } },
  { id: 'normalise', what: 'characters that normalise to many', fields: { name: '\ufdfa'.repeat(1_700) } },
  { id: 'email', what: 'an email address of points', fields: { email: `a@${'a.'.repeat(7_000)}` } },
  { id: 'fields', what: 'many fields', fields: many(1_500, (n) => [`f${n}`, '1 2']) },
  { id: 'field-name', what: 'a long field name', fields: { ['1 '.repeat(7_500)]: '1' } },
  { id: 'most', what: 'the most that is read', fields: many(25, (n) => [`f${n}`, '1 2-'.repeat(75)]) },
];
