import type { TSchema } from 'typebox';
import { examplesOfRequest, ownExample } from '../../resources/examples.ts';
import type { Route } from '../http/route.ts';
import { asNode, asNodes, choicesOf, type SchemaNode } from '../validation/describe-schema.ts';
import { errorsOf } from './errors.ts';
import { headers, rateLimitHeaders } from './headers.ts';
import { parametersOf, pathSchemas, takesIdempotencyKey } from './parameters.ts';
import type { SchemaBook } from './schemas.ts';

const successes: Readonly<Record<number, string>> = {
  200: 'Success.',
  201: 'Created.',
  202: 'Accepted. The work continues in the background.',
};

/** Builds the OpenAPI operation of a route: its input, its responses and its security. */
export function operationOf(route: Route, book: SchemaBook, routes: readonly Route[]): SchemaNode {
  const { operation, tag, summary, access } = route;
  const parameters = parametersOf(route, book);
  return {
    operationId: operation,
    tags: [tag.name],
    summary,
    description: descriptionOf(route),
    ...(parameters.length > 0 ? { parameters } : {}),
    ...(route.body ? { requestBody: requestBodyOf(route, route.body, book) } : {}),
    responses: {
      [route.response.status]: { ...successOf(route, route.response, book), ...linksOf(route, routes) },
      ...(route.variant ? { [route.variant.status]: successOf(route, route.variant, book) } : {}),
      ...errorsOf(route),
    },
    security: securityOf(route),
    ...(access === 'public' ? {} : { 'x-required-scope': access.scope, 'x-sandbox-only': access.sandboxOnly === true }),
  };
}

function descriptionOf({ description, access }: Route): string {
  if (access === 'public') return [description, 'No key is needed.'].filter(Boolean).join('\n\n');
  const who = access.publishable
    ? `A secret key needs the scope \`${access.scope}\`; a publishable key may call this too.`
    : `Needs a secret key with the scope \`${access.scope}\`.`;
  return [description, access.sandboxOnly ? `${who} Sandbox only.` : who].filter(Boolean).join('\n\n');
}

/** A secret key, or either kind of key. The required scope is written as the role that OpenAPI 3.1 allows there. */
function securityOf({ access }: Route): SchemaNode[] {
  if (access === 'public') return [];
  return [{ secretKey: [access.scope] }, ...(access.publishable ? [{ publishableKey: [] }] : [])];
}

function requestBodyOf({ operation }: Route, body: TSchema, book: SchemaBook): SchemaNode {
  const schema = asNode(body) ?? {};
  // An empty body is treated as `{}`.
  const required = schema.type !== 'object' || (Array.isArray(schema.required) && schema.required.length > 0);
  const examples = examplesOfRequest(body);
  if (examples === undefined) throw new Error(`the body of ${operation} has no example: see withExamples`);
  return { required, content: { 'application/json': { schema: book.refer(schema), examples } } };
}

function successOf(route: Route, response: Route['response'], book: SchemaBook): SchemaNode {
  const { status, schema, description, contentType = 'application/json' } = response;
  const [mediaType = ''] = contentType.split(';');
  const example = mediaType === 'application/json' ? { example: response.example ?? exampleOf(schema) } : {};
  return {
    description: description ?? successes[status] ?? 'Success.',
    headers: headers([
      'Request-Id',
      ...(route.access === 'public' ? [] : rateLimitHeaders),
      ...(takesIdempotencyKey(route) ? (['Idempotent-Replayed'] as const) : []),
      ...(route.waits ? (['Preference-Applied'] as const) : []),
    ]),
    content: {
      [mediaType]: { schema: book.refer(schema), ...example },
      ...(response.isTable ? { 'text/csv': { schema: { type: 'string' } } } : {}),
    },
  };
}

/** Where a response holds the id of its object: at the top level, or in the object inside an envelope. */
const places = [[], ['payment_method']];

/**
 * Returns the `links` of a route's response: the operations that take the created object's id as their path parameter.
 * A route that returns the object named in its own path has none.
 */
function linksOf(route: Route, routes: readonly Route[]): SchemaNode {
  if (route.method !== 'POST') return {};
  const made = idOf(route);
  if (made === undefined || patternsOf(route).includes(made.pattern)) return {};
  const links = routes.flatMap((next): [string, SchemaNode][] => {
    const [parameter, ...more] = Object.entries(pathSchemas(next));
    if (next.undocumented || more.length > 0 || parameter?.[1].pattern !== made.pattern) return [];
    return [[next.operation, { operationId: next.operation, parameters: { [parameter[0]]: made.expression } }]];
  });
  return links.length > 0 ? { links: Object.fromEntries(links) } : {};
}

function patternsOf(route: Route): unknown[] {
  return Object.values(pathSchemas(route)).map(({ pattern }) => pattern);
}

function idOf({ response }: Route): { pattern: string; expression: string } | undefined {
  for (const place of places) {
    let node = asNode(response.schema);
    for (const name of [...place, 'id']) {
      // All branches of a union have the same kind of id.
      const [branch = node] = asNodes(node?.anyOf);
      node = asNode(asNode(branch?.properties)?.[name]);
    }
    if (typeof node?.pattern !== 'string') continue;
    return { pattern: node.pattern, expression: `$response.body#/${[...place, 'id'].join('/')}` };
  }
  return undefined;
}

/**
 * Returns the example of a schema: its own one, or one that is built from the examples of its parts, such as a page of
 * one object.
 * @throws Error if that leaves a value open: the schema then needs an example of its own.
 */
function exampleOf(given: object): unknown {
  const schema = asNode(given) ?? {};
  const own = ownExample(given);
  if (own !== undefined) return own;
  const choices = choicesOf(schema);
  if (choices !== undefined) return choices[0];
  const [branch] = asNodes(schema.anyOf);
  if (branch !== undefined) return exampleOf(branch);
  if (schema.type === 'object') return membersOf(schema);
  if (schema.type === 'array') return [exampleOf(asNode(schema.items) ?? {})];
  throw new Error(
    `this schema needs an example, see src/resources/examples.ts: ${JSON.stringify(given).slice(0, 200)}`,
  );
}

/** An envelope reports success, and an example page has no next page. */
const flags: Readonly<Record<string, boolean>> = { success: true, has_more: false };

function membersOf(schema: SchemaNode): Record<string, unknown> {
  const required = Array.isArray(schema.required) ? schema.required : [];
  const members = Object.entries(asNode(schema.properties) ?? {}).filter(([name]) => required.includes(name));
  return Object.fromEntries(members.map(([name, member]) => [name, flags[name] ?? exampleOf(asNode(member) ?? {})]));
}
