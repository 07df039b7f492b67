import Type, { type Static, type TNull, type TObject, type TProperties, type TSchema, type TUnion } from 'typebox';
import { currencies } from '../domain/currencies.ts';
import { type IdKind, type Id as IdOf, idPattern } from '../domain/ids.ts';
import { plainText } from '../domain/plain-text.ts';
import type { FieldError } from './field-errors.ts';

/** An object that rejects unknown members, so that a misspelt name is an error and is never dropped silently. */
export function Strict<P extends TProperties>(
  properties: P,
  options: { description?: string; title?: string; minProperties?: number; maxProperties?: number } = {},
) {
  return Type.Object(properties, { additionalProperties: false, ...options });
}

/** Checks a body that is not validated yet: its fields may also violate the schema. */
export type BodyRule = (body: Record<string, unknown>) => FieldError[];

const rules = new WeakMap<TSchema, BodyRule>();

/**
 * Attaches a rule that no schema keyword can express. It runs together with the keywords, so that one response reports
 * all field errors.
 */
export function withRule<S extends TSchema>(schema: S, rule: BodyRule): S {
  rules.set(schema, rule);
  return schema;
}

/** The rule attached to a schema, if any. */
export function ruleOf(schema: TSchema): BodyRule | undefined {
  return rules.get(schema);
}

/** A value that may be null. */
export function Nullable<S extends TSchema>(schema: S, options: { description?: string } = {}) {
  return Type.Union([schema, Type.Null()], options);
}

/** The fields, each of which may be left out. */
export function optional<P extends TProperties>(fields: P) {
  return Type.Partial(Type.Object(fields)).properties;
}

/** The fields, each of which may be null. */
export function nullable<P extends TProperties>(fields: P) {
  const entries = Object.entries(fields).map(([name, schema]) => [name, Nullable(schema)]);
  return Object.fromEntries(entries) as { [K in keyof P]: TUnion<[P[K], TNull]> };
}

/** A section of the reference, to which the routes of a resource belong. */
export interface Tag {
  name: string;
  description: string;
}

/** A page of a list. */
export function ListOf<S extends TSchema & { title?: string }>(item: S) {
  const title = item.title === undefined ? {} : { title: `${item.title}List` };
  return Strict(
    { data: Type.Array(item), has_more: Type.Boolean({ description: 'Whether more items follow.' }) },
    title,
  );
}

/** The query parameters of every list. */
export const listQuery = {
  limit: Type.Optional(
    Type.Integer({ minimum: 1, maximum: 100, description: 'The maximum number of items, 1 to 100; by default 20.' }),
  ),
  starting_after: Type.Optional(
    Type.String({ maxLength: 100, description: 'The id of the last item of the previous page.' }),
  ),
};

/** The query of a list whose items are numbered: `field` has the number, and `number` names it in a sentence. */
export function numberedQuery(field: string, number: string) {
  return Strict({
    limit: listQuery.limit,
    starting_after: Type.Optional(
      Type.String({
        maxLength: 20,
        description: `${number} of the last item of the previous page.`,
        'x-cursor': field,
      }),
    ),
  });
}

/** The query parameters of a list by date. */
export const dateQuery = {
  created_from: Type.Optional(
    Type.String({
      format: 'date-time',
      description: 'Only items with this `created_at` or a later one, in the order of `created_at`, newest first.',
    }),
  ),
  created_to: Type.Optional(
    Type.String({ format: 'date-time', description: 'Only items with an earlier `created_at`.' }),
  ),
  updated_from: Type.Optional(
    Type.String({
      format: 'date-time',
      description:
        'Only items with this `updated_at` or a later one, in the order of `updated_at` if you narrow by no other date. ' +
        'An item that changes while you page moves to the front. To miss no change, follow the events.',
    }),
  ),
  updated_to: Type.Optional(
    Type.String({ format: 'date-time', description: 'Only items with an earlier `updated_at`.' }),
  ),
};

/** The query parameters of a list of payments by the date of their collection. */
export const collectedQuery = {
  collected_from: Type.Optional(
    Type.String({
      format: 'date-time',
      description:
        'Only payments with this `collected_at` or a later one, in the order of `collected_at` if you do not narrow by ' +
        '`created_at`.',
    }),
  ),
  collected_to: Type.Optional(
    Type.String({ format: 'date-time', description: 'Only payments with an earlier `collected_at`.' }),
  ),
};

export const defaultLimit = 20;

/** An id that the service has generated. */
export function Id(kind: IdKind, description: string) {
  return Type.String({ pattern: idPattern(kind), description });
}

/** The id of another object, in a body or a query. Any form is accepted; a lookup decides whether it exists. */
export function Reference<Kind extends IdKind = never>(description: string) {
  return Type.Unsafe<[Kind] extends [never] ? string : IdOf<Kind>>(
    Type.String({ minLength: 1, maxLength: 100, description }),
  );
}

/** A text that banks print on statements or read as a name. Lengths are in characters. */
export function StatementText(options: { minLength?: number; maxLength: number; description: string }) {
  return Type.String({ ...options, pattern: plainText });
}

/** A field that only a creation sets. A change that has it is refused, whatever its value. */
export const Unchangeable = Type.Union([Type.String(), Type.Null()], {
  description: 'Cannot be changed. Sending it is a validation error.',
});

export const Timestamp = Type.String({ format: 'date-time', description: 'ISO 8601, UTC.' });
export const Livemode = Type.Boolean({ description: 'False in the sandbox.' });
/** The last fields of a resource that has a customer. `customer` is how its description names it, as `its customer`. */
export const lastFields = (customer: string) => ({
  biller_id: Type.String({ description: 'The account that is paid.' }),
  livemode: Livemode,
  test_clock: Nullable(Type.String(), { description: `The test clock of ${customer}; null in real time.` }),
  created_at: Timestamp,
  updated_at: Timestamp,
});
export const LocalDate = (description: string) => Type.String({ format: 'date', description });
export const Currency = Type.Enum([...currencies], {
  title: 'Currency',
  description: 'An ISO 4217 code, in capitals.',
});

/**
 * Matches any text. The default pattern of a record uses `.`, which excludes line breaks: a name that contains one
 * would go unchecked, and its value too.
 */
const AnyName = Type.String({ pattern: '^[^]*$' });

/** Pairs chosen by the caller. `about` says which of them have a meaning here. */
export function MetadataWith(about: string) {
  return Type.Record(AnyName, Type.String({ maxLength: 500 }), {
    maxProperties: 50,
    propertyNames: { maxLength: 40 },
    description: `${about} At most 50 pairs; keys of at most 40 characters, values of at most 500.`,
  });
}

export const Metadata = MetadataWith('For your own use.');

export const FreeForm = Type.Record(AnyName, Type.Unknown(), { description: 'Free-form.' });

/** A stored instant in the form that the API returns: ISO 8601, UTC. */
export function instant(value: Date): string;
export function instant(value: Date | null): string | null;
export function instant(value: Date | null): string | null {
  return value === null ? null : value.toISOString();
}

/** What a row has for each field of a schema: the value itself, or an instant as a date. */
type Stored<T> = { [K in keyof T]: string extends T[K] ? T[K] | Date : T[K] };

/** Presents the fields of a schema, in its order. The other members of the row stay hidden. */
export function present<S extends TObject>(schema: S, row: Stored<Static<S>>): Static<S> {
  const shown: Record<string, unknown> = {};
  for (const name of Object.keys(schema.properties)) {
    const value: unknown = Reflect.get(row, name);
    if (value !== undefined) shown[name] = value instanceof Date ? value.toISOString() : value;
  }
  return shown as Static<S>;
}

/** Returns the named members of an object. */
export function pick<T extends object, K extends keyof T>(from: T, names: readonly K[]): Pick<T, K> {
  return Object.fromEntries(names.map((name) => [name, from[name]])) as Pick<T, K>;
}

/**
 * Presents at most `limit` rows. The query fetches one row more than `limit` to find out whether more follow. A query
 * that was cut by size (`fittingPage`) marks its last row with `has_next` instead.
 */
export function page<R extends object, T>(
  { rows, limit }: { rows: R[]; limit: number },
  present: (row: R) => T,
): { data: T[]; has_more: boolean } {
  const last = rows.at(-1);
  const isCut = last !== undefined && 'has_next' in last && last.has_next === true;
  return { data: rows.slice(0, limit).map(present), has_more: rows.length > limit || isCut };
}
