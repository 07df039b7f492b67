import { closestMatch } from 'leven';
import type { TSchema } from 'typebox';
import { Compile } from 'typebox/compile';
import type { TLocalizedValidationError } from 'typebox/error';
import { Value } from 'typebox/value';
import { ruleOf } from '../../resources/common.ts';
import { type FieldError, fieldError, maxFieldErrors, onePerPath } from '../../resources/field-errors.ts';
import { asNode, asNodes, choicesOf, describeSchema, type SchemaNode } from './describe-schema.ts';
import { registerFormats } from './formats.ts';
import { childPath, nameOf, segmentsOf } from './paths.ts';

registerFormats();

/** "Did you mean" hints are added only to the first field errors: comparing names is expensive. */
const hintsAtMost = 10;

/** Returns every field error of a value. If there is none, the value is of the schema's type. */
export type Checker = (value: unknown) => FieldError[];

const checkers = new WeakMap<TSchema, Checker>();

/**
 * Compiles a schema, the first time, into a checker with plain-language messages. It returns one field error per field,
 * at most 100.
 */
export function compileChecker(schema: TSchema): Checker {
  const known = checkers.get(schema) ?? compile(schema);
  checkers.set(schema, known);
  return known;
}

function compile(schema: TSchema): Checker {
  const validator = Compile(schema);
  const rule = ruleOf(schema);
  return (value) => {
    const ofRule = rule && isObject(value) ? rule(value) : [];
    if (validator.Check(value)) return ofRule;
    const errors = onePerPath([...explain(schema, value, ''), ...ofRule]);
    return errors.length > 0 ? errors : [fieldError('', 'invalid_value', 'The body is not valid.')];
  };
}

/** Explains at most as many errors as the response may show: explaining an error costs more than finding it. */
function explain(schema: TSchema, value: unknown, root: string): FieldError[] {
  const found = Value.Errors(schema, value);
  const unions = found.filter((error) => error.keyword === 'anyOf').map((error) => `${error.schemaPath}/anyOf/`);
  const errors: FieldError[] = [];
  for (const error of found) {
    if (errors.length >= maxFieldErrors) break;
    // Errors from the branches of a union are explained at the union itself.
    if (unions.some((union) => error.schemaPath.startsWith(union))) continue;
    errors.push(...explainError(error, schema, value, root, errors.length < hintsAtMost));
  }
  return errors;
}

function explainError(
  error: TLocalizedValidationError,
  schema: TSchema,
  value: unknown,
  root: string,
  hasHint: boolean,
): FieldError[] {
  const segments = segmentsOf(error.instancePath);
  const path = segments.reduce(childPath, root);
  const schemaPath = segmentsOf(error.schemaPath);
  if (error.keyword === 'boolean') {
    // The schema `false` refuses an unknown member. The parent's own error lists all of them, but may exceed the error
    // limit.
    const parent = asNode(at(schema, schemaPath.slice(0, -1)));
    if (parent !== undefined) return [unknownParameter(parent, path, hasHint)];
  }
  const node = asNode(at(schema, schemaPath));
  // A slash inside a pattern is indistinguishable from a path separator, so the schema may not be found.
  if (node === undefined) return [fieldError(path, 'invalid_value', `${nameOf(path)} ${error.message}.`)];
  return explainOne(error, node, at(value, segments), path);
}

function explainOne(error: TLocalizedValidationError, schema: SchemaNode, value: unknown, path: string): FieldError[] {
  const inName = error.schemaPath.endsWith('/propertyNames');
  const expected = () => `${inName ? `The name ${nameOf(path)}` : nameOf(path)} must be ${describeSchema(schema)}.`;
  switch (error.keyword) {
    case 'additionalProperties':
    case 'propertyNames':
      return []; // duplicates the errors of the members
    case 'required':
      return error.params.requiredProperties.map((name) =>
        missing(asNode(at(schema, ['properties', name])), path, name),
      );
    case 'anyOf':
      return explainUnion(schema, value, path);
    case 'type':
      return [fieldError(path, 'invalid_type', expected())];
    case 'minimum':
    case 'maximum':
    case 'exclusiveMinimum':
    case 'exclusiveMaximum':
      return [fieldError(path, 'out_of_range', expected())];
    case 'maxLength':
      return [fieldError(path, 'too_long', expected())];
    case 'minLength':
      return [fieldError(path, 'too_short', expected())];
    case 'maxItems':
    case 'maxProperties':
      return [fieldError(path, 'too_many', expected())];
    case 'minItems':
    case 'minProperties':
      return [fieldError(path, 'too_few', expected())];
    case 'format':
    case 'pattern':
      return [fieldError(path, 'invalid_format', expected())];
    case '~refine':
      return [fieldError(path, 'invalid_value', `${nameOf(path)} ${error.params.message}`)];
    default:
      return [fieldError(path, 'invalid_value', expected())];
  }
}

/**
 * Returns the field errors of the branch that the client meant. Its literals (such as `type`) or its type identify it.
 */
function explainUnion(schema: SchemaNode, value: unknown, path: string): FieldError[] {
  const expected = `${nameOf(path)} must be ${describeSchema(schema)}.`;
  if (choicesOf(schema)) return [fieldError(path, 'invalid_value', expected)];
  const branches = asNodes(schema.anyOf).filter((branch) => accepts(branch.type, value) || 'anyOf' in branch);
  if (branches.length === 0) return [fieldError(path, 'invalid_type', expected)];
  // A word that is none of the list may be meant as one, or as what the other branch takes.
  const hasList = asNodes(schema.anyOf).some((branch) => Array.isArray(branch.enum));
  if (typeof value === 'string' && hasList) return [fieldError(path, 'invalid_value', expected)];
  // A text in one of several formats.
  if (typeof value === 'string' && branches.length > 1) return [fieldError(path, 'invalid_format', expected)];
  const tag = discriminatorOf(schema) ?? tagOf(branches);
  const meant = branches.filter((branch) => tag === undefined || tagValue(branch, tag) === at(value, [tag]));
  if (tag !== undefined && meant.length === 0) {
    const tags = { anyOf: branches.map((branch) => at(branch, ['properties', tag])) };
    if (at(value, [tag]) === undefined) return [missing(tags, path, tag)];
    const message = `${nameOf(childPath(path, tag))} must be ${describeSchema(tags)}.`;
    return [fieldError(childPath(path, tag), 'invalid_value', message)];
  }
  const explained = meant.map((branch) => explain(branch, value, path)).sort((a, b) => a.length - b.length);
  return explained[0] ?? [fieldError(path, 'invalid_value', expected)];
}

/** Returns the member named by the schema's `discriminator`, as in OpenAPI. */
function discriminatorOf(schema: SchemaNode): string | undefined {
  const name = at(schema, ['discriminator', 'propertyName']);
  return typeof name === 'string' ? name : undefined;
}

/** Returns the member whose literal differs in each branch. */
function tagOf(branches: SchemaNode[]): string | undefined {
  const names = Object.keys(asNode(branches[0]?.properties) ?? {});
  return names.find((name) => branches.every((branch) => tagValue(branch, name) !== undefined));
}

function tagValue(branch: SchemaNode, name: string): unknown {
  return at(branch, ['properties', name, 'const']);
}

function missing(schema: SchemaNode | undefined, parent: string, name: string): FieldError {
  const path = childPath(parent, name);
  const what = schema ? `, and must be ${describeSchema(schema)}` : '';
  return fieldError(path, 'parameter_missing', `${nameOf(path)} is required${what}.`);
}

function unknownParameter(schema: SchemaNode, path: string, hasHint: boolean): FieldError {
  const name = segmentsOf(path).at(-1) ?? '';
  const parent = path.slice(0, path.lastIndexOf('/'));
  const known = hasHint ? Object.keys(asNode(schema.properties) ?? {}) : [];
  const maxDistance = Math.max(1, Math.floor(name.length / 3));
  const near = closestMatch(name.toLowerCase(), known, { maxDistance }) ?? sharingWords(name, known);
  const hint = near === undefined ? '' : ` Did you mean ${nameOf(childPath(parent, near))}?`;
  return fieldError(path, 'unknown_parameter', `${nameOf(path)} is not a known parameter.${hint}`);
}

/**
 * Returns the only known name that has all words of this one, or whose words this one has all: `customer` means
 * `customer_id`. Undefined if several do.
 */
function sharingWords(name: string, known: readonly string[]): string | undefined {
  const words = name.toLowerCase().split('_');
  const [near, ...more] = known.filter((other) => {
    const others = other.split('_');
    return words.every((word) => others.includes(word)) || others.every((word) => words.includes(word));
  });
  return more.length === 0 ? near : undefined;
}

function at(value: unknown, segments: string[]): unknown {
  let current = value;
  for (const segment of segments) {
    if (typeof current !== 'object' || current === null || !Object.hasOwn(current, segment)) return undefined;
    current = Reflect.get(current, segment);
  }
  return current;
}

function isObject(value: unknown): value is Record<string, unknown> {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

function accepts(type: unknown, value: unknown): boolean {
  if (value === null) return type === 'null';
  if (Array.isArray(value)) return type === 'array';
  return type === typeof value || (type === 'integer' && typeof value === 'number');
}
