import assert from 'node:assert/strict';
import { it } from 'mocha';
import type { Reply } from '../support/api.ts';
import { instantPattern, refusal } from '../support/stage.ts';

export type Json = Record<string, unknown>;

/** An invalid value, the code of its field error, and the error's path if it is not the field itself. */
export type Refused = readonly [value: unknown, code: string, path?: string];

/** A request field, with values just inside and just outside its rule. */
export interface FieldRow {
  /** The contract's name; a dot leads into an object. */
  field: string;
  rule: string;
  required?: true;
  /** Accepted, but not returned. */
  hidden?: true;
  /** Other fields that the request needs with this one, or a function that makes them; undefined removes a field. */
  along?: Json | (() => Promise<Json>);
  /** Values, or functions that make one. */
  accepts: readonly unknown[];
  refuses: readonly Refused[];
}

const pairs = (count: number) => Object.fromEntries(Array.from({ length: count }, (_, n) => [`k${n}`, 'v']));

/** The metadata of any object. */
export const metadataRow: FieldRow = {
  field: 'metadata',
  rule: 'an object of string values: 50 pairs, keys of 40 and values of 500 characters',
  accepts: [{ order: '7' }, { ...pairs(49), ['k'.repeat(40)]: 'v'.repeat(500) }, {}],
  refuses: [
    [pairs(51), 'too_many'],
    [{ ['k'.repeat(41)]: 'v' }, 'too_long', `/metadata/${'k'.repeat(41)}`],
    [{ k: 'v'.repeat(501) }, 'too_long', '/metadata/k'],
    [{ k: null }, 'invalid_type', '/metadata/k'],
    [{ 'a\nb': 5 }, 'invalid_type', '/metadata/a\nb'],
    ['order=7', 'invalid_type'],
  ],
};

/** The words of an outcome in the metadata, in the sandbox. */
export const outcomeRow: FieldRow = {
  ...metadataRow,
  rule: 'an object of string values, with the reserved keys _sandbox_outcome and _sandbox_refund_outcome',
  accepts: [
    ...metadataRow.accepts,
    { _sandbox_outcome: 'decline', _sandbox_refund_outcome: 'fail' },
    { _sandbox_outcome: 'decline,timeout,requires_action,succeed' },
  ],
  refuses: [
    ...metadataRow.refuses,
    ...['', 'Succeed', 'decline,', 'decline, succeed', 'explode'].map(
      (_sandbox_outcome): Refused => [{ _sandbox_outcome }, 'invalid_value', '/metadata/_sandbox_outcome'],
    ),
  ],
};

/** Where a field is sent to, and how the response is read. */
export interface Door {
  /** The object with the fields, if it is not the body itself. */
  inside?: string;
  /** A body without any optional field. */
  body(): Json | Promise<Json>;
  send(body: Json): Promise<Reply>;
  accepted: number;
  refused: 400 | 422;
  /** Returns the object that has an accepted value as it was sent. Without it only the status is checked. */
  shown?(reply: Reply): Json | Promise<Json>;
}

/**
 * Makes a test per field: whether it is required, that values inside are accepted and returned, and those outside
 * refused.
 */
export function itTakesFields(rows: readonly FieldRow[], door: Door): void {
  for (const row of rows) {
    it(`${row.field}: ${row.rule}`, async () => {
      const path = [...(door.inside === undefined ? [] : [door.inside]), ...row.field.split('.')];
      const pointer = `/${path.join('/')}`;
      const base = { ...(await door.body()), ...(typeof row.along === 'function' ? await row.along() : row.along) };
      const leftOut = await door.send(withValue(base, path, undefined));
      if (row.required) assert.deepEqual(refusal(leftOut, door.refused), [`${pointer} parameter_missing`]);
      else assert.equal(leftOut.status, door.accepted, `left out: ${leftOut.text}`);
      for (const value of await Promise.all(row.accepts.map(made))) {
        const reply = await door.send(withValue(base, path, value));
        assert.equal(reply.status, door.accepted, `${JSON.stringify(value)}: ${reply.text}`);
        if (door.shown && !row.hidden) assert.deepEqual(read(await door.shown(reply), row.field), value);
      }
      for (const [given, code, where = pointer] of row.refuses) {
        const value = await made(given);
        const reply = await door.send(withValue(base, path, value));
        assert.deepEqual(refusal(reply, door.refused), [`${where} ${code}`], JSON.stringify(value));
      }
    });
  }
}

/** The form of a response field: one of these forms, a text of this pattern, or one of these values. */
type Form = keyof typeof forms | RegExp | readonly unknown[];

export interface ShownRow {
  field: string;
  rule: string;
  is: Form;
  /** May be null: it is null in at least one sample, and not null in another. */
  nullable?: true;
  /** May be missing: it is missing in at least one sample, and present in another. */
  optional?: true;
}

const isText = (value: unknown): boolean => typeof value === 'string';

const forms = {
  text: isText,
  integer: Number.isSafeInteger,
  boolean: (value: unknown) => typeof value === 'boolean',
  'date-time': (value: unknown) => typeof value === 'string' && instantPattern.test(value),
  date: (value: unknown) => typeof value === 'string' && /^\d{4}-\d{2}-\d{2}$/.test(value),
  object: isObject,
  'object of texts': (value: unknown) => isObject(value) && Object.values(value).every(isText),
  objects: (value: unknown) => Array.isArray(value) && value.every(isObject),
} as const satisfies Record<string, (value: unknown) => boolean>;

/** Makes a test per response field: it has its form in every sample. */
export function itShowsFields(rows: readonly ShownRow[], samples: () => Promise<readonly Json[]>): void {
  for (const { field, rule, is, nullable = false, optional = false } of rows) {
    it(`${field}: ${rule}`, async () => {
      const values = (await samples()).map((sample) => read(sample, field));
      for (const value of values) {
        const fits = (nullable && value === null) || (optional && value === undefined) || isOf(is, value);
        assert.ok(fits, `${JSON.stringify(value)} is not of ${String(is)}`);
      }
      assert.ok(
        values.some((value) => isOf(is, value)),
        'no sample has it',
      );
      if (nullable) assert.ok(values.includes(null), 'it is null in no sample');
      if (optional) assert.ok(values.includes(undefined), 'it is missing in no sample');
    });
  }
}

/** Returns a function that makes a value at the first call, and returns the same one afterwards. */
export function once<T>(make: () => Promise<T>): () => Promise<T> {
  let kept: Promise<T> | undefined;
  return () => {
    kept ??= make();
    return kept;
  };
}

/** Returns the member with a dotted name. */
function read(object: unknown, name: string): unknown {
  return name.split('.').reduce((value, part) => (isObject(value) ? value[part] : undefined), object);
}

/** Returns a copy with another value at the end of a path; undefined removes the member. */
function withValue(object: Json, [name = '', ...rest]: readonly string[], value: unknown): Json {
  if (rest.length > 0) {
    const inner = object[name];
    return { ...object, [name]: withValue(isObject(inner) ? inner : {}, rest, value) };
  }
  const { [name]: _, ...others } = object;
  return value === undefined ? others : { ...others, [name]: value };
}

function isOf(form: Form, value: unknown): boolean {
  if (form instanceof RegExp) return typeof value === 'string' && form.test(value);
  return typeof form === 'string' ? forms[form](value) : form.includes(value);
}

function isObject(value: unknown): value is Json {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

function made(value: unknown): unknown {
  return typeof value === 'function' ? value() : value;
}
