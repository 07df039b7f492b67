import Type from 'typebox';
import { ListOf, listQuery, page, Strict } from '../../resources/common.ts';
import { PaymentIntent, presentPaymentIntent } from '../../resources/payment-intent.ts';
import { fetchCustomer } from '../../services/customers/customers.ts';
import { listPaymentIntents } from '../../services/payments/payment-intents.ts';
import { type Route, route } from '../http/route.ts';

const list = route({
  method: 'GET',
  path: '/api/v1/customers/:customer_id/payment_intents',
  operation: 'listCustomerPaymentIntents',
  tag: 'Customers',
  summary: 'List the payment intents of a customer, newest first',
  access: { scope: 'payment_intents:read' },
  invalid: 422,
  query: Strict({
    ...listQuery,
    status: Type.Optional(Type.String({ maxLength: 40, description: 'Exact match.' })),
  }),
  response: { status: 200, schema: ListOf(PaymentIntent) },
  handle: async ({ call, params, query, deps }) => {
    const customer = await fetchCustomer(deps.sql, call, params.customer_id);
    const filter = { customerId: customer.id, status: query.status };
    const { rows, limit } = await listPaymentIntents(deps.sql, call, filter, query);
    return page(rows, limit, presentPaymentIntent);
  },
});

export const customerPaymentIntentRoutes: Route[] = [list];
