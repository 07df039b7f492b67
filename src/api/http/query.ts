import type { TObject } from 'typebox';
import { BadRequest, type FieldError } from '../../services/errors.ts';
import { asNode, type SchemaNode } from './describe-schema.ts';
import { unstorable } from './json.ts';
import { childPath } from './paths.ts';
import { compileChecker, onePerPath } from './validation.ts';

/** No list takes more than a dozen. A URL of 16 KiB could hold 8,000, which took 20 ms to refuse one by one. */
const maxParameters = 100;

/**
 * Compiles a route's query schema into a parser. Numbers and booleans are parsed strictly (`5`, not `05`, `+5` or
 * `5e0`). Missing parameters take their `default`. The parser throws BadRequest with every field error, unknown and
 * repeated parameters included. A query of more than 100 parameters is refused without being parsed.
 */
export function compileQuery(schema: TObject): (text: string) => Record<string, unknown> {
  const check = compileChecker({ ...schema, additionalProperties: false });
  const members = new Map(Object.entries(schema.properties).map(([name, member]) => [name, asNode(member) ?? {}]));
  const defaults = [...members].filter(([, member]) => member.default !== undefined);
  return (text) => {
    assertFew(text);
    const values: Record<string, unknown> = Object.create(null);
    const repeated: FieldError[] = [];
    for (const [name, given] of new URLSearchParams(text)) {
      if (name in values) {
        repeated.push({
          path: childPath('', name),
          code: 'invalid_value',
          message: `${name.slice(0, 100)} is given more than once.`,
        });
      }
      values[name] = read(members.get(name), given);
    }
    for (const [name, member] of defaults) if (!(name in values)) values[name] = member.default;
    const faults = onePerPath([...repeated, ...unstorable(values, ''), ...check(values)]);
    if (faults.length === 0) return values;
    throw new BadRequest(
      faults.map((fault) => fault.message).join(' '),
      'validation_failed',
      faults.map((fault) => ({ ...fault, path: `query${fault.path ?? ''}` })),
    );
  };
}

function assertFew(text: string): void {
  if (text.length <= maxParameters || text.split('&', maxParameters + 1).length <= maxParameters) return;
  const message = `A query may have at most ${maxParameters} parameters.`;
  const tooMany: FieldError = { path: 'query', code: 'too_many', message };
  throw new BadRequest(message, 'validation_failed', [tooMany]);
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
