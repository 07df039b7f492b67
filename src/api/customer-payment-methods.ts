import { PaymentMethodEnvelope, PaymentMethodList, presentPaymentMethod } from '../resources/payment-method.ts';
import { fetchCustomerMethod, listCustomerMethods } from '../services/payment-methods.ts';
import { type Route, route } from './route.ts';

const tag = 'Customers';

const list = route({
  method: 'GET',
  path: '/api/v1/customers/:customer_id/payment_methods',
  operation: 'listCustomerPaymentMethods',
  tag,
  summary: 'List the payment methods of a customer, newest first',
  description: 'Detached methods are left out.',
  access: { scope: 'payment_methods:read' },
  invalid: 400,
  response: { status: 200, schema: PaymentMethodList },
  handle: async ({ call, params, deps }) => {
    const methods = await listCustomerMethods(deps.sql, call, params.customer_id);
    return { success: true, payment_methods: methods.map(presentPaymentMethod) };
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
