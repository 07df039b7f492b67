import { asNode, asNodes, choicesOf, type SchemaNode } from '../../src/api/expectations.ts';

/** A body that is right but for one member. */
export interface SpoiltBody {
  /** What was put where, such as `a fraction in /phones/0/raw`. */
  readonly what: string;
  /** JSON pointer of the member. */
  readonly path: string;
  /** As text, since some of them can be written and not built. */
  readonly json: string;
}

/** Values by what they are, as JSON. */
type Values = Readonly<Record<string, string>>;

/** What no member of any body can hold, whatever its type. */
const neverRight: Values = {
  'a NUL': '"a\\u0000b"',
  'a lone high surrogate': '"a\\ud800"',
  'a lone low surrogate': '"\\udc00a"',
  'a NUL in a name': '{"a\\u0000":1}',
  'a number without end': '1e999',
  'nesting without end': `${'['.repeat(40)}${']'.repeat(40)}`,
  'a member __proto__': '{"__proto__":{"admin":true}}',
};
/** One value of each JSON type: all but the member's own are wrong. */
const ofType: Values = { boolean: 'true', integer: '12', string: '"text"', array: '[]', object: '{}', null: 'null' };
const notIntegers: Values = {
  'a number as a string': '"12"',
  'an empty string': '""',
  'a fraction': '1.5',
  'a tiny fraction': '12.000000001',
  'a huge number': '1e300',
  'more than a bigint': '9223372036854775808',
  'a huge negative number': '-1e300',
  'a negative number': '-7',
};
const notDates: Values = {
  'the 30th of February': '"2027-02-30"',
  'the 29th of February of a common year': '"2027-02-29"',
  'a 13th month': '"2027-13-01"',
  'the year 0': '"0000-01-01"',
  'a year of five digits': '"12027-01-01"',
  'a signed year': '"+012027-01-01"',
  'a date of another order': '"31/01/2027"',
  'an instant': '"2027-01-31T00:00:00Z"',
};
const notInstants: Values = {
  'the 30th of February': '"2027-02-30T00:00:00Z"',
  'hour 24': '"2027-01-31T24:00:00Z"',
  'a leap second': '"2027-01-31T23:59:60Z"',
  'the year 0': '"0000-01-01T00:00:00Z"',
  'a year of five digits': '"12027-01-01T00:00:00Z"',
  'an instant past the last year': '"9999-12-31T23:59:59-01:00"',
  'no offset': '"2027-01-31T00:00:00"',
  'a date': '"2027-01-31"',
};
const notEmails: Values = {
  'no address': '"jo"',
  'two addresses': '"a@b.co,c@d.co"',
  'a broken line': '"a@b.co\\nBcc: x"',
};

/** Every way in which one member of this body can be wrong by itself, in all that the schema has, given or not. */
export function spoil(schema: SchemaNode, body: unknown): SpoiltBody[] {
  return spoilAt(schema, body, '', (json) => json);
}

function spoilAt(given: SchemaNode, value: unknown, path: string, around: (json: string) => string): SpoiltBody[] {
  const schema = branchOf(given, value);
  const isRoot = path === '';
  const wrong = isRoot ? {} : { ...neverRight, ...wrongValuesOf(given, schema) };
  const here = Object.entries(wrong).map(([what, json]) => ({ what: `${what} in ${path}`, path, json: around(json) }));
  if (schema.type === 'array') return [...here, ...spoilItems(schema, value, path, around)];
  if (asNode(schema.properties)) return [...here, ...spoilMembers(schema, value, path, around)];
  return here;
}

function spoilMembers(
  schema: SchemaNode,
  value: unknown,
  path: string,
  around: (json: string) => string,
): SpoiltBody[] {
  const given = Object.entries(asNode(value) ?? {});
  const put = (name: string) => (json: string) => {
    const others = given
      .filter(([other]) => other !== name)
      .map(([other, member]) => pair(other, JSON.stringify(member)));
    return around(`{${[...others, pair(name, json)].join(',')}}`);
  };
  const members = Object.entries(asNode(schema.properties) ?? {}).flatMap(([name, member]) =>
    spoilAt(asNode(member) ?? {}, asNode(value)?.[name], `${path}/${name}`, put(name)),
  );
  const missing = given
    .filter(([name]) => Array.isArray(schema.required) && schema.required.includes(name))
    .map(([name]) => {
      const rest = given
        .filter(([other]) => other !== name)
        .map(([other, member]) => pair(other, JSON.stringify(member)));
      return { what: `no ${path}/${name}`, path: `${path}/${name}`, json: around(`{${rest.join(',')}}`) };
    });
  const twice = given.map(([name, member]) => {
    const pairs = given.map(([other, its]) => pair(other, JSON.stringify(its)));
    return {
      what: `${path}/${name} twice`,
      path: '',
      json: around(`{${[...pairs, pair(name, JSON.stringify(member))].join(',')}}`),
    };
  });
  const unknown = { what: `an unknown member in ${path}`, path: `${path}/bogus`, json: put('bogus')('1') };
  return [...members, ...missing, ...twice, unknown];
}

function spoilItems(schema: SchemaNode, value: unknown, path: string, around: (json: string) => string): SpoiltBody[] {
  const [first] = Array.isArray(value) ? value : [];
  return spoilAt(asNode(schema.items) ?? {}, first, `${path}/0`, (json) => around(`[${json}]`));
}

/** The shape that a value is of, where there are several: the one with its `type`, or else the first that is not null. */
function branchOf(schema: SchemaNode, value: unknown): SchemaNode {
  const branches = asNodes(schema.anyOf).filter((branch) => branch.type !== 'null');
  if (branches.length === 0) return schema;
  const tagged = branches.find((branch) => asNode(asNode(branch.properties)?.type)?.const === asNode(value)?.type);
  return tagged ?? branches[0] ?? schema;
}

function wrongValuesOf(given: SchemaNode, schema: SchemaNode): Values {
  const choices = choicesOf(schema);
  const type = choices ? typeof choices[0] : schema.type;
  // A member that no type is said of can be anything, or nothing at all.
  const isNullable = type === undefined || asNodes(given.anyOf).some((branch) => branch.type === 'null');
  const others = Object.entries(ofType).filter(([name]) => type !== undefined && name !== type && name !== 'null');
  return {
    ...Object.fromEntries(others.map(([name, json]) => [`the type ${name}`, json])),
    ...(isNullable ? {} : { null: 'null' }),
    ...(choices
      ? { 'an unknown word': '"bogus"', 'another case': JSON.stringify(inAnotherCase(String(choices[0]))) }
      : {}),
    ...(type === 'integer' ? notIntegers : {}),
    ...(type === 'boolean' ? { 'a boolean as a string': '"true"', 'a boolean as a number': '1' } : {}),
    ...(schema.format === 'date' ? notDates : {}),
    ...(schema.format === 'date-time' ? notInstants : {}),
    ...(schema.format === 'email' ? notEmails : {}),
    ...(typeof schema.maxLength === 'number'
      ? { 'a text too long': JSON.stringify('x'.repeat(schema.maxLength + 1)) }
      : {}),
    ...(typeof schema.minLength === 'number' && schema.minLength > 0 ? { 'an empty text': '""' } : {}),
    ...(schema.pattern === '\\S' ? { blanks: '"  \\u00a0"' } : {}),
  };
}

function inAnotherCase(word: string): string {
  return word === word.toUpperCase() ? word.toLowerCase() : word.toUpperCase();
}

function pair(name: string, json: string): string {
  return `${JSON.stringify(name)}:${json}`;
}
