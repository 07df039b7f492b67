import assert from 'node:assert/strict';
import { describe, it } from 'mocha';
import { asNode, asNodes } from '../../src/api/validation/describe-schema.ts';
import { allRoutes } from '../../src/sites/routes.ts';
import { document } from '../support/openapi.ts';

/** By operation id, the operation as the document has it, with its path. */
const operations = new Map(
  Object.entries(document.paths).flatMap(([path, methods]) =>
    Object.values(methods).map((operation) => [String(operation.operationId), { path, operation }] as const),
  ),
);

/** By the operation that makes an object, the links of its success: operation id, parameter and where its value is. */
function linksOf(operationId: string): string[] {
  const responses = Object.values(asNode(operations.get(operationId)?.operation.responses) ?? {});
  return responses.flatMap((response) =>
    Object.values(asNode(asNode(response)?.links) ?? {}).flatMap((link) =>
      Object.entries(asNode(asNode(link)?.parameters) ?? {}).map(
        ([parameter, value]) => `${asNode(link)?.operationId} ${parameter} ${value}`,
      ),
    ),
  );
}

describe('the links of the OpenAPI document', () => {
  it('lead from what makes an object to everything that can be done with it', () => {
    assert.deepEqual(linksOf('createCustomer'), [
      'getCustomer customer_id $response.body#/id',
      'updateCustomer customer_id $response.body#/id',
      'deleteCustomer customer_id $response.body#/id',
      'listCustomerPaymentIntents customer_id $response.body#/id',
      'listCustomerPaymentMethods customer_id $response.body#/id',
      'getCustomerStatement customer_id $response.body#/id',
      'getCustomerStatementDocument customer_id $response.body#/id',
    ]);
    assert.deepEqual(linksOf('createRefund'), ['getRefund refund_id $response.body#/id']);
    for (const operationId of ['createPaymentMethod', 'createSandboxPaymentMethod']) {
      assert.ok(
        linksOf(operationId).includes('detachPaymentMethod payment_method_id $response.body#/payment_method/id'),
      );
    }
    const transitions = ['activate', 'suspend', 'resume', 'deactivate', 'close'];
    const links = linksOf('createPaymentPlan').map((link) => link.split(' ')[0]);
    for (const transition of transitions) assert.ok(links.includes(`${transition}PaymentPlan`), transition);
  });

  it('name operations that exist, and the one parameter of their path', () => {
    const all = allRoutes.flatMap(({ operation }) => linksOf(operation));
    assert.ok(all.length >= 40);
    for (const link of all) {
      const [operationId = '', parameter] = link.split(' ');
      const target = operations.get(operationId);
      assert.deepEqual(
        [...(target?.path.matchAll(/\{(\w+)\}/g) ?? [])].map(([, name]) => name),
        [parameter],
        link,
      );
      assert.ok(
        asNodes(target?.operation.parameters).some(({ name }) => name === parameter),
        link,
      );
    }
  });

  it('are not given by what answers the object that its own path names', () => {
    for (const operationId of ['activatePaymentPlan', 'confirmPaymentIntent', 'getCustomer', 'updateCustomer'])
      assert.deepEqual(linksOf(operationId), [], operationId);
  });
});
