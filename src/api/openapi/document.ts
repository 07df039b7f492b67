import { webhookEvents } from '../../resources/webhook-endpoint.ts';
import type { Route } from '../http/route.ts';
import type { SchemaNode } from '../validation/describe-schema.ts';
import { errorResponses, unmatchedRequests } from './errors.ts';
import { headerComponents } from './headers.ts';
import { info } from './info.ts';
import { operationOf } from './operations.ts';
import { documentedPath, headerParameters } from './parameters.ts';
import { schemaBook } from './schemas.ts';
import { webhooksOf } from './webhooks.ts';

/** The parts of an OpenAPI document that the code builds or reads. */
export interface OpenApiDocument {
  openapi: string;
  /** By path, then by method in lower case. */
  paths: Record<string, Record<string, SchemaNode>>;
  webhooks: Record<string, SchemaNode>;
  components: Record<string, Record<string, SchemaNode>>;
  [member: string]: unknown;
}

const securitySchemes = {
  secretKey: {
    type: 'http',
    scheme: 'bearer',
    bearerFormat: 'sk_sandbox_… or sk_live_…',
    description: 'A secret key, only for servers. It must have the scope that the operation names.',
  },
  publishableKey: {
    type: 'http',
    scheme: 'bearer',
    bearerFormat: 'pk_sandbox_… or pk_live_…',
    description: 'A publishable key, which browsers may use.',
  },
};

/**
 * Builds the OpenAPI 3.1 document of the routes from their schemas and settings.
 * @throws Error if two different schemas have the same title, or something has no example.
 */
export function openApiDocument(routes: readonly Route[]): OpenApiDocument {
  const book = schemaBook();
  const documented = routes.filter((route) => !route.undocumented);
  const paths: Record<string, Record<string, SchemaNode>> = {};
  for (const route of documented) {
    const path = documentedPath(route.path);
    paths[path] = { ...paths[path], [route.method.toLowerCase()]: operationOf(route, book, documented) };
  }
  const responses = errorResponses(book);
  const webhooks = webhooksOf(book);
  return {
    openapi: '3.1.0',
    info,
    servers: [{ url: '/', description: 'The service that serves this document.' }],
    tags: [...new Set(documented.map(({ tag }) => tag)), webhookEvents],
    paths,
    webhooks,
    'x-unmatched-requests': unmatchedRequests(book),
    components: {
      schemas: book.components(),
      responses,
      parameters: headerParameters,
      headers: headerComponents,
      securitySchemes,
    },
  };
}
