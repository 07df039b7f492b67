import Type, { type TProperties, type TSchema } from 'typebox';

/** An object that knows all of its members: a misspelt one is an error, never dropped. */
export function Strict<P extends TProperties>(properties: P, options: { description?: string; title?: string } = {}) {
  return Type.Object(properties, { additionalProperties: false, ...options });
}

/** A value that may be null. */
export function Nullable<S extends TSchema>(schema: S, options: { description?: string } = {}) {
  return Type.Union([schema, Type.Null()], options);
}

/** A page of a list. */
export function ListOf<S extends TSchema>(item: S) {
  return Strict({ data: Type.Array(item), has_more: Type.Boolean({ description: 'Whether older items follow.' }) });
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

/** An id of another object, in a body or a query: whether it exists is looked up, not read off its form. */
export function Reference(description: string) {
  return Type.String({ minLength: 1, maxLength: 100, description });
}

export const Timestamp = Type.String({ format: 'date-time', description: 'ISO 8601, UTC.' });
export const LocalDate = (description: string) => Type.String({ format: 'date', description });
export const Amount = (description: string) => Type.Integer({ description });

export const Metadata = Type.Record(Type.String(), Type.String({ maxLength: 500 }), {
  maxProperties: 50,
  propertyNames: { maxLength: 40 },
  description: 'At most 50 pairs; keys of at most 40 characters, values of at most 500.',
});

export const FreeForm = Type.Record(Type.String(), Type.Unknown(), { description: 'Free-form.' });

/** A stored instant as the API shows it. */
export function instant(value: Date): string;
export function instant(value: Date | null): string | null;
export function instant(value: Date | null): string | null {
  return value === null ? null : value.toISOString();
}

/** Shows at most `limit` of the rows of a query that asked for one more. */
export function page<R, T>(rows: R[], limit: number, present: (row: R) => T): { data: T[]; has_more: boolean } {
  return { data: rows.slice(0, limit).map(present), has_more: rows.length > limit };
}
