// The scenario with the sources that the generator `typescript-fetch` of openapi-generator writes.
import {
  Configuration,
  Currency,
  CustomersApi,
  EventsApi,
  PaymentIntentsApi,
  PaymentMethodsApi,
  PaymentPlansApi,
  PlanFrequency,
  TestClocksApi,
} from './generated';

declare const process: { env: Record<string, string | undefined> };

const configuration = new Configuration({
  basePath: process.env.BASE_URL,
  accessToken: process.env.API_KEY,
});
const clocks = new TestClocksApi(configuration);
const intents = new PaymentIntentsApi(configuration);
const plans = new PaymentPlansApi(configuration);

void run();

async function run(): Promise<void> {
  const { id } = await clocks.createTestClock({ testClockCreate: { frozenTime: new Date('2028-01-31T09:00:00Z') } });
  const customer = await new CustomersApi(configuration).createCustomer({
    customerCreate: { name: 'Ada Lovelace', testClock: id },
  });
  const card = await new PaymentMethodsApi(configuration).createPaymentMethod({
    paymentMethodCreate: {
      type: 'card',
      customerReference: customer.id,
      paymentMethodData: {
        expiryMonth: 12,
        expiryYear: 2034,
        tokenMetadata: { type: 'fixture', token: 'tok_sandbox_visa_succeed', data: '' },
      },
    },
  });
  const made = await intents.createPaymentIntent({
    paymentIntentCreate: {
      amount: 1200,
      currency: Currency.Aud,
      customerId: customer.id,
      paymentMethod: card.paymentMethod.id,
      confirm: true,
    },
  });
  const intent = await intents.getPaymentIntent({ paymentIntentId: made.id });
  print('intent', intent.status, intent.amount);

  const plan = await plans.createPaymentPlan({
    paymentPlanCreate: {
      customerId: customer.id,
      name: 'Membership',
      frequencyType: PlanFrequency.Monthly,
      startDate: new Date('2028-01-31'),
      recurringAmountCents: 2500,
      currency: Currency.Aud,
      untilFurtherNotice: true,
    },
  });
  await plans.activatePaymentPlan({ planId: plan.id });
  await clocks.advanceTestClock({ id, testClockAdvance: { frozenTime: new Date('2028-03-01T09:00:00Z') } });
  const clock = await clocks.getTestClock({ id, prefer: 'wait=60' });
  print('clock', clock.status);
  const { data: payments } = await plans.listPlanPayments({ planId: plan.id });
  for (const { dueDate, status } of payments) print(dueDate.toISOString().slice(0, 10), status);
  const events = await new EventsApi(configuration).listEvents({
    eventType: 'payment_intent.succeeded',
    testClock: id,
  });
  const amounts = events.data.map((event) => (event.eventType === 'payment_intent.succeeded' ? event.data.amount : 0));
  print('events', ...amounts.sort((a, b) => a - b));
  const deleted = await clocks.deleteTestClock({ id });
  print('deleted', deleted.deleted);
}

function print(...parts: unknown[]): void {
  console.log(parts.join(' '));
}
