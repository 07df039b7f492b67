import assert from 'node:assert/strict';
import { openApiDocument } from '../../src/api/openapi/document.ts';
import { asNode, asNodes, type SchemaNode } from '../../src/api/validation/describe-schema.ts';
import { fixtureCards } from '../../src/domain/cards.ts';
import { allRoutes } from '../../src/sites/routes.ts';

const document = openApiDocument(allRoutes);
const { schemas = {} } = document.components;
const operations = Object.values(document.paths).flatMap((methods) => Object.values(methods));

/** Resolves a member that may be a reference. */
function resolved(member: unknown): SchemaNode {
  const node = asNode(member) ?? {};
  return typeof node.$ref === 'string' ? (schemas[node.$ref.split('/').at(-1) ?? ''] ?? {}) : node;
}

/** Whether a member needs no description: a constant, an object, or a list or choice of objects. */
function speaksForItself(member: unknown): boolean {
  const node = resolved(member);
  if (node.const !== undefined || node.properties !== undefined) return true;
  if (node.type === 'array') return speaksForItself(node.items);
  const branches = asNodes(node.anyOf ?? node.oneOf).filter((branch) => branch.type !== 'null');
  return branches.length > 0 && branches.every(speaksForItself);
}

const isDescribed = (member: unknown) =>
  String(asNode(member)?.description ?? resolved(member).description ?? '').length > 2;

describe('the reference alone', () => {
  it('describes every field of requests, responses and events', () => {
    const silent = Object.entries(schemas).flatMap(([name, schema]) =>
      Object.entries(asNode(schema.properties) ?? {})
        .filter(([, member]) => !isDescribed(member) && !speaksForItself(member))
        .map(([field]) => `${name}.${field}`),
    );
    assert.deepEqual(silent, []);
  });

  it('describes every parameter', () => {
    const silent = operations.flatMap(({ operationId, parameters }) =>
      asNodes(parameters)
        .filter((parameter) => parameter.$ref === undefined && !isDescribed(parameter))
        .map(({ name }) => `${operationId} ${name}`),
    );
    assert.deepEqual(silent, []);
  });

  it('describes each value of a state', () => {
    const states = { PaymentIntent: 'status', PaymentPlan: 'state', PlanPayment: 'status', TestClockState: 'status' };
    for (const [name, field] of Object.entries({ ...states, WebhookDelivery: 'status' })) {
      // The values have a name; what they mean here is said beside the reference.
      const member = asNode(asNode(schemas[name]?.properties)?.[field]) ?? {};
      const { enum: values } = resolved(member);
      assert.ok(Array.isArray(values), `${name}.${field}`);
      for (const value of values) assert.match(String(member.description), new RegExp(`\`${value}\``), name);
    }
  });

  it('lists the test cards with their outcomes in its introduction', () => {
    const { description } = asNode(document.info) ?? {};
    for (const { token, last4, outcome } of fixtureCards) {
      const row = String(description)
        .split('\n')
        .find((line) => line.includes(token));
      assert.ok(row?.includes(last4), token);
      assert.ok(outcome.kind !== 'failed' || row?.includes(`\`${outcome.code}\``), token);
    }
  });

  it('shows the new state in the example of each transition', () => {
    const expected = {
      createPaymentPlan: 'pending',
      activatePaymentPlan: 'active',
      suspendPaymentPlan: 'suspended',
      resumePaymentPlan: 'active',
      deactivatePaymentPlan: 'deactivated',
      closePaymentPlan: 'closed',
    };
    const shown = operations.flatMap((operation) => {
      const [success] = Object.values(asNode(operation.responses) ?? {});
      const content = asNode(asNode(asNode(success)?.content)?.['application/json']);
      return String(operation.operationId) in expected
        ? [[operation.operationId, asNode(content?.example)?.state]]
        : [];
    });
    assert.deepEqual(Object.fromEntries(shown), expected);
  });
});
