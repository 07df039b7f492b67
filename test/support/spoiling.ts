import { asNode, asNodes, choicesOf, type SchemaNode } from '../../src/api/validation/describe-schema.ts';

/** A body in which one member was changed. */
export interface ChangedBody {
  /** What was put where, such as `a fraction in /phones/0/raw`. */
  readonly what: string;
  /** JSON pointer of the member. */
  readonly path: string;
  /** As text: some of them can be written, and not be built. */
  readonly json: string;
}

/** Values by what they are, as JSON. */
export type Values = Readonly<Record<string, string>>;

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
const ofType: Values = { boolean: 'true', integer: '12', string: '"text"', array: '[]', object: '{}' };
const notIntegers: Values = {
  'a number as a string': '"12"',
  'a fraction': '1.5',
  'nearly an integer': '12.000000001',
  'a huge number': '1e300',
  'more than a bigint': '9223372036854775808',
  'a huge negative number': '-1e300',
  'a negative number': '-7',
};
const notBooleans: Values = { 'a boolean as a string': '"true"', 'a boolean as a number': '1' };
const notDates: Values = {
  'the 30th of February': '"2027-02-30"',
  'the 29th of February of a common year': '"2027-02-29"',
  'a 13th month': '"2027-13-01"',
  'the year 0': '"0000-01-01"',
  'the year 1': '"0001-01-01"',
  'the year 9999': '"9999-12-31"',
  'a year of five digits': '"12027-01-01"',
  'a year with a sign': '"+012027-01-01"',
  'a date in another order': '"31/01/2027"',
  'an instant': '"2027-01-31T00:00:00Z"',
};
const notInstants: Values = {
  'the 30th of February': '"2027-02-30T00:00:00Z"',
  'the 24th hour': '"2027-01-31T24:00:00Z"',
  'a leap second': '"2027-01-31T23:59:60Z"',
  'the year 0': '"0000-01-01T00:00:00Z"',
  'a year of five digits': '"12027-01-01T00:00:00Z"',
  'an instant after the last year': '"9999-12-31T23:59:59-01:00"',
  'no offset': '"2027-01-31T00:00:00"',
  'a date': '"2027-01-31"',
};
const notEmails: Values = {
  'no address': '"jo"',
  'two addresses': '"a@b.co,c@d.co"',
  'a second line': '"a@b.co\\nBcc: x"',
};

/** Every way in which one member of a good body can be wrong on its own, in all that the schema has, given or not. */
export function spoil(schema: SchemaNode, body: unknown): ChangedBody[] {
  return placesIn(schema, body).flatMap((place) => {
    const wrong = place.path === '' ? {} : { ...neverRight, ...wrongValuesOf(place.schema) };
    return [...changes(place, wrong), ...spoilMembers(place)];
  });
}

/** The body with each of the values in the place of each of its members in turn, given or not. */
export function scatter(schema: SchemaNode, body: unknown, values: Values): ChangedBody[] {
  return placesIn(schema, body).flatMap((place) => (place.path === '' ? [] : changes(place, values)));
}

/** A value in a body, and how the whole is written with another in its place. */
interface Place {
  readonly path: string;
  readonly schema: SchemaNode;
  readonly value: unknown;
  write(json: string): string;
}

function placesIn(schema: SchemaNode, value: unknown, path = '', write = (json: string) => json): Place[] {
  const here: Place = { path, schema, value, write };
  const shape = shapeOf(schema, value);
  if (shape.type === 'array') {
    const [first] = Array.isArray(value) ? value : [];
    return [here, ...placesIn(asNode(shape.items) ?? {}, first, `${path}/0`, (json) => write(`[${json}]`))];
  }
  const members = Object.entries(asNode(shape.properties) ?? {}).flatMap(([name, member]) =>
    placesIn(asNode(member) ?? {}, asNode(value)?.[name], `${path}/${name}`, (json) =>
      write(objectWith(value, name, json)),
    ),
  );
  return [here, ...members];
}

function changes({ path, write }: Place, values: Values): ChangedBody[] {
  return Object.entries(values).map(([what, json]) => ({ what: `${what} in ${path}`, path, json: write(json) }));
}

/** An object with a member too few, one twice, and one too many. */
function spoilMembers({ schema, value, path, write }: Place): ChangedBody[] {
  const { required, properties } = shapeOf(schema, value);
  if (properties === undefined) return [];
  const given = Object.keys(asNode(value) ?? {});
  const missing = given.filter((name) => Array.isArray(required) && required.includes(name));
  return [
    ...missing.map((name) => ({
      what: `no ${path}/${name}`,
      path: `${path}/${name}`,
      json: write(objectWith(value, name)),
    })),
    ...given.map((name) => ({
      what: `${path}/${name} twice`,
      path: '',
      json: write(objectWith(value, name, `1,${JSON.stringify(name)}:1`)),
    })),
    { what: `an unknown member in ${path}`, path: `${path}/bogus`, json: write(objectWith(value, 'bogus', '1')) },
  ];
}

/** The object as JSON, with this in the place of the member, or without the member. */
function objectWith(value: unknown, name: string, json?: string): string {
  const others = Object.entries(asNode(value) ?? {}).filter(([other]) => other !== name);
  const members = others.map(([other, member]) => `${JSON.stringify(other)}:${JSON.stringify(member)}`);
  if (json !== undefined) members.push(`${JSON.stringify(name)}:${json}`);
  return `{${members.join(',')}}`;
}

/** The branch of a union that a value is of: the one with its `type`, or else the first that is not null. */
function shapeOf(schema: SchemaNode, value: unknown): SchemaNode {
  const branches = asNodes(schema.anyOf).filter((branch) => branch.type !== 'null');
  const tag = asNode(value)?.type;
  const tagged = branches.find((branch) => asNode(asNode(branch.properties)?.type)?.const === tag);
  return (tag === undefined ? undefined : tagged) ?? branches[0] ?? schema;
}

function wrongValuesOf(schema: SchemaNode): Values {
  const shape = shapeOf(schema, undefined);
  const choices = choicesOf(shape);
  const type = choices ? typeof choices[0] : shape.type;
  // A member that no type is said of takes none at all: it is there to be refused in words of its own.
  const others = Object.entries(ofType).filter(([name]) => type !== undefined && name !== type);
  const takesNull = type === undefined || asNodes(schema.anyOf).some((branch) => branch.type === 'null');
  return {
    ...Object.fromEntries(others.map(([name, json]) => [`the type ${name}`, json])),
    ...(takesNull ? {} : { null: 'null' }),
    ...(choices
      ? { 'an unknown word': '"bogus"', 'another case': JSON.stringify(inAnotherCase(String(choices[0]))) }
      : {}),
    ...(type === 'integer' ? notIntegers : {}),
    ...(type === 'boolean' ? notBooleans : {}),
    ...(shape.format === 'date' ? notDates : {}),
    ...(shape.format === 'date-time' ? notInstants : {}),
    ...(shape.format === 'email' ? notEmails : {}),
    ...(typeof shape.maxLength === 'number'
      ? { 'a text too long': JSON.stringify('x'.repeat(shape.maxLength + 1)) }
      : {}),
    ...(typeof shape.minLength === 'number' ? { 'an empty text': '""' } : {}),
    ...(shape.pattern === '\\S' ? { blanks: '"  \\u00a0"' } : {}),
  };
}

function inAnotherCase(word: string): string {
  return word === word.toUpperCase() ? word.toLowerCase() : word.toUpperCase();
}
