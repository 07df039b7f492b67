import Type from 'typebox';
import { namedId } from '../../domain/ids.ts';
import { collectedQuery, dateQuery, ListOf, listQuery, page, Strict } from '../../resources/common.ts';
import {
  Customer,
  CustomerCreate,
  CustomerUpdate,
  customerExample,
  customers,
  presentCustomer,
} from '../../resources/customer.ts';
import { dueAt } from '../../resources/examples.ts';
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
import { deleteCustomer } from '../../services/subjects/customer-deletion.ts';
import { defaultChanged } from '../../services/subjects/default-method.ts';
import { type Route, route } from '../http/route.ts';

const create = route({
  method: 'POST',
  path: '/api/v1/customers',
  operation: 'createCustomer',
  tag: customers,
  summary: 'Create a customer',
  description:
    'With `test_clock`, the customer lives on the time of that clock, permanently. Lists leave it out unless ' +
    'they name the clock.',
  access: { scope: 'customers:write' },
  invalid: 422,
  bodyLimit: { kib: 256, since: 'additional_attributes is free-form' },
  body: CustomerCreate,
  response: { status: 201, schema: Customer },
  handle: async ({ context, body, deps }) => presentCustomer(await createCustomer(deps.db, context, body)),
});

const list = route({
  method: 'GET',
  path: '/api/v1/customers',
  operation: 'listCustomers',
  tag: customers,
  summary: 'List customers, newest first',
  description: 'Deleted customers are left out. Customers on a test clock appear only if test_clock names their clock.',
  access: { scope: 'customers:read' },
  invalid: 422,
  query: Strict({
    ...listQuery,
    ...dateQuery,
    status: Type.Optional(Type.String({ maxLength: 40, description: 'Exact match.' })),
    email: Type.Optional(Type.String({ maxLength: 254, description: 'Exact match, ignoring case.' })),
    name: Type.Optional(Type.String({ maxLength: 255, description: 'Exact match, ignoring case.' })),
    reference: Type.Optional(Type.String({ maxLength: 255, description: 'Exact match.' })),
    test_clock: Type.Optional(Type.String({ maxLength: 100, description: 'Only customers on this clock.' })),
  }),
  response: { status: 200, schema: ListOf(Customer) },
  handle: async ({ context, query, deps }) => {
    const { test_clock: testClock, ...rest } = query;
    return page(
      await listCustomers(deps.db, context, { ...rest, testClock: namedId('test_clock', testClock) }),
      presentCustomer,
    );
  },
});

const fetch = route({
  method: 'GET',
  path: '/api/v1/customers/:customer_id',
  operation: 'getCustomer',
  tag: customers,
  summary: 'Fetch a customer',
  description: 'Also returns a deleted customer, with its deleted_at.',
  access: { scope: 'customers:read' },
  invalid: 422,
  response: { status: 200, schema: Customer },
  handle: async ({ context, params, deps }) => presentCustomer(await getCustomer(deps.db, context, params.customer_id)),
});

const update = route({
  method: 'PUT',
  path: '/api/v1/customers/:customer_id',
  operation: 'updateCustomer',
  tag: customers,
  summary: 'Change a customer',
  description: 'Fields that you leave out stay as they are. null clears a field. An object is replaced as a whole.',
  access: { scope: 'customers:write' },
  invalid: 422,
  bodyLimit: { kib: 256, since: 'additional_attributes is free-form' },
  body: CustomerUpdate,
  response: { status: 200, schema: Customer },
  handle: async ({ context, params, body, deps }) =>
    presentCustomer(await updateCustomer(deps.db, context, params.customer_id, body, defaultChanged)),
});

const remove = route({
  method: 'DELETE',
  path: '/api/v1/customers/:customer_id',
  operation: 'deleteCustomer',
  tag: customers,
  summary: 'Delete a customer',
  description:
    'The customer stays readable by its id, with deleted_at. Its open plans are closed and its scheduled ' +
    'payments canceled. After this response no charge starts for it.',
  access: { scope: 'customers:write' },
  invalid: 422,
  errors: { 422: 'The test clock of the customer is advancing.' },
  response: { status: 200, schema: Customer, example: { ...customerExample, updated_at: dueAt, deleted_at: dueAt } },
  handle: async ({ context, params, deps }) =>
    presentCustomer(await deleteCustomer(deps.db, context, params.customer_id)),
});

const listIntents = route({
  method: 'GET',
  path: '/api/v1/customers/:customer_id/payment_intents',
  operation: 'listCustomerPaymentIntents',
  tag: customers,
  summary: 'List the payment intents of a customer, newest first',
  access: { scope: 'payment_intents:read' },
  invalid: 422,
  query: Strict({
    ...listQuery,
    ...dateQuery,
    ...collectedQuery,
    status: Type.Optional(Type.String({ maxLength: 40, description: 'Exact match.' })),
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
  tag: customers,
  summary: 'List the payment methods of a customer, newest first',
  description: 'Returns the newest 100 by default. Detached methods are left out.',
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
  tag: customers,
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
