import { plainText, plainTextInWords } from '../../domain/plain-text.ts';
import { formatPhrases } from './formats.ts';

/** A JSON schema: the keywords that constrain a value. */
export interface SchemaNode {
  readonly [keyword: string]: unknown;
}

/** Returns the value as a schema, or undefined if it is not an object. */
export function asNode(value: unknown): SchemaNode | undefined {
  return isNode(value) ? value : undefined;
}

/** Returns the schemas in a keyword's list, such as `anyOf`. */
export function asNodes(value: unknown): SchemaNode[] {
  return Array.isArray(value) ? value.filter(isNode) : [];
}

/** Returns the allowed values of a closed set (a literal, an enum, a union of those). Otherwise undefined. */
export function choicesOf(schema: SchemaNode): unknown[] | undefined {
  if ('const' in schema) return [schema.const];
  if (Array.isArray(schema.enum)) return schema.enum;
  if (schema.type === 'null') return [null];
  if (!Array.isArray(schema.anyOf)) return undefined;
  const choices = asNodes(schema.anyOf).map(choicesOf);
  return choices.every((choice) => choice !== undefined) ? choices.flat() : undefined;
}

/**
 * Describes what a value must be, in words that follow "must be". The description is the schema's `title` if it begins
 * with a lower-case letter or a digit ("exactly 8 digits"), otherwise the type. The limits follow.
 */
export function describeSchema(schema: SchemaNode): string {
  const choices = choicesOf(schema);
  if (choices) return choices.length === 1 ? String(choices[0]) : `one of ${choices.join(', ')}`;
  if (Array.isArray(schema.anyOf)) return [...new Set(asNodes(schema.anyOf).map(describeSchema))].join(' or ');
  const title = typeof schema.title === 'string' && /^[\p{Ll}\d]/u.test(schema.title) ? schema.title : undefined;
  switch (schema.type) {
    case 'integer':
      return withRange(title ?? 'an integer', schema);
    case 'number':
      return withRange(title ?? 'a number', schema);
    case 'string':
      return title ?? text(schema);
    case 'boolean':
      return title ?? 'true or false';
    case 'array':
      return (title ?? 'an array') + count(schema.minItems, schema.maxItems, 'items');
    case 'object':
      return (title ?? 'an object') + count(schema.minProperties, schema.maxProperties, 'members');
    default:
      // Schemas of property names (`propertyNames`) have limits but no type.
      return title ?? ('maxLength' in schema || 'pattern' in schema ? text(schema) : 'another value');
  }
}

function text(schema: SchemaNode): string {
  const format = typeof schema.format === 'string' ? formatPhrases[schema.format] : undefined;
  if (format) return format;
  const characters = count(schema.minLength, schema.maxLength, 'characters');
  if (schema.pattern === '\\S') return `a string that is not blank${characters.replace(' of', ', of')}`;
  if (schema.pattern === plainText) return `a string${characters}, ${plainTextInWords}`;
  return `a string${characters}${typeof schema.pattern === 'string' ? ` that matches ${schema.pattern}` : ''}`;
}

/** A phrase with a number in it states the limits itself. */
function withRange(phrase: string, { minimum, maximum }: SchemaNode): string {
  if (/\d/.test(phrase)) return phrase;
  if (minimum !== undefined && maximum !== undefined) return `${phrase} from ${minimum} to ${maximum}`;
  if (minimum !== undefined) return `${phrase}, at least ${minimum}`;
  return maximum === undefined ? phrase : `${phrase}, at most ${maximum}`;
}

function count(least: unknown, most: unknown, what: string): string {
  if (least !== undefined && least === most) return ` of exactly ${least} ${what}`;
  if (least !== undefined && most !== undefined) return ` of ${least} to ${most} ${what}`;
  if (most !== undefined) return ` of at most ${most} ${what}`;
  return least === undefined ? '' : ` of at least ${least} ${what}`;
}

function isNode(value: unknown): value is SchemaNode {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}
