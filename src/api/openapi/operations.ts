import type { TSchema } from 'typebox';
import { examplesOfRequest } from '../../resources/examples.ts';
import type { Route } from '../http/route.ts';
import { asNode, type SchemaNode } from '../validation/describe-schema.ts';
import { errorsOf } from './errors.ts';
import { exampleOf } from './example-of.ts';
import { headers, rateLimitHeaders } from './headers.ts';
import { linksOf } from './links.ts';
import { parametersOf, takesIdempotencyKey } from './parameters.ts';
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
    content: { [mediaType]: { schema: book.refer(schema), ...example } },
  };
}
