import { exampleId } from '../../domain/ids.ts';
import { page, Strict } from '../../resources/common.ts';
import {
  CreatedPaymentMethod,
  methodListQuery,
  PaymentMethodEnvelope,
  PaymentMethodList,
  paymentMethods,
  presentCreatedPaymentMethod,
  presentPaymentMethod,
} from '../../resources/payment-method.ts';
import { PaymentMethodAttach, PaymentMethodCreate } from '../../resources/payment-method-input.ts';
import { SandboxPaymentMethodCreate } from '../../resources/sandbox-payment-method.ts';
import { assertNoCardNumber } from '../../services/customers/card-numbers.ts';
import {
  attachPaymentMethod,
  createPaymentMethod,
  createSandboxPaymentMethod,
  getPaymentMethod,
  listPaymentMethods,
} from '../../services/customers/payment-methods.ts';
import { detachPaymentMethod } from '../../services/mandates/method-detachment.ts';
import { stopDebits } from '../../services/subjects/charge-hook.ts';
import { type Route, route } from '../http/route.ts';

const create = route({
  method: 'POST',
  path: '/api/v1/payment_methods',
  operation: 'createPaymentMethod',
  tag: paymentMethods,
  summary: 'Save a card or a bank account',
  description:
    'Accepts a publishable key. With such a key, `customer_reference` needs the `client_secret` of one of that ' +
    'customer’s payment intents. In the sandbox, a fixture token creates a card with a known outcome: see *Test ' +
    'cards*. The first method of a customer becomes its default, unless a publishable key saves it. A customer ' +
    'has at most 50 methods that are not detached.',
  access: { scope: 'payment_methods:write', publishable: true },
  invalid: 400,
  bodyLimit: { kib: 128, since: 'a token and its data have up to 4,000 characters, each of up to 12 bytes' },
  body: PaymentMethodCreate,
  response: { status: 200, schema: CreatedPaymentMethod },
  handle: async ({ context, body, deps }) => {
    assertNoCardNumber(body.payment_method_data, '/payment_method_data', deps);
    const method = await createPaymentMethod(deps.db, deps.vault, context, body);
    return { success: true, payment_method: presentCreatedPaymentMethod(method) };
  },
});

const fetch = route({
  method: 'GET',
  path: '/api/v1/payment_methods/:payment_method_id',
  operation: 'getPaymentMethod',
  tag: paymentMethods,
  summary: 'Fetch a payment method',
  access: { scope: 'payment_methods:read' },
  invalid: 400,
  response: { status: 200, schema: PaymentMethodEnvelope },
  handle: async ({ context, params, deps }) => {
    const method = await getPaymentMethod(deps.db, context, params.payment_method_id);
    return { success: true, payment_method: presentPaymentMethod(method) };
  },
});

const detach = route({
  method: 'POST',
  path: '/api/v1/payment_methods/:payment_method_id/detach',
  operation: 'detachPaymentMethod',
  tag: paymentMethods,
  summary: 'Detach a payment method',
  description:
    'After this response no charge starts on the method, and its mandate is canceled. It stays readable. Detaching ' +
    'it again changes nothing.',
  access: { scope: 'payment_methods:write' },
  invalid: 400,
  response: { status: 200, schema: PaymentMethodEnvelope },
  handle: async ({ context, params, deps }) => {
    const method = await detachPaymentMethod(deps.db, context, params.payment_method_id, stopDebits);
    return { success: true, payment_method: presentPaymentMethod(method) };
  },
});

const list = route({
  method: 'GET',
  path: '/api/v1/payment_methods',
  operation: 'listPaymentMethods',
  tag: paymentMethods,
  summary: 'List the saved payment methods, newest first',
  description: 'Returns the newest 100 by default. Detached methods are left out.',
  access: { scope: 'payment_methods:read' },
  invalid: 400,
  query: Strict(methodListQuery),
  response: { status: 200, schema: PaymentMethodList },
  handle: async ({ context, query, deps }) => {
    const { data, has_more } = page(await listPaymentMethods(deps.db, context, query), presentPaymentMethod);
    return { success: true, payment_methods: data, has_more };
  },
});

const attach = route({
  method: 'POST',
  path: '/api/v1/payment_methods/:payment_method_id/attach',
  operation: 'attachPaymentMethod',
  tag: paymentMethods,
  summary: 'Attach a payment method to a customer',
  description:
    'The first method of a customer becomes its default. Attaching it again to the same customer changes ' +
    'nothing. A customer has at most 50 methods that are not detached.',
  access: { scope: 'payment_methods:write' },
  invalid: 400,
  body: PaymentMethodAttach,
  response: { status: 200, schema: PaymentMethodEnvelope },
  handle: async ({ context, params, body, deps }) => {
    const method = await attachPaymentMethod(deps.db, context, params.payment_method_id, body.customer_id);
    return { success: true, payment_method: presentPaymentMethod(method) };
  },
});

const createInSandbox = route({
  method: 'POST',
  path: '/api/v1/test_helpers/payment_methods',
  operation: 'createSandboxPaymentMethod',
  tag: paymentMethods,
  summary: 'Save a Klarna, PayID or PayPal instrument',
  description:
    'Creates at once what a payer would set up with Klarna, a bank or PayPal. `instrument_data` is returned as ' +
    'you sent it. The method is charged like any other, by the outcome rules of the sandbox. The first method of ' +
    'a customer becomes its default.',
  access: { scope: 'payment_methods:write', sandboxOnly: true },
  invalid: 400,
  body: SandboxPaymentMethodCreate,
  response: {
    status: 200,
    schema: PaymentMethodEnvelope,
    example: {
      success: true,
      payment_method: {
        id: exampleId('payment_method'),
        type: 'pay_id',
        instrument_data: { payid: 'jo@example.com', account_name: 'Jo Nguyen', payid_type: 'email' },
      },
    },
  },
  handle: async ({ context, body, deps }) => {
    assertNoCardNumber(body.instrument_data, '/instrument_data', deps);
    const method = await createSandboxPaymentMethod(deps.db, context, body);
    return { success: true, payment_method: presentPaymentMethod(method) };
  },
});

export const paymentMethodRoutes: Route[] = [create, list, fetch, attach, detach, createInSandbox];
