import Type, { type TProperties, type TSchema } from 'typebox';
import { currencies } from '../domain/currencies.ts';
import { type IdKind, idPattern } from '../domain/ids.ts';

/** An object that knows all of its members: a misspelt one is an error, never dropped. */
export function Strict<P extends TProperties>(properties: P, options: { description?: string; title?: string } = {}) {
  return Type.Object(properties, { additionalProperties: false, ...options });
}

/** What is wrong with a body beyond the form of its fields. */
export interface Breach {
  code: string;
  message: string;
  path: string;
}

/** Looks at a body of which nothing is known yet: its fields may break the schema as well. */
export type BodyRule = (body: Record<string, unknown>) => Breach[];

const rules = new WeakMap<TSchema, BodyRule>();

/** Gives a body's schema a rule that no keyword can say; it is checked beside the keywords, so that all faults come at once. */
export function withRule<S extends TSchema>(schema: S, rule: BodyRule): S {
  rules.set(schema, rule);
  return schema;
}

/** The rule that a schema was given. */
export function ruleOf(schema: TSchema): BodyRule | undefined {
  return rules.get(schema);
}

/** A value that may be null. */
export function Nullable<S extends TSchema>(schema: S, options: { description?: string } = {}) {
  return Type.Union([schema, Type.Null()], options);
}

/** A page of a list. */
export function ListOf<S extends TSchema & { title?: string }>(item: S) {
  const title = item.title === undefined ? {} : { title: `${item.title}List` };
  return Strict(
    { data: Type.Array(item), has_more: Type.Boolean({ description: 'Whether older items follow.' }) },
    title,
  );
}

/** Members of every list's query string. */
export const listQuery = {
  limit: Type.Optional(
    Type.Integer({ minimum: 1, maximum: 100, description: 'How many items at most, 1 to 100; 20 if not given.' }),
  ),
  starting_after: Type.Optional(
    Type.String({ maxLength: 100, description: 'The id of the last item of the page before.' }),
  ),
};

export const defaultLimit = 20;

/** An id that we have given. */
export function Id(kind: IdKind, description: string) {
  return Type.String({ pattern: idPattern(kind), description });
}

/** An id of another object, in a body or a query: whether it exists is looked up, not read off its form. */
export function Reference(description: string) {
  return Type.String({ minLength: 1, maxLength: 100, description });
}

export const Timestamp = Type.String({ format: 'date-time', description: 'ISO 8601, UTC.' });
export const Livemode = Type.Boolean({ description: 'False in sandbox.' });
export const LocalDate = (description: string) => Type.String({ format: 'date', description });
export const Currency = Type.Enum([...currencies], { description: 'ISO 4217, in capitals.' });
export const Amount = (description: string) => Type.Integer({ description });

/** Any text: the dot of the pattern that a record has by itself leaves out line breaks, and what follows one unchecked. */
const AnyName = Type.String({ pattern: '^[^]*$' });

/** Pairs of a caller's own; `about` tells which of them mean something here. */
export function MetadataWith(about: string) {
  return Type.Record(AnyName, Type.String({ maxLength: 500 }), {
    maxProperties: 50,
    propertyNames: { maxLength: 40 },
    description: `${about} At most 50 pairs; keys of at most 40 characters, values of at most 500.`,
  });
}

export const Metadata = MetadataWith('For your own use.');

export const FreeForm = Type.Record(AnyName, Type.Unknown(), { description: 'Free-form.' });

/** A stored instant as the API shows it. */
export function instant(value: Date): string;
export function instant(value: Date | null): string | null;
export function instant(value: Date | null): string | null {
  return value === null ? null : value.toISOString();
}

/**
 * Shows at most `limit` of the rows of a query that asked for one more, and said of each row that others follow where it gave
 * fewer than it was asked for.
 */
export function page<R extends object, T>(
  rows: R[],
  limit: number,
  present: (row: R) => T,
): { data: T[]; has_more: boolean } {
  const last = rows.at(-1);
  const isCut = last !== undefined && 'has_next' in last && last.has_next === true;
  return { data: rows.slice(0, limit).map(present), has_more: rows.length > limit || isCut };
}
