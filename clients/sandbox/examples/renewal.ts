import { createServer } from 'node:http';
import { verifyWebhook } from '@payments-service/client';
import type { Sandbox } from '@payments-service/sandbox';

/** Stands for your own software: it counts what members have paid, by the webhooks of the service. */
export async function startShop({ payments }: Sandbox) {
  let secret = '';
  const paid = new Map<string, number>();
  const server = createServer(async (request, response) => {
    const chunks: Buffer[] = [];
    for await (const chunk of request) chunks.push(chunk);
    const event = verifyWebhook(Buffer.concat(chunks), request.headers, secret);
    if (event.event_type === 'payment_intent.succeeded') {
      const member = event.data.customer_id ?? '';
      paid.set(member, (paid.get(member) ?? 0) + event.data.amount);
    }
    response.writeHead(204).end();
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const address = server.address();
  const port = typeof address === 'object' ? address?.port : 0;
  secret = (await payments.webhookEndpoints.create({ url: `http://127.0.0.1:${port}/` })).secret ?? '';

  /** Signs a member up who pays 2500 cents each week, from the day after the clock's. */
  async function signUp(clock: string, start_date: string): Promise<string> {
    const { id } = await payments.customers.create({ name: 'Ada Lovelace', test_clock: clock });
    await payments.paymentMethods.create({
      type: 'card',
      customer_reference: id,
      payment_method_data: {
        expiry_month: 12,
        expiry_year: 2040,
        token_metadata: { type: 'fixture', token: 'tok_sandbox_visa_succeed', data: '' },
      },
    });
    const plan = await payments.paymentPlans.create({
      customer_id: id,
      name: 'Gym',
      frequency_type: 'weekly',
      start_date,
      recurring_amount_cents: 2500,
      currency: 'AUD',
      until_further_notice: true,
    });
    await payments.paymentPlans.activate(plan.id);
    return id;
  }

  function close(): void {
    server.closeAllConnections();
    server.close();
  }

  return { paid, signUp, close };
}
