import Type from 'typebox';
import { ListOf, listQuery, page, Strict } from '../../resources/common.ts';
import { Customer, CustomerCreate, CustomerUpdate, presentCustomer } from '../../resources/customer.ts';
import { PaymentIntent, presentPaymentIntent } from '../../resources/payment-intent.ts';
import {
  methodListQuery,
  PaymentMethodEnvelope,
  PaymentMethodList,
  presentPaymentMethod,
} from '../../resources/payment-method.ts';
import { updateCustomer } from '../../services/customers/customer-changes.ts';
import { createCustomer, getCustomer, listCustomers } from '../../services/customers/customers.ts';
import { getCustomerMethod, listCustomerMethods } from '../../services/customers/payment-methods.ts';
import { listPaymentIntents } from '../../services/payments/payment-intents.ts';
import { deleteCustomer } from '../../services/plans/customer-deletion.ts';
import { type Route, route } from '../http/route.ts';

const tag = 'Customers';

const create = route({
  method: 'POST',
  path: '/api/v1/customers',
  operation: 'createCustomer',
  tag,
  summary: 'Create a customer',
  description:
    'With `test_clock` it lives on the time of that clock, for good, and is left out of lists that do not name it.',
  access: { scope: 'customers:write' },
  invalid: 422,
  idempotency: 'one-statement',
  bodyLimit: { kib: 256, since: 'additional_attributes is free-form' },
  body: CustomerCreate,
  response: { status: 201, schema: Customer },
  handle: async ({ context, body, deps }) =>
    presentCustomer(await createCustomer(deps.db, context, body, (row) => deps.withResponse(presentCustomer(row)))),
});

const list = route({
  method: 'GET',
  path: '/api/v1/customers',
  operation: 'listCustomers',
  tag,
  summary: 'List customers, newest first',
  description: 'Deleted customers are left out; customers on a test clock appear only when test_clock names it.',
  access: { scope: 'customers:read' },
  invalid: 422,
  query: Strict({
    ...listQuery,
    status: Type.Optional(Type.String({ maxLength: 40, description: 'Exact.' })),
    email: Type.Optional(Type.String({ maxLength: 254, description: 'Exact, whatever the case of letters.' })),
    name: Type.Optional(Type.String({ maxLength: 255, description: 'Exact, whatever the case of letters.' })),
    reference: Type.Optional(Type.String({ maxLength: 255, description: 'Exact.' })),
    test_clock: Type.Optional(Type.String({ maxLength: 100, description: 'The customers of this clock.' })),
  }),
  response: { status: 200, schema: ListOf(Customer) },
  handle: async ({ context, query, deps }) => {
    const { test_clock: testClock, ...rest } = query;
    return page(await listCustomers(deps.db, context, { ...rest, testClock }), presentCustomer);
  },
});

const fetch = route({
  method: 'GET',
  path: '/api/v1/customers/:customer_id',
  operation: 'getCustomer',
  tag,
  summary: 'Fetch a customer',
  description: 'A deleted customer is returned with its deleted_at.',
  access: { scope: 'customers:read' },
  invalid: 422,
  response: { status: 200, schema: Customer },
  handle: async ({ context, params, deps }) => presentCustomer(await getCustomer(deps.db, context, params.customer_id)),
});

const update = route({
  method: 'PUT',
  path: '/api/v1/customers/:customer_id',
  operation: 'updateCustomer',
  tag,
  summary: 'Change a customer',
  description: 'Fields that are not named stay as they are; null clears one. An object is replaced as a whole.',
  access: { scope: 'customers:write' },
  invalid: 422,
  bodyLimit: { kib: 256, since: 'additional_attributes is free-form' },
  body: CustomerUpdate,
  response: { status: 200, schema: Customer },
  handle: async ({ context, params, body, deps }) =>
    presentCustomer(await updateCustomer(deps.db, context, params.customer_id, body)),
});

const remove = route({
  method: 'DELETE',
  path: '/api/v1/customers/:customer_id',
  operation: 'deleteCustomer',
  tag,
  summary: 'Delete a customer',
  description:
    'The record stays readable by its id, with deleted_at. Its open plans are closed and its scheduled payments canceled; ' +
    'after this response it is not charged.',
  access: { scope: 'customers:write' },
  invalid: 422,
  errors: { 422: 'The test clock of the customer is advancing.' },
  response: { status: 200, schema: Customer },
  handle: async ({ context, params, deps }) =>
    presentCustomer(await deleteCustomer(deps.db, context, params.customer_id)),
});

const listIntents = route({
  method: 'GET',
  path: '/api/v1/customers/:customer_id/payment_intents',
  operation: 'listCustomerPaymentIntents',
  tag,
  summary: 'List the payment intents of a customer, newest first',
  access: { scope: 'payment_intents:read' },
  invalid: 422,
  query: Strict({
    ...listQuery,
    status: Type.Optional(Type.String({ maxLength: 40, description: 'Exact.' })),
  }),
  response: { status: 200, schema: ListOf(PaymentIntent) },
  handle: async ({ context, params, query, deps }) => {
    const customer = await getCustomer(deps.db, context, params.customer_id);
    const filter = { customerId: customer.id, status: query.status };
    return page(await listPaymentIntents(deps.db, context, filter, query), presentPaymentIntent);
  },
});

const listMethods = route({
  method: 'GET',
  path: '/api/v1/customers/:customer_id/payment_methods',
  operation: 'listCustomerPaymentMethods',
  tag,
  summary: 'List the payment methods of a customer, newest first',
  description: 'The newest 100 if no limit is given. Detached methods are left out.',
  access: { scope: 'payment_methods:read' },
  invalid: 400,
  query: Strict(methodListQuery),
  response: { status: 200, schema: PaymentMethodList },
  handle: async ({ context, params, query, deps }) => {
    const { data, has_more } = page(
      await listCustomerMethods(deps.db, context, params.customer_id, query),
      presentPaymentMethod,
    );
    return { success: true, payment_methods: data, has_more };
  },
});

const fetchMethod = route({
  method: 'GET',
  path: '/api/v1/customers/:customer_id/payment_methods/:payment_method_id',
  operation: 'getCustomerPaymentMethod',
  tag,
  summary: 'Fetch a payment method of a customer',
  access: { scope: 'payment_methods:read' },
  invalid: 400,
  response: { status: 200, schema: PaymentMethodEnvelope },
  handle: async ({ context, params, deps }) => {
    const { customer_id: customerId, payment_method_id: id } = params;
    const method = await getCustomerMethod(deps.db, context, customerId, id);
    return { success: true, payment_method: presentPaymentMethod(method) };
  },
});

export const customerRoutes: Route[] = [create, list, fetch, update, remove, listIntents, listMethods, fetchMethod];
