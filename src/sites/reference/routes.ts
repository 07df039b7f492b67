import { createHash } from 'node:crypto';
import { Type } from 'typebox';
import { pagePolicy } from '../../api/http/page-policy.ts';
import { type Route, route } from '../../api/http/route.ts';
import { compatDocument } from '../../api/openapi/compat.ts';
import { openApiDocument } from '../../api/openapi/document.ts';
import { readScripts } from '../../platform/browser-scripts.ts';
import { Strict, type Tag } from '../../resources/common.ts';
import { RouteNotFound } from '../../services/errors.ts';
import { inHtml, type Page } from './layout.ts';
import { referenceStyle } from './look.ts';
import { once } from './once.ts';
import { referenceOf } from './pages.ts';
import { resultsPage, search } from './search.ts';

const reference: Tag = { name: 'Reference', description: 'This documentation.' };

/** How long a browser may show the document of the previous version. */
const documentCaching = 'public, max-age=60';
/** An asset's path contains a hash of its content. */
const assetCaching = 'public, max-age=31536000, immutable';

const htmlPage = {
  status: 200,
  contentType: 'text/html; charset=utf-8',
  headers: { 'Content-Security-Policy': pagePolicy(), 'Cache-Control': documentCaching },
};

const documentInJson = {
  status: 200,
  // The handlers return the object as JSON text.
  schema: Type.Unsafe<string>({ type: 'object', description: 'An OpenAPI 3.1 document.' }),
  contentType: 'application/json; charset=utf-8',
  headers: { 'Cache-Control': documentCaching },
};

/** What the pages besides `/docs` have in common. The document lists `/docs` alone. */
const morePages = {
  method: 'GET',
  operation: 'getReferencePage',
  tag: reference,
  access: 'public',
  undocumented: true,
  invalid: 400,
  response: { ...htmlPage, schema: Type.String() },
} as const;

/** The routes of the documentation. The document and the pages are made at the first request. No key is needed. */
export function referenceRoutes(allRoutes: () => readonly Route[]): Route[] {
  const document = once(() => openApiDocument(allRoutes()));
  const text = once(() => JSON.stringify(document()));
  const compatText = once(() => JSON.stringify(compatDocument(document())));
  const made = once(() => referenceOf(document()));
  const style = asset('reference.css', 'text/css', referenceStyle);
  const script = asset(
    'reference.js',
    'text/javascript',
    readScripts(new URL('./scripts/', import.meta.url), 'reference.js', 'try.js'),
  );
  const written = (page: Page, query?: string) =>
    inHtml(page, made().pages, { style: style.path, script: script.path }, query);
  function pageAt(path: string): string {
    const page = made().pages.find((one) => one.path === path);
    if (page === undefined) throw new RouteNotFound('GET', path);
    return written(page);
  }
  return [
    route({
      method: 'GET',
      path: '/openapi.json',
      operation: 'getOpenApiDocument',
      tag: reference,
      summary: 'Fetch this document',
      access: 'public',
      invalid: 400,
      response: documentInJson,
      handle: async () => text(),
    }),
    route({
      method: 'GET',
      path: '/openapi.compat.json',
      operation: 'getCompatDocument',
      tag: reference,
      summary: 'Fetch this document for openapi-generator',
      access: 'public',
      undocumented: true,
      invalid: 400,
      response: documentInJson,
      handle: async () => compatText(),
    }),
    route({
      method: 'GET',
      path: '/docs',
      operation: 'getReferencePage',
      tag: reference,
      summary: 'Read this document as a page',
      access: 'public',
      invalid: 400,
      response: { ...htmlPage, schema: Type.String() },
      handle: async () => pageAt('/docs'),
    }),
    route({
      ...morePages,
      path: '/docs/search',
      summary: 'Search the reference and the guides',
      query: Strict({ q: Type.Optional(Type.String({ maxLength: 100 })) }),
      async handle({ query: { q = '' } }) {
        const main = resultsPage(search(made().entries, q), q);
        return written({ path: '/docs/search', title: 'Search', main: () => main, parts: [], group: null }, q);
      },
    }),
    route({
      ...morePages,
      path: '/docs/:page',
      summary: 'A page of the reference',
      handle: async ({ params: { page } }) => pageAt(`/docs/${page}`),
    }),
    route({
      ...morePages,
      path: '/docs/guides/:guide',
      summary: 'A guide',
      handle: async ({ params: { guide } }) => pageAt(`/docs/guides/${guide}`),
    }),
    ...[style, script],
  ];
}

/** A route that serves a file of the pages. */
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
