import assert from 'node:assert/strict';
import Schema from 'typebox/schema';
import { openApiDocument } from '../../src/api/openapi/document.ts';
import { asNode, type SchemaNode } from '../../src/api/validation/describe-schema.ts';
import { allRoutes } from '../../src/sites/routes.ts';
import '../../src/api/validation/validation.ts'; // what the formats mean
import { seen } from './records.ts';

/** The document of the service, as it serves it. */
export const document = openApiDocument(allRoutes);

const templates = Object.keys(document.paths).map((template) => ({
  template,
  pattern: new RegExp(`^${template.replaceAll('.', '\\.').replace(/\{\w+\}/g, '[^/]+')}$`),
}));

const checks = new Map<string, (value: unknown) => string[]>();

/** What the document promises and no request can cause, with the reason. */
const unreachable: Readonly<Record<string, string>> = {
  'GET /api/v1/business_days 500': 'its days follow from the query alone',
  'GET /api/v1/surcharge_rules 500': 'its rules follow from what authentication has read',
  'GET /api/v1/mandate_texts/au_becs 500': 'it reads only the table that authentication has read',
  'GET /healthz 500': 'it returns a constant',
  'GET /readyz 500': 'whatever its checks throw is the 503',
  'GET /openapi.json 500': 'the document follows from the routes alone',
  'GET /docs 500': 'the page is in memory from the start',
};

/** What is wrong with a value by a schema of the document; nothing when it is of the schema. */
export function problemsBy(schema: SchemaNode, value: unknown): string[] {
  const key = JSON.stringify(schema);
  let check = checks.get(key);
  if (check === undefined) {
    // References are resolved within the schema, so it carries the components.
    const validator = Schema.Compile({ components: { schemas: document.components.schemas }, ...schema });
    check = (value) =>
      validator.Check(value) ? [] : validator.Errors(value)[1].map((error) => `${error.instancePath} ${error.message}`);
    checks.set(key, check);
  }
  return check(value);
}

/** The operation that a request is for, with the path as the document has it; `path` may carry a query. */
function operationFor(method: string, path: string): { template: string; operation: SchemaNode } | undefined {
  const [bare = ''] = path.split('?');
  for (const { template, pattern } of templates) {
    const operation = pattern.test(bare) ? document.paths[template]?.[method.toLowerCase()] : undefined;
    if (operation !== undefined) return { template, operation };
  }
  return undefined;
}

/** A response of an operation, its reference followed. */
export function responseOf(operation: SchemaNode, status: number): SchemaNode | undefined {
  const response = asNode(asNode(operation.responses)?.[status]);
  const name = typeof response?.$ref === 'string' ? response.$ref.split('/').at(-1) : undefined;
  return name === undefined ? response : document.components.responses?.[name];
}

/** The schema of a response or request body as JSON. */
export function jsonSchemaOf(part: SchemaNode | undefined): SchemaNode | undefined {
  return asNode(asNode(asNode(part?.content)?.['application/json'])?.schema);
}

/**
 * Compares a response of the API with the document: the operation names its status, and the body is of that schema. A
 * request for no operation gets the error envelope.
 */
export function assertMatchesDocument(method: string, path: string, status: number, body: unknown): void {
  const found = operationFor(method, path);
  const where = `${method} ${found?.template ?? path} → ${status}`;
  if (found !== undefined) seen.add(`${method} ${found.template} ${status}`);
  if (found === undefined) {
    if (body !== undefined) assert.deepEqual(problemsBy({ $ref: '#/components/schemas/Error' }, body), [], where);
    return;
  }
  const response = responseOf(found.operation, status);
  assert.ok(response, `${where}: the document does not name this status; see \`errors\` in src/api/http/route.ts`);
  const schema = jsonSchemaOf(response);
  if (schema === undefined) return;
  assert.deepEqual(problemsBy(schema, body), [], `${where} is not of its schema: ${JSON.stringify(body)}`);
}

/** Compares an event, as the API or a webhook shows it, with the webhook of its type. */
export function assertIsWebhook(event: { event_type: string }): void {
  const webhook = document.webhooks[event.event_type];
  const payload = jsonSchemaOf(asNode(asNode(webhook?.post)?.requestBody));
  assert.ok(payload, `the document has no webhook ${event.event_type}`);
  seen.add(event.event_type);
  assert.deepEqual(
    problemsBy(payload, event),
    [],
    `${event.event_type} is not of its schema: ${JSON.stringify(event)}`,
  );
}

/** Every status of every operation of the document, as `GET /path 200`. */
export function promisedResponses(): string[] {
  return Object.entries(document.paths).flatMap(([path, methods]) =>
    Object.entries(methods).flatMap(([method, operation]) =>
      Object.keys(asNode(operation.responses) ?? {}).map((status) => `${method.toUpperCase()} ${path} ${status}`),
    ),
  );
}

/** Whether this status of an operation can be brought about by a request. */
export function isReachable(response: string): boolean {
  return !(response in unreachable);
}

/** Fails if the document promises a status or an event that is not among these: for use after every test has run. */
export function assertDocumentExercised(seen: ReadonlySet<string>): void {
  const promised = [...promisedResponses().filter(isReachable), ...Object.keys(document.webhooks)];
  const unseen = promised.filter((one) => !seen.has(one));
  assert.deepEqual(unseen, [], 'the OpenAPI document promises what no test has seen');
  const stale = Object.keys(unreachable).filter((one) => seen.has(one) || !promisedResponses().includes(one));
  assert.deepEqual(stale, [], 'test/support/openapi.ts lists as unreachable what was seen, or is not promised');
}
