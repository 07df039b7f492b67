import type { Static, TSchema } from 'typebox';
import { exampleId } from '../domain/ids.ts';

/** A named example of a request body. */
export interface RequestExample<Body = unknown> {
  summary: string;
  value: Body;
}

const examples = new WeakMap<object, unknown>();
const requestExamples = new WeakMap<object, Readonly<Record<string, RequestExample>>>();

/** Gives a schema its example in the documentation, and returns the example. Larger examples are built from these. */
export function example<S extends TSchema>(schema: S, value: Static<S>): Static<S> {
  examples.set(schema, value);
  return value;
}

/** Gives the schema of a request body its examples in the documentation, by name. The tests send each of them. */
export function withExamples<S extends TSchema>(body: S, named: Record<string, RequestExample<Static<S>>>): S {
  requestExamples.set(body, named);
  return body;
}

/** Returns the example of this very schema, if it has one. */
export function ownExample(schema: object): unknown {
  return examples.get(schema);
}

/** Returns the examples of this request body, if it has any. */
export function examplesOfRequest(body: object): Readonly<Record<string, RequestExample>> | undefined {
  return requestExamples.get(body);
}

/** The instants in the examples: a Monday morning, and the date a week later on which the plan is due. */
export const madeAt = '2027-01-04T09:00:00.000Z';
export const dueAt = '2027-01-11T00:00:00.000Z';

/** To whom the objects in the examples belong. */
export const owned = { biller_id: exampleId('biller'), livemode: false };
