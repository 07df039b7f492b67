import type { TObject } from 'typebox';
import { type FieldError, fieldError, onePerPath } from '../../resources/field-errors.ts';
import { BadParameters } from '../../services/errors.ts';
import { asNode, type SchemaNode } from './describe-schema.ts';
import { unstorable } from './json.ts';
import { childPath } from './paths.ts';
import { compileChecker } from './validation.ts';

type Parser = (text: string) => Record<string, unknown>;

const parsers = new WeakMap<TObject, Parser>();

/** No list takes more than a dozen. A URL of 16 KiB could hold 8,000, which took 20 ms to refuse one by one. */
const maxParameters = 100;

/**
 * Compiles a route's query schema, the first time, into a parser. Numbers and booleans are parsed strictly (`5`, not
 * `05`, `+5` or `5e0`). Missing parameters take their `default`. The parser throws BadParameters with every field
 * error, unknown and repeated parameters included. A query of more than 100 parameters is refused without being parsed.
 */
export function compileQuery(schema: TObject): Parser {
  const known = parsers.get(schema) ?? compile(schema);
  parsers.set(schema, known);
  return known;
}

function compile(schema: TObject): Parser {
  const check = compileChecker({ ...schema, additionalProperties: false });
  const members = new Map(Object.entries(schema.properties).map(([name, member]) => [name, asNode(member) ?? {}]));
  const defaults = [...members].filter(([, member]) => member.default !== undefined);
  return (text) => {
    assertFew(text);
    const values: Record<string, unknown> = Object.create(null);
    const repeated: FieldError[] = [];
    for (const [name, given] of new URLSearchParams(text)) {
      if (name in values) {
        const message = `${name.slice(0, 100)} is given more than once.`;
        repeated.push(fieldError(childPath('', name), 'invalid_value', message));
      }
      values[name] = read(members.get(name), given);
    }
    for (const [name, member] of defaults) if (!(name in values)) values[name] = member.default;
    const errors = onePerPath([...repeated, ...unstorable(values, ''), ...check(values)]);
    if (errors.length === 0) return values;
    throw new BadParameters(errors.map((error) => ({ ...error, path: `query${error.path ?? ''}` })));
  };
}

function assertFew(text: string): void {
  if (text.length <= maxParameters || text.split('&', maxParameters + 1).length <= maxParameters) return;
  throw new BadParameters([fieldError('query', 'too_many', `A query may have at most ${maxParameters} parameters.`)]);
}

/** Converts the text to the schema's type. If that fails, returns the text, which validation then refuses. */
function read(schema: SchemaNode | undefined, text: string): unknown {
  switch (schema?.type) {
    case 'integer':
      return /^(0|-?[1-9]\d{0,14})$/.test(text) ? Number(text) : text;
    case 'number':
      return /^-?(0|[1-9]\d{0,14})(\.\d{1,15})?$/.test(text) ? Number(text) : text;
    case 'boolean':
      return text === 'true' ? true : text === 'false' ? false : text;
    default:
      return text;
  }
}
