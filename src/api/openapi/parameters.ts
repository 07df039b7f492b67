import type { TObject } from 'typebox';
import { idPattern, kindOf } from '../../domain/ids.ts';
import type { Route } from '../http/route.ts';
import { asNode, type SchemaNode } from '../validation/describe-schema.ts';
import type { SchemaBook } from './schemas.ts';

/** The request headers, by component name. */
export const headerParameters = {
  IdempotencyKey: {
    name: 'Idempotency-Key',
    in: 'header',
    required: false,
    description:
      'Your name for this request. If you send the request again with the same key, it has no second effect and ' +
      'returns the first response. See *Idempotency*.',
    schema: { type: 'string', minLength: 1, maxLength: 255 },
  },
  IdempotencyTtl: {
    name: 'Idempotency-TTL',
    in: 'header',
    required: false,
    description:
      'How many seconds the key is kept: 1 to 2592000 (30 days), by default 86400 (a day). With a publishable ' +
      'key at most 86400.',
    schema: {
      type: 'string',
      // Exactly 1 to 2592000. A header is text, so `minimum` and `maximum` do not apply.
      pattern: '^([1-9][0-9]{0,5}|1[0-9]{6}|2[0-4][0-9]{5}|25[0-8][0-9]{4}|259[01][0-9]{3}|2592000)$',
    },
  },
  Prefer: {
    name: 'Prefer',
    in: 'header',
    required: false,
    description:
      '`wait=N`: how many seconds, at most 60, the response may wait for a result. If it may have waited, it has ' +
      '`Preference-Applied`.',
    schema: { type: 'string' },
    example: 'wait=10',
  },
};

const idempotencyHeaders: (keyof typeof headerParameters)[] = ['IdempotencyKey', 'IdempotencyTtl'];

/** Returns the path in OpenAPI's notation: `/things/{thing_id}`. */
export function documentedPath(path: string): string {
  return path.replace(/:(\w+)/g, '{$1}');
}

/** Returns all parameters of the route: everything in a request except the body. */
export function parametersOf(route: Route, book: SchemaBook): SchemaNode[] {
  return [
    ...pathParameters(route, book),
    ...queryParameters(route.query, book),
    ...(takesIdempotencyKey(route) ? idempotencyHeaders.map(headerParameter) : []),
    ...(route.waits ? [headerParameter('Prefer')] : []),
  ];
}

function headerParameter(name: keyof typeof headerParameters): SchemaNode {
  return { $ref: `#/components/parameters/${name}` };
}

/** Whether the route supports an Idempotency-Key. */
export function takesIdempotencyKey(route: Route): boolean {
  return route.method === 'POST' && route.access !== 'public';
}

/** Returns the schemas of a route's path parameters, by name, in path order. */
export function pathSchemas({ path, params }: Route): Record<string, SchemaNode> {
  const segments = path.split('/');
  const entries = segments.flatMap((segment, index): [string, SchemaNode][] => {
    if (!segment.startsWith(':')) return [];
    const name = segment.slice(1);
    return [[name, asNode(params?.properties[name]) ?? idSchema(segments[index - 1] ?? '')]];
  });
  return Object.fromEntries(entries);
}

function pathParameters(route: Route, book: SchemaBook): SchemaNode[] {
  return Object.entries(pathSchemas(route)).map(([name, schema]) => parameter('path', name, schema, true, book));
}

function idSchema(collection: string): SchemaNode {
  const kind = kindOf(collection);
  if (kind === undefined) return { type: 'string' };
  return { type: 'string', pattern: idPattern(kind), description: `The id of the ${kind.replaceAll('_', ' ')}.` };
}

function queryParameters(query: TObject | undefined, book: SchemaBook): SchemaNode[] {
  const required: readonly string[] = query?.required ?? [];
  return Object.entries(query?.properties ?? {}).map(([name, member]) => {
    const schema = asNode(member) ?? {};
    return parameter('query', name, schema, required.includes(name) && schema.default === undefined, book);
  });
}

function parameter(place: 'path' | 'query', name: string, schema: SchemaNode, required: boolean, book: SchemaBook) {
  const { description, ...rest } = schema;
  return { name, in: place, required, ...(description ? { description } : {}), schema: book.refer(rest) };
}
