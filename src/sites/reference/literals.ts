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

export const json: Notation = {
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
export const python: Notation = { ...json, constants: { true: 'True', false: 'False', null: 'None' } };

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
