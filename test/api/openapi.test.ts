import assert from 'node:assert/strict';
import { execFile } from 'node:child_process';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { describe, it } from 'mocha';
import { type TObject, Type } from 'typebox';
import { route } from '../../src/api/http/route.ts';
import { openApiDocument } from '../../src/api/openapi/document.ts';
import { documentedPath } from '../../src/api/openapi/parameters.ts';
import { asNode, asNodes, type SchemaNode } from '../../src/api/validation/describe-schema.ts';
import { newId } from '../../src/domain/ids.ts';
import { Strict } from '../../src/resources/common.ts';
import { eventTypes } from '../../src/resources/event-catalogue.ts';
import { example, withExamples } from '../../src/resources/examples.ts';
import { fieldCodes } from '../../src/resources/field-errors.ts';
import { webhookEvents } from '../../src/resources/webhook-endpoint.ts';
import { declineCodes, errorCodes } from '../../src/services/error-codes.ts';
import { allRoutes } from '../../src/sites/routes.ts';
import { useApi } from '../support/api.ts';
import { useDatabase } from '../support/database.ts';
import { assertMatchesDocument, document, jsonSchemaOf, problemsBy, responseOf } from '../support/openapi.ts';

const root = fileURLToPath(new URL('../../', import.meta.url));
const documented = allRoutes.filter((one) => !one.undocumented);
const operations = Object.values(document.paths).flatMap((methods) => Object.values(methods));
const schemas = document.components.schemas ?? {};
const tag = { name: 'Test', description: 'For tests.' };

/** Every object in the document, with the path to it. */
function nodesIn(value: unknown, path = '#'): [string, SchemaNode][] {
  if (Array.isArray(value)) return value.flatMap((item, index) => nodesIn(item, `${path}/${index}`));
  const node = asNode(value);
  if (node === undefined) return [];
  return [[path, node], ...Object.entries(node).flatMap(([name, member]) => nodesIn(member, `${path}/${name}`))];
}

function operationOf(path: string, method: string): SchemaNode {
  const operation = document.paths[path]?.[method];
  assert.ok(operation, `${method} ${path} is not in the document`);
  return operation;
}

/** What is answered where there is no operation, by status. */
const unmatched: Record<string, SchemaNode | undefined> = Object.fromEntries(
  Object.entries(asNode(document['x-unmatched-requests']) ?? {}).map(([status, entry]) => [status, asNode(entry)]),
);

function examplesOf(response: SchemaNode | undefined): SchemaNode {
  return asNode(asNode(asNode(response?.content)?.['application/json'])?.examples) ?? {};
}

function statusesOf(path: string, method: string): string[] {
  return Object.keys(asNode(operationOf(path, method).responses) ?? {});
}

describe('the OpenAPI document', () => {
  it('passes the linter without errors and warnings, as does that for openapi-generator', async () => {
    const { stdout } = await promisify(execFile)(process.execPath, ['tools/lint-openapi.mjs'], {
      cwd: root,
    });
    const clean = ': 0 errors, 0 warnings, 0 ignored';
    assert.equal(stdout, `openapi.json${clean}\nopenapi.compat.json${clean}\n`);
  }).timeout(120_000);

  it('has every route with its operation, tag and success, and nothing else', () => {
    for (const { method, path, operation, tag, response } of documented) {
      const entry = operationOf(documentedPath(path), method.toLowerCase());
      assert.equal(entry.operationId, operation);
      assert.deepEqual(entry.tags, [tag.name]);
      assert.ok(asNode(entry.responses)?.[response.status], `${operation} ${response.status}`);
    }
    assert.equal(operations.length, documented.length);
    assert.equal(new Set(operations.map(({ operationId }) => operationId)).size, operations.length);
  });

  it('has the statuses that follow from method, path and access', () => {
    const read = ['200', '400', '401', '403', '429', '500', '503'];
    assert.deepEqual(statusesOf('/api/v1/customers', 'get'), read);
    assert.deepEqual(statusesOf('/api/v1/customers/{customer_id}', 'get'), [...read, '404'].sort());
    const made = ['201', '400', '401', '403', '409', '413', '422', '429', '500', '503'];
    assert.deepEqual(statusesOf('/api/v1/customers', 'post'), made);
    assert.deepEqual(statusesOf('/healthz', 'get'), ['200', '400', '500']);
    assert.deepEqual(statusesOf('/readyz', 'get'), ['200', '400', '500', '503']);
    const changed = ['200', '400', '401', '403', '404', '413', '422', '429', '500', '503'];
    assert.deepEqual(statusesOf('/api/v1/customers/{customer_id}', 'put'), changed);
  });

  it('has 422 for a deletion only where the state can forbid it', () => {
    const forbidding = documented.filter(
      ({ method, path }) => method === 'DELETE' && statusesOf(documentedPath(path), 'delete').includes('422'),
    );
    assert.deepEqual(
      forbidding.map(({ operation }) => operation),
      ['deleteCustomer'],
    );
  });

  it('has the headers of the rate limit on what an operation with a key answers, and on nothing without one', () => {
    const limits = ['RateLimit', 'RateLimit-Policy'];
    for (const { path, method, access } of documented) {
      const operation = operationOf(documentedPath(path), method.toLowerCase());
      for (const status of Object.keys(asNode(operation.responses) ?? {}).map(Number)) {
        const headers = Object.keys(asNode(responseOf(operation, status)?.headers) ?? {});
        assert.ok(headers.includes('Request-Id'), `${path} ${status}`);
        assert.equal(headers.includes('Retry-After'), [409, 429, 503].includes(status), `${path} ${status}`);
        // The error responses are shared by all operations.
        const isExpected = status < 400 ? access !== 'public' : status !== 401;
        for (const limit of limits) assert.equal(headers.includes(limit), isExpected, `${path} ${status}`);
      }
    }
  });

  it('has a name for every object in a request or an answer, so that generated code has one', () => {
    const nameless = nodesIn({ paths: document.paths, webhooks: document.webhooks, components: document.components })
      .filter(([path, node]) => asNode(node.properties) && !/^#\/components\/schemas\/\w+$/.test(path))
      .filter(([path]) => !/\/examples?\//.test(path));
    assert.deepEqual(
      nameless.map(([path]) => path),
      [],
    );
  });

  it('names for each route the key and the scope that it needs', () => {
    for (const { method, path, access } of documented) {
      const { security, ...entry } = operationOf(documentedPath(path), method.toLowerCase());
      if (access === 'public') {
        assert.deepEqual(security, []);
        continue;
      }
      assert.equal(entry['x-required-scope'], access.scope);
      assert.match(String(entry.description), new RegExp(`\`${access.scope}\``));
      const publishable = access.publishable ? [{ publishableKey: [] }] : [];
      assert.deepEqual(security, [{ secretKey: [access.scope] }, ...publishable]);
    }
  });

  it('has the id patterns in its paths that ids are made by', () => {
    const pattern = (path: string) => {
      const [parameter] = asNodes(operationOf(path, 'get').parameters);
      return new RegExp(String(asNode(parameter?.schema)?.pattern));
    };
    assert.match(newId('customer'), pattern('/api/v1/customers/{customer_id}'));
    assert.match(newId('payment_plan'), pattern('/api/v1/payment_plans/{plan_id}'));
    assert.match(newId('test_clock'), pattern('/api/v1/test_helpers/test_clocks/{id}'));
    for (const livemode of [true, false]) {
      assert.match(newId('payment_intent', { livemode }), pattern('/api/v1/payment_intents/{payment_intent_id}'));
    }
    assert.doesNotMatch(newId('customer'), pattern('/api/v1/payment_plans/{plan_id}'));
  });

  it('offers the Idempotency-Key on every POST, and nowhere else', () => {
    for (const [path, methods] of Object.entries(document.paths)) {
      for (const [method, { parameters }] of Object.entries(methods)) {
        const references = asNodes(parameters).map(({ $ref }) => $ref);
        assert.equal(references.includes('#/components/parameters/IdempotencyKey'), method === 'post', path);
      }
    }
  });

  it('has an example of every request and every answer in JSON, and all are of their schemas', () => {
    const contents = nodesIn({
      paths: document.paths,
      webhooks: document.webhooks,
      ...document.components.responses,
      unmatched,
    })
      .filter(([path]) => path.endsWith('/content/application/json'))
      .map(([path, node]) => ({ path, node }));
    assert.ok(contents.length > operations.length + eventTypes.length);
    for (const { path, node } of contents) {
      const named = Object.values(asNode(node.examples) ?? {}).map((example) => asNode(example)?.value);
      const examples = [...named, ...('example' in node ? [node.example] : [])];
      assert.ok(examples.length > 0, `${path} has no example`);
      for (const example of examples) assert.deepEqual(problemsBy(asNode(node.schema) ?? {}, example), [], path);
    }
  });

  it('is refused when a body, or an object that is returned, has no example', () => {
    const shown = { id: Type.String() };
    const make = (more: { body?: TObject; schema: TObject }) =>
      route({
        ...{ method: 'POST', path: '/made', operation: 'make', tag, summary: 'For tests', access: 'public' },
        ...{ invalid: 400, body: more.body, response: { status: 200, schema: more.schema }, handle: async () => ({}) },
      } as const);
    const schema = Strict(shown);
    assert.throws(() => openApiDocument([make({ schema })]), /this schema needs an example/);
    example(schema, { id: 'x' });
    assert.throws(() => openApiDocument([make({ schema, body: Strict(shown) })]), /the body of make has no example/);
    const body = withExamples(Strict(shown), { one: { summary: 'One', value: { id: 'x' } } });
    assert.doesNotThrow(() => openApiDocument([make({ schema, body })]));
  });

  it('says each named schema once, and uses every one', () => {
    const used = new Set(nodesIn(document).flatMap(([, { $ref }]) => (typeof $ref === 'string' ? [$ref] : [])));
    for (const [kind, members] of Object.entries(document.components)) {
      if (kind === 'securitySchemes') continue;
      for (const name of Object.keys(members)) assert.ok(used.has(`#/components/${kind}/${name}`), `${kind}/${name}`);
    }
    for (const reference of used) {
      const [kind = '', name = ''] = reference.split('/').slice(-2);
      assert.ok(document.components[kind]?.[name], reference);
    }
    for (const name of ['Customer', 'PaymentMethod', 'PaymentIntent', 'PaymentPlan', 'TestClock', 'Event', 'Error']) {
      assert.ok(schemas[name], name);
    }
  });

  it('is refused when two schemas that differ have the same name', () => {
    const make = (operation: string, type: 'integer' | 'string') =>
      route({
        method: 'GET',
        path: `/${operation}`,
        operation,
        tag,
        summary: 'For tests',
        access: 'public',
        invalid: 400,
        response: {
          status: 200,
          schema: Strict({ n: type === 'integer' ? Type.Integer() : Type.String() }, { title: 'N' }),
          example: { n: 1 },
        },
        handle: async () => ({ n: 1 }),
      });
    assert.doesNotThrow(() => openApiDocument([make('a', 'integer'), make('b', 'integer')]));
    assert.throws(
      () => openApiDocument([make('a', 'integer'), make('b', 'string')]),
      /two different schemas are called N/,
    );
  });

  it('tells the branches of each union apart by name', () => {
    const unions = nodesIn(document).filter(([, node]) => asNode(node.discriminator));
    assert.ok(unions.length >= 2);
    for (const [path, { oneOf, discriminator }] of unions) {
      const mapping = Object.entries(asNode(asNode(discriminator)?.mapping) ?? {});
      assert.deepEqual(
        mapping.map(([, reference]) => reference),
        asNodes(oneOf).map(({ $ref }) => $ref),
        path,
      );
      for (const [tag, reference] of mapping) {
        const branch = schemas[String(reference).split('/').at(-1) ?? ''];
        const { propertyName } = asNode(discriminator) ?? {};
        assert.equal(asNode(asNode(branch?.properties)?.[String(propertyName)])?.const, tag);
      }
    }
  });

  it('has a webhook for every type of event', () => {
    assert.deepEqual(Object.keys(document.webhooks), [...eventTypes]);
    for (const type of eventTypes) {
      const schema = jsonSchemaOf(asNode(asNode(document.webhooks[type]?.post)?.requestBody));
      const payload = schemas[String(schema?.$ref).split('/').at(-1) ?? ''];
      assert.equal(asNode(asNode(payload?.properties)?.event_type)?.const, type);
    }
  });

  it('names every code of an error, with its meaning and what to do', () => {
    const { description } = asNode(document.info) ?? {};
    const codes = { ...errorCodes, ...fieldCodes, ...declineCodes };
    for (const [code, { meaning, remedy }] of Object.entries(codes)) {
      for (const sentence of [meaning, remedy]) assert.match(sentence, /^[\p{Lu}`].*\.$/u, code);
      const row = String(description)
        .split('\n')
        .find((line) => line.startsWith(`| \`${code}\` |`) && line.includes(meaning) && line.includes(remedy));
      assert.ok(row, `${code} is not in the tables of the document`);
    }
    const listed = asNode(asNode(schemas.ErrorBody?.properties)?.code);
    assert.deepEqual(listed?.enum, Object.keys(errorCodes));
    for (const [code, { statuses }] of Object.entries(errorCodes)) {
      for (const status of statuses) {
        const answering = operations.map((operation) => responseOf(operation, status)).find((found) => found);
        const examples = { ...examplesOf(answering), ...examplesOf(unmatched[status]) };
        assert.ok(examples[code], `${status} has no example of ${code}`);
      }
    }
  });

  it('has each tag once, with its description, in the order of the routes, and that of the webhooks last', () => {
    const names = [...new Set(documented.map(({ tag: { name } }) => name))];
    assert.deepEqual(
      asNodes(document.tags).map(({ name }) => name),
      [...names, webhookEvents.name],
    );
  });

  it('keeps the webhooks out of the tags of operations: generators write one file per tag', () => {
    for (const [type, webhook] of Object.entries(document.webhooks)) {
      assert.deepEqual(asNode(webhook.post)?.tags, [webhookEvents.name], type);
    }
    assert.ok(documented.every(({ tag }) => tag.name !== webhookEvents.name));
  });

  it('names the values that more than one place takes', () => {
    const enums = nodesIn([document.paths, schemas]).flatMap(([, { enum: values }]) =>
      Array.isArray(values) ? [values.join()] : [],
    );
    assert.ok(enums.length > 20);
    assert.deepEqual(
      enums.filter((values, index) => enums.indexOf(values) < index),
      [],
    );
  });

  it('has a type for every member of a schema', () => {
    const untyped = Object.entries(schemas).flatMap(([name, { properties }]) =>
      Object.entries(asNode(properties) ?? {})
        .filter(([, member]) => !['type', '$ref', 'anyOf', 'oneOf'].some((key) => key in (asNode(member) ?? {})))
        .map(([member]) => `${name}.${member}`),
    );
    assert.deepEqual(untyped, []);
  });
});

describe('the reference', () => {
  const api = useApi(useDatabase());

  it('is served as JSON without a key, the same as the routes make it', async () => {
    const { status, headers, body } = await api.send('GET', '/openapi.json');
    assert.equal(status, 200);
    assert.equal(headers.get('content-type'), 'application/json; charset=utf-8');
    assert.deepEqual(body, JSON.parse(JSON.stringify(document)));
  });

  it('says what a request gets that no operation takes, and no operation lists it', async () => {
    const expected: [method: string, path: string, status: number, code: string][] = [
      ['GET', '/api/v1/nowhere', 404, 'route_not_found'],
      ['PATCH', '/api/v1/customers', 405, 'method_not_allowed'],
      ['DELETE', '/healthz', 405, 'method_not_allowed'],
    ];
    for (const [method, path, status, code] of expected) {
      const reply = await api.send(method, path);
      assert.deepEqual([reply.status, reply.body.error.code], [status, code]);
      const told = unmatched[status];
      assert.deepEqual(Object.keys(examplesOf(told)), [code]);
      assert.deepEqual(problemsBy(jsonSchemaOf(told) ?? {}, reply.body), []);
      for (const header of Object.keys(asNode(told?.headers) ?? {})) assert.ok(reply.headers.has(header), header);
    }
    // 408 and 431 are answered before there is a request: test/api/server.test.ts has them. 421 is the answer of `npm
    // start` to another host: test/security/this-machine-alone.test.ts has it.
    assert.deepEqual(Object.keys(unmatched), ['404', '405', '408', '421', '431']);
    for (const operation of operations) {
      assert.equal(responseOf(operation, 405), undefined);
      assert.equal('route_not_found' in examplesOf(responseOf(operation, 404)), false);
    }
  });
});

describe('holding answers against the document', () => {
  const path = '/api/v1/customers';
  const customer = asNode(
    asNode(asNode(responseOf(operationOf(path, 'post'), 201)?.content)?.['application/json'])?.example,
  );

  it('lets pass what the document says', () => {
    assertMatchesDocument('POST', path, 201, customer);
    assertMatchesDocument('GET', `${path}?limit=1`, 200, { data: [customer], has_more: false });
  });

  it('finds a field too many, a field too few, a wrong value and a status that is not named', () => {
    const refuses = (status: number, body: unknown) =>
      assert.throws(() => assertMatchesDocument('POST', path, status, body), assert.AssertionError);
    const { email: _, ...less } = customer ?? {};
    refuses(201, { ...customer, colour: 'red' });
    refuses(201, less);
    refuses(201, { ...customer, status: 'odd' });
    refuses(201, { ...customer, created_at: 'yesterday' });
    refuses(418, customer);
    refuses(422, { error: { message: 'No.', type: 'invalid_request_error', code: 'unheard_of', request_id: 'req_1' } });
  });
});
