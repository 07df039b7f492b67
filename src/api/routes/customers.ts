import Type from 'typebox';
import { ListOf, listQuery, page, Strict } from '../../resources/common.ts';
import { Customer, CustomerCreate, CustomerUpdate, presentCustomer } from '../../resources/customer.ts';
import { deleteCustomer, updateCustomer } from '../../services/customers/customer-changes.ts';
import { createCustomer, fetchCustomer, listCustomers } from '../../services/customers/customers.ts';
import { type Route, route } from '../http/route.ts';

const tag = 'Customers';

const create = route({
  method: 'POST',
  path: '/api/v1/customers',
  operation: 'createCustomer',
  tag,
  summary: 'Create a customer',
  description:
    'With `test_clock`, the customer lives on the time of that clock, permanently. Lists leave it out unless ' +
    'they name the clock.',
  access: { scope: 'customers:write' },
  invalid: 422,
  idempotency: 'one-statement',
  bodyLimit: { kib: 256, since: 'additional_attributes is free-form' },
  body: CustomerCreate,
  response: { status: 201, schema: Customer },
  handle: async ({ call, body, deps }) =>
    presentCustomer(await createCustomer(deps.sql, call, body, (row) => deps.withAnswer(presentCustomer(row)))),
});

const list = route({
  method: 'GET',
  path: '/api/v1/customers',
  operation: 'listCustomers',
  tag,
  summary: 'List customers, newest first',
  description: 'Deleted customers are left out. Customers on a test clock appear only if test_clock names their clock.',
  access: { scope: 'customers:read' },
  invalid: 422,
  query: Strict({
    ...listQuery,
    status: Type.Optional(Type.String({ maxLength: 40, description: 'Exact match.' })),
    email: Type.Optional(Type.String({ maxLength: 254, description: 'Exact match, ignoring case.' })),
    name: Type.Optional(Type.String({ maxLength: 255, description: 'Exact match, ignoring case.' })),
    reference: Type.Optional(Type.String({ maxLength: 255, description: 'Exact match.' })),
    test_clock: Type.Optional(Type.String({ maxLength: 100, description: 'Only customers on this clock.' })),
  }),
  response: { status: 200, schema: ListOf(Customer) },
  handle: async ({ call, query, deps }) => {
    const { test_clock: testClock, ...rest } = query;
    const { rows, limit } = await listCustomers(deps.sql, call, { ...rest, testClock });
    return page(rows, limit, presentCustomer);
  },
});

const fetch = route({
  method: 'GET',
  path: '/api/v1/customers/:customer_id',
  operation: 'getCustomer',
  tag,
  summary: 'Fetch a customer',
  description: 'Also returns a deleted customer, with its deleted_at.',
  access: { scope: 'customers:read' },
  invalid: 422,
  response: { status: 200, schema: Customer },
  handle: async ({ call, params, deps }) => presentCustomer(await fetchCustomer(deps.sql, call, params.customer_id)),
});

const update = route({
  method: 'PUT',
  path: '/api/v1/customers/:customer_id',
  operation: 'updateCustomer',
  tag,
  summary: 'Change a customer',
  description: 'Fields that you leave out stay as they are. null clears a field. An object is replaced as a whole.',
  access: { scope: 'customers:write' },
  invalid: 422,
  bodyLimit: { kib: 256, since: 'additional_attributes is free-form' },
  body: CustomerUpdate,
  response: { status: 200, schema: Customer },
  handle: async ({ call, params, body, deps }) =>
    presentCustomer(await updateCustomer(deps.sql, call, params.customer_id, body)),
});

const remove = route({
  method: 'DELETE',
  path: '/api/v1/customers/:customer_id',
  operation: 'deleteCustomer',
  tag,
  summary: 'Delete a customer',
  description:
    'The customer stays readable by its id, with deleted_at. Its open plans are closed and its scheduled ' +
    'payments canceled. After this response no charge starts for it.',
  access: { scope: 'customers:write' },
  invalid: 422,
  errors: { 422: 'The test clock of the customer is advancing.' },
  response: { status: 200, schema: Customer },
  handle: async ({ call, params, deps }) => presentCustomer(await deleteCustomer(deps.sql, call, params.customer_id)),
});

export const customerRoutes: Route[] = [create, list, fetch, update, remove];
