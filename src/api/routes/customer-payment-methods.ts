import { page, Strict } from '../../resources/common.ts';
import {
  methodListQuery,
  PaymentMethodEnvelope,
  PaymentMethodList,
  presentPaymentMethod,
} from '../../resources/payment-method.ts';
import { fetchCustomerMethod, listCustomerMethods } from '../../services/customers/payment-methods.ts';
import { type Route, route } from '../http/route.ts';

const tag = 'Customers';

const list = route({
  method: 'GET',
  path: '/api/v1/customers/:customer_id/payment_methods',
  operation: 'listCustomerPaymentMethods',
  tag,
  summary: 'List the payment methods of a customer, newest first',
  description: 'Returns the newest 100 by default. Detached methods are left out.',
  access: { scope: 'payment_methods:read' },
  invalid: 400,
  query: Strict(methodListQuery),
  response: { status: 200, schema: PaymentMethodList },
  handle: async ({ call, params, query, deps }) => {
    const { rows, limit } = await listCustomerMethods(deps.sql, call, params.customer_id, query);
    const { data, has_more } = page(rows, limit, presentPaymentMethod);
    return { success: true, payment_methods: data, has_more };
  },
});

const fetch = route({
  method: 'GET',
  path: '/api/v1/customers/:customer_id/payment_methods/:payment_method_id',
  operation: 'getCustomerPaymentMethod',
  tag,
  summary: 'Fetch a payment method of a customer',
  access: { scope: 'payment_methods:read' },
  invalid: 400,
  response: { status: 200, schema: PaymentMethodEnvelope },
  handle: async ({ call, params, deps }) => {
    const { customer_id: customerId, payment_method_id: id } = params;
    const method = await fetchCustomerMethod(deps.sql, call, customerId, id);
    return { success: true, payment_method: presentPaymentMethod(method) };
  },
});

export const customerPaymentMethodRoutes: Route[] = [list, fetch];
