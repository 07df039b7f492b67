import {
  type Document,
  nameIn,
  type Operation,
  type Parameter,
  resolved,
  resolvedParameter,
  type Schema,
} from './document.ts';
import { camel, methodName, wordsOf } from './naming.ts';

/** A member of the client, such as `paymentPlans`, with its operations. */
export interface Resource {
  words: string[];
  description: string;
  methods: Method[];
}

export interface Method {
  name: string;
  /** The last word of the path, if it is an action that the method names otherwise: `retryNow` of `retry`. */
  alias: string | null;
  operationId: string;
  httpMethod: string;
  path: string;
  summary: string;
  description: string;
  pathParameters: string[];
  body: { type: string; required: boolean } | null;
  query: { required: boolean } | null;
  /** The name of the response's type. */
  response: string;
  /** The schemas of the body, of the query parameters and of each success, for other languages. */
  schemas: { body: Schema | null; query: Parameter[]; responses: Schema[] };
  mediaType: string;
  /** For a list with pages: the member with the items, and the member of an item that the next page starts after. */
  paging: { items: string; cursor: string } | null;
  /** The schema of an item of a list with pages. */
  itemSchema: Schema | null;
  options: 'RequestOptions' | 'WriteOptions' | 'WaitOptions';
}

/**
 * Reads the client's resources from the document. Each operation is a method of one resource.
 * @throws Error if two operations would be the same method.
 */
export function resourcesOf(document: Document): Resource[] {
  const found = new Map<string, Resource>();
  const collections = collectionsOf(document);
  for (const [path, operations] of Object.entries(document.paths)) {
    for (const [httpMethod, operation] of Object.entries(operations)) {
      const words = resourceWords(path, operation, collections);
      const key = camel(words);
      const resource = found.get(key) ?? { words, description: describe(document, operation), methods: [] };
      const method = methodOf(document, path, httpMethod, operation, words);
      const taken = resource.methods.flatMap(({ name, alias }) => [name, alias]);
      const twice = [method.name, method.alias].find((name) => name !== null && taken.includes(name));
      if (twice !== undefined) throw new Error(`${operation.operationId} would be a second ${key}.${twice}`);
      resource.methods.push(method);
      found.set(key, resource);
    }
  }
  return [...found.values()];
}

/** Returns the path segments that an id may follow: the collections of the API. */
function collectionsOf({ paths }: Document): Set<string> {
  return new Set(Object.keys(paths).flatMap((path) => [...path.matchAll(/\/(\w+)\/\{/g)].map(([, name = '']) => name)));
}

/** Returns the collection or folder that the tag names; else the first collection in the path; else the tag. */
function resourceWords(path: string, { tags: [tag = ''] }: Operation, collections: ReadonlySet<string>): string[] {
  const words = wordsOf(tag);
  const name = words.join('_');
  if (collections.has(name) || path.startsWith(`/api/v1/${name}/`)) return words;
  const first = path.split('/').find((segment) => collections.has(segment));
  return first === undefined ? words : wordsOf(first);
}

function describe({ tags }: Document, operation: Operation): string {
  return tags.find(({ name }) => name === operation.tags[0])?.description ?? '';
}

function methodOf(
  document: Document,
  path: string,
  httpMethod: string,
  operation: Operation,
  resource: readonly string[],
): Method {
  const { operationId, summary, description = '' } = operation;
  const parameters = (operation.parameters ?? []).map((parameter) => resolvedParameter(document, parameter));
  const query = parameters.filter((parameter) => parameter.in === 'query');
  const name = methodName(operationId, resource);
  const inline = `ResponseOf<'${operationId}'>`;
  const successes = successesOf(operation);
  const [first] = successes;
  const paging = pagingOf(document, query, first?.schema);
  return {
    name,
    alias: aliasOf(name, httpMethod, path, operation),
    operationId,
    httpMethod: httpMethod.toUpperCase(),
    path,
    summary,
    description,
    pathParameters: [...path.matchAll(/\{(\w+)\}/g)].map(([, name = '']) => name),
    body: bodyOf(operation),
    query: query.length === 0 ? null : { required: query.some(({ required }) => required === true) },
    response: first !== undefined && successes.length === 1 ? typeName(first.schema, inline) : inline,
    schemas: {
      body: operation.requestBody?.content['application/json']?.schema ?? null,
      query,
      responses: successes.map(({ schema }) => schema),
    },
    mediaType: first?.mediaType ?? 'application/json',
    paging,
    itemSchema: paging && (resolved(document, first?.schema)?.properties?.[paging.items]?.items ?? null),
    options: optionsOf(parameters),
  };
}

/** A request that creates something (201) ends with a collection, and not with an action. */
function aliasOf(name: string, httpMethod: string, path: string, { responses }: Operation): string | null {
  const action = /\}\/(\w+)$/.exec(path)?.[1];
  if (httpMethod !== 'post' || action === undefined || '201' in responses) return null;
  const alias = camel(wordsOf(action));
  return alias === name ? null : alias;
}

function bodyOf({ operationId, requestBody }: Operation): Method['body'] {
  if (requestBody === undefined) return null;
  const { schema } = requestBody.content['application/json'] ?? {};
  return { type: typeName(schema, `BodyOf<'${operationId}'>`), required: requestBody.required === true };
}

/**
 * Returns the schemas of the success responses: some operations have more than one. Of one that is JSON or CSV, the
 * client reads JSON.
 */
function successesOf({ responses }: Operation): { mediaType: string; schema: Schema }[] {
  const successes = Object.entries(responses).filter(([status]) => status.startsWith('2'));
  return successes.flatMap(([, { content = {} }]) =>
    Object.entries(content)
      .filter(([mediaType]) => mediaType === 'application/json' || !('application/json' in content))
      .map(([mediaType, { schema }]) => ({ mediaType, schema: forSecretKey(schema) })),
  );
}

/**
 * If publishable keys get another object, the document names it second. The client's types are those of secret keys.
 */
function forSecretKey(schema: Schema): Schema {
  return schema.anyOf?.[0] ?? schema;
}

function typeName(schema: Schema | undefined, otherwise: string): string {
  return schema?.$ref === undefined ? otherwise : `models.${nameIn(schema.$ref)}`;
}

/** A list has pages if it takes `starting_after` and returns `has_more`. */
function pagingOf(document: Document, query: Parameter[], response: Schema | undefined): Method['paging'] {
  const members = Object.entries(resolved(document, response)?.properties ?? {});
  const items = members.find(([, { type }]) => type === 'array')?.[0];
  const after = query.find(({ name }) => name === 'starting_after');
  if (after === undefined || items === undefined || !members.some(([name]) => name === 'has_more')) return null;
  return { items, cursor: after.schema?.['x-cursor'] ?? 'id' };
}

function optionsOf(parameters: Parameter[]): Method['options'] {
  const headers = parameters.filter((parameter) => parameter.in === 'header').map(({ name }) => name);
  if (headers.includes('Idempotency-Key')) return 'WriteOptions';
  return headers.includes('Prefer') ? 'WaitOptions' : 'RequestOptions';
}
