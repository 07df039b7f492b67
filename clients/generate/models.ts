import { type Document, nameIn, type Schema } from '../typescript/generate/document.ts';
import { camel, pascal, wordsOf } from '../typescript/generate/naming.ts';

/** The type of a member, a list's items or a response, for clients in languages that need a name for each type. */
export type Type = Shape & {
  nullable?: true;
  /** An enum of words and other text, such as a date. */
  isOpen?: true;
};
type Shape =
  | { kind: 'string' | 'date-time' | 'integer' | 'number' | 'boolean' | 'any' }
  | { kind: 'constant'; value: string | boolean }
  | { kind: 'model'; name: string }
  | { kind: 'list' | 'map'; of: Type };

export interface Member {
  name: string;
  type: Type;
  required: boolean;
  description: string;
}

/** A named type of the API. */
export type Model = { name: string; description: string } & (
  | { kind: 'object'; members: Member[] }
  | { kind: 'enum'; values: string[] }
  | { kind: 'union'; property: string; branches: { value: string; name: string }[] }
);

const scalars = ['string', 'integer', 'number', 'boolean'] as const;

/** A schema as the generators of Python and Go read it. */
interface FullSchema extends Schema {
  description?: string;
  format?: string;
  enum?: unknown[];
  const?: unknown;
  oneOf?: Schema[];
  discriminator?: { propertyName: string; mapping: Record<string, string> };
  additionalProperties?: boolean | Schema;
}

/**
 * Returns all types of the document by name. An enum or an object without a name is named by its place, such as
 * `RefundStatus`.
 * @throws Error for a schema that has no counterpart, or if two types would have the same name.
 */
export function modelsOf({ components }: Document): Map<string, Model> {
  const models = new Map<string, Model>();

  function add(name: string, given: Schema): void {
    if (models.has(name)) throw new Error(`two types would be called ${name}`);
    const schema: FullSchema = given;
    const { description = '' } = schema;
    if (schema.discriminator !== undefined) {
      const { propertyName: property, mapping } = schema.discriminator;
      const branches = Object.entries(mapping).map(([value, reference]) => ({ value, name: nameIn(reference) }));
      models.set(name, { kind: 'union', name, description, property, branches });
    } else if (Array.isArray(schema.enum)) {
      models.set(name, { kind: 'enum', name, description, values: schema.enum.filter(isText) });
    } else if (schema.type === 'object') {
      const members: Member[] = [];
      models.set(name, { kind: 'object', name, description, members });
      for (const [member, value] of Object.entries(schema.properties ?? {}))
        members.push(memberOf(name, member, value, schema));
    } else {
      throw new Error(`${name} is neither an object, nor an enum, nor a union with a discriminator`);
    }
  }

  function memberOf(owner: string, name: string, given: FullSchema, { required = [] }: Schema): Member {
    const type = typeOf(given, owner + pascal(wordsOf(name)));
    return { name, type, required: required.includes(name), description: given.description ?? '' };
  }

  /** `name` is for an enum or an object that the document does not name. */
  function typeOf(given: Schema, name: string): Type {
    const schema: FullSchema = given;
    if (schema.$ref !== undefined) return { kind: 'model', name: nameIn(schema.$ref) };
    const branches = schema.anyOf ?? [];
    const others = branches.filter(({ type }) => type !== 'null');
    if (branches.length > 0) {
      const [only] = others;
      // Branches of one type, such as two formats of a string, are that type.
      const isOneType = only?.type !== undefined && others.every(({ type }) => type === only.type);
      if (only === undefined || (others.length > 1 && !isOneType)) {
        throw new Error(`${name} is a union without a discriminator`);
      }
      const isOpen = isEnum(only) && !others.every(isEnum);
      return {
        ...typeOf(only, name),
        ...(others.length < branches.length ? { nullable: true } : {}),
        ...(isOpen ? { isOpen } : {}),
      };
    }
    const types = [schema.type ?? []].flat();
    const shape = shapeOf({ ...schema, type: types.find((type) => type !== 'null') }, name);
    return types.includes('null') ? { ...shape, nullable: true } : shape;
  }

  function shapeOf(schema: FullSchema, name: string): Type {
    const { const: constant, additionalProperties: members } = schema;
    if (typeof constant === 'string' || typeof constant === 'boolean') return { kind: 'constant', value: constant };
    if (Array.isArray(schema.enum) || schema.properties !== undefined) {
      add(name, schema);
      return { kind: 'model', name };
    }
    if (schema.type === 'array') return { kind: 'list', of: typeOf(schema.items ?? {}, `${name}Item`) };
    if (schema.type === 'object') {
      const of: Type = typeof members === 'object' ? typeOf(members, `${name}Value`) : { kind: 'any' };
      return { kind: 'map', of };
    }
    if (schema.type === 'string' && schema.format === 'date-time') return { kind: 'date-time' };
    return scalarOf(schema.type) ?? { kind: 'any' };
  }

  for (const [name, schema] of Object.entries(components.schemas)) add(name, schema);
  return models;
}

/** Returns the type of a response or a parameter: without enums and objects that have no name. */
export function plainTypeOf(given: Schema | undefined): Type {
  const schema: FullSchema = given ?? {};
  if (schema.$ref !== undefined) return { kind: 'model', name: nameIn(schema.$ref) };
  const type = [schema.type ?? []].flat()[0];
  if (type === 'object') return { kind: 'map', of: { kind: 'any' } };
  return scalarOf(type) ?? { kind: 'string' };
}

function isEnum(schema: FullSchema): boolean {
  return Array.isArray(schema.enum);
}

function scalarOf(type: unknown): Type | undefined {
  const scalar = scalars.find((one) => one === type);
  return scalar && { kind: scalar };
}

/** Returns `payment_intents` for the words of a resource or a method. */
export function snake(words: readonly string[]): string {
  return words.join('_');
}

/** Returns the words of a method's name, which is in camel case. */
export { camel, pascal, wordsOf };

/** Returns the lines of a text, wrapped at this width. */
export function wrapped(text: string, width: number): string[] {
  return text.split('\n').flatMap((paragraph) => {
    const lines = [''];
    for (const word of paragraph.split(' ')) {
      const last = lines.at(-1) ?? '';
      if (last !== '' && last.length + 1 + word.length > width) lines.push(word);
      else lines[lines.length - 1] = last === '' ? word : `${last} ${word}`;
    }
    return lines;
  });
}

function isText(value: unknown): value is string {
  return typeof value === 'string';
}
