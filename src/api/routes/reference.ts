import { createHash } from 'node:crypto';
import { readFileSync } from 'node:fs';
import { Type } from 'typebox';
import type { Tag } from '../../resources/common.ts';
import { type Route, route } from '../http/route.ts';
import { openApiDocument } from '../openapi/document.ts';

export const reference: Tag = { name: 'Reference', description: 'This documentation.' };

/** How long a browser may show the document of the previous version. */
const documentCaching = 'public, max-age=60';
/** An asset's path contains a hash of its content. */
const assetCaching = 'public, max-age=31536000, immutable';

/**
 * The page loads only its own files and the document, and connects only to this service. Swagger UI sets inline styles
 * and has its icons as data URLs.
 */
const pagePolicy = [
  "default-src 'none'",
  "script-src 'self'",
  "style-src 'self' 'unsafe-inline'",
  'img-src data:',
  "connect-src 'self'",
  "base-uri 'none'",
  "form-action 'none'",
  "frame-ancestors 'none'",
].join('; ');

const setUp = `SwaggerUIBundle({
  url: '/openapi.json',
  dom_id: '#reference',
  deepLinking: true,
  displayRequestDuration: true,
  docExpansion: 'list',
  defaultModelExpandDepth: 3,
  defaultModelRendering: 'model',
  defaultModelsExpandDepth: 0,
  filter: true,
  persistAuthorization: false,
  validatorUrl: null,
});
`;

const ownStyle = `body { margin: 0; background: #fff; }
.swagger-ui .info .title small.version-stamp { background: #4a5568; }
.swagger-ui .info table { font-size: 13px; }
.swagger-ui .info table tbody tr td, .swagger-ui .info table thead tr th { padding: 4px 12px 4px 0; vertical-align: top; }
.swagger-ui .info table td:first-of-type { max-width: none; }
.swagger-ui .info table td code { white-space: nowrap; }
.swagger-ui .json-schema-2020-12-expand-deep-button { display: none; }
`;

/**
 * The routes of the documentation. The OpenAPI document is built at the first request and cached. The page that shows
 * it uses files from the package swagger-ui-dist and from this file. No key is needed.
 */
export function referenceRoutes(allRoutes: () => readonly Route[]): Route[] {
  let kept: string | undefined;
  const script = asset('swagger-ui.js', 'text/javascript', fromPackage('swagger-ui-bundle.js'));
  const style = asset('swagger-ui.css', 'text/css', fromPackage('swagger-ui.css'));
  const start = asset('reference.js', 'text/javascript', setUp);
  const look = asset('reference.css', 'text/css', ownStyle);
  const page = `<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<title>Payments Service: API reference</title>
<link rel="icon" href="data:,">
<link rel="stylesheet" href="${style.path}">
<link rel="stylesheet" href="${look.path}">
</head>
<body>
<div id="reference"></div>
<script src="${script.path}"></script>
<script src="${start.path}"></script>
</body>
</html>
`;
  return [
    route({
      method: 'GET',
      path: '/openapi.json',
      operation: 'getOpenApiDocument',
      tag: reference,
      summary: 'Fetch this document',
      access: 'public',
      invalid: 400,
      response: {
        status: 200,
        // The handler returns the object as JSON text.
        schema: Type.Unsafe<string>({ type: 'object', description: 'An OpenAPI 3.1 document.' }),
        contentType: 'application/json; charset=utf-8',
        headers: { 'Cache-Control': documentCaching },
      },
      async handle() {
        kept ??= JSON.stringify(openApiDocument(allRoutes()));
        return kept;
      },
    }),
    route({
      method: 'GET',
      path: '/docs',
      operation: 'getReferencePage',
      tag: reference,
      summary: 'Read this document as a page',
      access: 'public',
      invalid: 400,
      response: {
        status: 200,
        schema: Type.String(),
        contentType: 'text/html; charset=utf-8',
        headers: { 'Content-Security-Policy': pagePolicy, 'Cache-Control': documentCaching },
      },
      handle: async () => page,
    }),
    ...[script, style, start, look],
  ];
}

/** A route that serves a file of the page. */
function asset(name: string, type: string, text: string): Route {
  const checksum = createHash('sha256').update(text).digest('hex').slice(0, 16);
  return route({
    method: 'GET',
    path: `/docs/${checksum}/${name}`,
    operation: 'getReferenceAsset',
    tag: reference,
    summary: `The file ${name} of the reference page`,
    access: 'public',
    undocumented: true,
    invalid: 400,
    response: {
      status: 200,
      schema: Type.String(),
      contentType: `${type}; charset=utf-8`,
      headers: { 'Cache-Control': assetCaching },
    },
    handle: async () => text,
  });
}

function fromPackage(file: string): string {
  return readFileSync(new URL(import.meta.resolve(`swagger-ui-dist/${file}`)), 'utf8');
}
