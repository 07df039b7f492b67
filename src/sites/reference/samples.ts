import { type ClientMethod, camel, pascal, wordsOf } from './client-names.ts';

/** What a sample of an operation shows. */
export interface SampleRequest extends ClientMethod {
  httpMethod: string;
  /** With the ids of examples, such as `/api/v1/customers/cus_…`. */
  path: string;
  /** The ids in the path, in order. */
  ids: readonly string[];
  /** The parameters that a request must have. */
  query: Readonly<Record<string, string | number>>;
  /** Undefined if the operation takes none. */
  body: unknown;
  /** The body as the Go client takes it. */
  goBody: string | null;
  /** The name of the response's schema, such as `Customer`. */
  result: string | null;
  takesQuery: boolean;
  /** Whether the response is a page of a list. */
  isPaged: boolean;
  isPublic: boolean;
}

export const languages = ['curl', 'TypeScript', 'Python', 'Go'] as const;
export type Language = (typeof languages)[number];

/** Returns the sample of an operation in each language, by the names of `clients/README.md`. */
export function samplesOf(request: SampleRequest): Record<Language, string> {
  return { curl: curl(request), TypeScript: inTypeScript(request), Python: inPython(request), Go: inGo(request) };
}

function curl({ httpMethod, path, query, body, isPublic }: SampleRequest): string {
  const search = new URLSearchParams(
    Object.entries(query).map(([name, value]): [string, string] => [name, String(value)]),
  ).toString();
  const method = httpMethod === 'GET' ? '' : `-X ${httpMethod} `;
  return [
    `curl ${method}"$BASE_URL${path}${search && `?${search}`}"`,
    ...(isPublic ? [] : ['  -H "Authorization: Bearer $API_KEY"']),
    ...(body === undefined
      ? []
      : ["  -H 'Content-Type: application/json'", `  -d '${literal(body, json).replaceAll("'", "'\\''")}'`]),
  ].join(' \\\n');
}

function inTypeScript({ resource, method, ids, query, body, result, isPaged }: SampleRequest): string {
  const given = [
    ...ids.map((id) => typescript.text(id)),
    ...(body === undefined ? [] : [literal(body, typescript)]),
    ...(Object.keys(query).length === 0 ? [] : [literal(query, typescript)]),
  ];
  const call = `payments.${camel(resource)}.${camel(method)}(${given.join(', ')})`;
  if (isPaged) return `for await (const item of ${call}) console.log(item);`;
  return `const ${camel(wordsOf(result ?? 'result'))} = await ${call};`;
}

/** Query parameters that are words of Python; the client's have an underscore at the end. */
const pythonKeyword = /^(from|in|is|not|class|import|global|with)$/;

function inPython({ resource, method, ids, query, body, result, isPaged }: SampleRequest): string {
  const given = [
    ...ids.map((id) => python.text(id)),
    ...(body === undefined ? [] : [literal(body, python)]),
    ...Object.entries(query).map(
      ([name, value]) => `${pythonKeyword.test(name) ? `${name}_` : name}=${literal(value, python)}`,
    ),
  ];
  const call = `payments.${resource.join('_')}.${method.join('_')}(${given.join(', ')})`;
  if (isPaged) return `for item in ${call}:\n    print(item)`;
  return `${wordsOf(result ?? 'result').join('_')} = ${call}`;
}

function inGo({ resource, method, ids, query, goBody, result, takesQuery, isPaged }: SampleRequest): string {
  const fields = Object.entries(query).map(([name, value]) => `${pascal(wordsOf(name))}: ${literal(value, json)}`);
  const given = [
    'ctx',
    ...ids.map((id) => json.text(id)),
    ...(goBody === null ? [] : [goBody]),
    ...(takesQuery ? [`payments.${pascal(resource)}${pascal(method)}Query{${fields.join(', ')}}`] : []),
  ];
  const call = `client.${pascal(resource)}.${pascal(method)}(${given.join(', ')})`;
  if (isPaged)
    return `for item, err := range ${call}.All() {\n\tif err != nil {\n\t\treturn err\n\t}\n\tfmt.Println(item)\n}`;
  return `${camel(wordsOf(result ?? 'result'))}, err := ${call}`;
}

/** How a language writes values. */
export interface Notation {
  text(value: string): string;
  /** A member's name, with what separates it from its value. */
  name(name: string): string;
  constants: Readonly<Record<'true' | 'false' | 'null', string>>;
  /** Whether spaces stand inside of the braces of one line. */
  isSpaced: boolean;
}

const columns = 72;
const inDoubleQuotes = (value: string) => JSON.stringify(value);
const inSingleQuotes = (value: string) =>
  `'${inDoubleQuotes(value).slice(1, -1).replaceAll('\\"', '"').replaceAll("'", "\\'")}'`;

const json: Notation = {
  text: inDoubleQuotes,
  name: (name) => `"${name}": `,
  constants: { true: 'true', false: 'false', null: 'null' },
  isSpaced: false,
};
export const typescript: Notation = {
  text: inSingleQuotes,
  name: (name) => (/^[a-z_]\w*$/i.test(name) ? `${name}: ` : `${inSingleQuotes(name)}: `),
  constants: json.constants,
  isSpaced: true,
};
const python: Notation = { ...json, constants: { true: 'True', false: 'False', null: 'None' } };

/** Writes a JSON value in a notation. What does not fit a line is spread over several. */
export function literal(value: unknown, notation: Notation, indent = ''): string {
  if (typeof value === 'string') return notation.text(value);
  if (typeof value === 'boolean' || value === null) return notation.constants[`${value}`];
  if (Array.isArray(value)) {
    return enclosed(
      '[',
      ']',
      value.map((item) => (inner: string) => literal(item, notation, inner)),
      indent,
      '',
    );
  }
  if (typeof value !== 'object') return String(value);
  const members = Object.entries(value).map(
    ([name, member]) =>
      (inner: string) =>
        notation.name(name) + literal(member, notation, inner),
  );
  return enclosed('{', '}', members, indent, notation.isSpaced ? ' ' : '');
}

type Written = (indent: string) => string;

function enclosed(open: string, close: string, parts: Written[], indent: string, space: string): string {
  if (parts.length === 0) return open + close;
  const line = open + space + parts.map((part) => part(indent)).join(', ') + space + close;
  if (!line.includes('\n') && indent.length + line.length <= columns) return line;
  const inner = `${indent}  `;
  return `${open}\n${parts.map((part) => inner + part(inner)).join(',\n')}\n${indent}${close}`;
}
