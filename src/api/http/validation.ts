import type { TSchema } from 'typebox';
import { Compile } from 'typebox/compile';
import type { TLocalizedValidationError } from 'typebox/error';
import { Value } from 'typebox/value';
import { ruleOf } from '../../resources/common.ts';
import { type FieldError, maxFaults } from '../../services/errors.ts';
import { asNode, asNodes, choicesOf, expectation, type SchemaNode } from './describe-schema.ts';
import { registerFormats } from './formats.ts';
import { childPath, nameOf, segmentsOf } from './paths.ts';

registerFormats();

/** "Did you mean" hints are added only to the first field errors: comparing names is expensive. */
const hintsAtMost = 10;

/** Returns every field error of a value. If there is none, the value is of the schema's type. */
export type Checker = (value: unknown) => FieldError[];

/** Compiles a schema into a checker with plain-language messages. It returns one field error per field, at most 100. */
export function compileChecker(schema: TSchema): Checker {
  const validator = Compile(schema);
  const rule = ruleOf(schema);
  return (value) => {
    const breaches = rule && isObject(value) ? rule(value) : [];
    if (validator.Check(value)) return breaches;
    const faults = onePerPath([...explain(schema, value, ''), ...breaches]);
    return faults.length > 0 ? faults : [{ path: '', code: 'invalid_value', message: 'The body is not valid.' }];
  };
}

/** Keeps the first field error of each path. */
export function onePerPath(faults: FieldError[]): FieldError[] {
  const byPath = new Map<string | undefined, FieldError>();
  for (const fault of faults) if (!byPath.has(fault.path)) byPath.set(fault.path, fault);
  return [...byPath.values()].slice(0, maxFaults);
}

/** Explains at most as many errors as the response may show: explaining an error costs more than finding it. */
function explain(schema: TSchema, value: unknown, root: string): FieldError[] {
  const errors = Value.Errors(schema, value);
  const unions = errors.filter((error) => error.keyword === 'anyOf').map((error) => `${error.schemaPath}/anyOf/`);
  const faults: FieldError[] = [];
  for (const error of errors) {
    if (faults.length >= maxFaults) break;
    // Errors from the branches of a union are explained at the union itself.
    if (unions.some((union) => error.schemaPath.startsWith(union))) continue;
    faults.push(...explainError(error, schema, value, root, faults.length < hintsAtMost));
  }
  return faults;
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
  if (node === undefined) return [{ path, code: 'invalid_value', message: `${nameOf(path)} ${error.message}.` }];
  return explainOne(error, node, at(value, segments), path);
}

function explainOne(error: TLocalizedValidationError, schema: SchemaNode, value: unknown, path: string): FieldError[] {
  const inName = error.schemaPath.endsWith('/propertyNames');
  const expected = () => `${inName ? `The name ${nameOf(path)}` : nameOf(path)} must be ${expectation(schema)}.`;
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
      return [{ path, code: 'invalid_type', message: expected() }];
    case 'minimum':
    case 'maximum':
    case 'exclusiveMinimum':
    case 'exclusiveMaximum':
      return [{ path, code: 'out_of_range', message: expected() }];
    case 'maxLength':
      return [{ path, code: 'too_long', message: expected() }];
    case 'minLength':
      return [{ path, code: 'too_short', message: expected() }];
    case 'maxItems':
    case 'maxProperties':
      return [{ path, code: 'too_many', message: expected() }];
    case 'minItems':
    case 'minProperties':
      return [{ path, code: 'too_few', message: expected() }];
    case 'format':
    case 'pattern':
      return [{ path, code: 'invalid_format', message: expected() }];
    case '~refine':
      return [{ path, code: 'invalid_value', message: `${nameOf(path)} ${error.params.message}` }];
    default:
      return [{ path, code: 'invalid_value', message: expected() }];
  }
}

/**
 * Returns the field errors of the branch that the client meant. Its literals (such as `type`) or its type identify it.
 */
function explainUnion(schema: SchemaNode, value: unknown, path: string): FieldError[] {
  const expected = `${nameOf(path)} must be ${expectation(schema)}.`;
  if (choicesOf(schema)) return [{ path, code: 'invalid_value', message: expected }];
  const branches = asNodes(schema.anyOf).filter((branch) => accepts(branch.type, value) || 'anyOf' in branch);
  if (branches.length === 0) return [{ path, code: 'invalid_type', message: expected }];
  const tag = discriminatorOf(schema) ?? tagOf(branches);
  const meant = branches.filter((branch) => tag === undefined || tagValue(branch, tag) === at(value, [tag]));
  if (tag !== undefined && meant.length === 0) {
    const tags = { anyOf: branches.map((branch) => at(branch, ['properties', tag])) };
    if (at(value, [tag]) === undefined) return [missing(tags, path, tag)];
    const message = `${nameOf(childPath(path, tag))} must be ${expectation(tags)}.`;
    return [{ path: childPath(path, tag), code: 'invalid_value', message }];
  }
  const explained = meant.map((branch) => explain(branch, value, path)).sort((a, b) => a.length - b.length);
  return explained[0] ?? [{ path, code: 'invalid_value', message: expected }];
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
  const what = schema ? `, and must be ${expectation(schema)}` : '';
  return { path, code: 'parameter_missing', message: `${nameOf(path)} is required${what}.` };
}

function unknownParameter(schema: SchemaNode, path: string, hasHint: boolean): FieldError {
  const name = segmentsOf(path).at(-1) ?? '';
  const parent = path.slice(0, path.lastIndexOf('/'));
  const known = hasHint ? Object.keys(asNode(schema.properties) ?? {}) : [];
  const near = nearest(name, known);
  const hint = near === undefined ? '' : ` Did you mean ${nameOf(childPath(parent, near))}?`;
  return { path, code: 'unknown_parameter', message: `${nameOf(path)} is not a known parameter.${hint}` };
}

/** Returns the known name that is closest to the given one, within a third of its letters. */
function nearest(name: string, known: string[]): string | undefined {
  const [best] = known
    .map((candidate) => ({ candidate, most: Math.max(1, Math.floor(candidate.length / 3)) }))
    // The distance is at least the difference in length, so this avoids most comparisons.
    .filter(({ candidate, most }) => Math.abs(candidate.length - name.length) <= most)
    .map(({ candidate, most }) => ({ candidate, most, distance: editDistance(name.toLowerCase(), candidate) }))
    .filter(({ distance, most }) => distance <= most)
    .sort((a, b) => a.distance - b.distance);
  return best?.candidate;
}

function editDistance(a: string, b: string): number {
  const row = Array.from({ length: b.length + 1 }, (_, index) => index);
  for (let i = 1; i <= a.length; i++) {
    let diagonal = i - 1;
    row[0] = i;
    for (let j = 1; j <= b.length; j++) {
      const above = row[j] ?? 0;
      const replaced = diagonal + (a[i - 1] === b[j - 1] ? 0 : 1);
      row[j] = Math.min(replaced, above + 1, (row[j - 1] ?? 0) + 1);
      diagonal = above;
    }
  }
  return row[b.length] ?? 0;
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
