import type { PaymentsClient } from '@payments-service/client';
import type { Tab } from '../../lab/browser.ts';
import { makeActivePlan, makePayer } from '../../lab/payer.ts';

type Take = (page: Tab, name: string) => Promise<void>;

/** Takes the pictures of the dashboard: a customer who owes, and the page before a refund. On a clock of their own. */
export async function takeDashboard(page: Tab, api: PaymentsClient, baseUrl: string, take: Take): Promise<void> {
  const { id: clock } = await api.testClocks.create({ frozen_time: '2028-02-01T00:00:00Z', name: 'Dashboard' });
  try {
    const { customerId: customer, methodId: card } = await makePayer(api, {
      ...{ name: 'Ada Lovelace', email: 'ada@school.example', reference: 'family-1815', test_clock: clock },
    });
    const terms = { customer_id: customer, start_date: '2028-02-02' };
    const plans = [
      { name: 'Swimming course', frequency_type: 'weekly', recurring_amount_cents: 3900, outcome: 'succeed' },
      { name: 'School fees', frequency_type: 'monthly', recurring_amount_cents: 24000, outcome: 'decline' },
    ] as const;
    for (const { outcome, ...plan } of plans) {
      await makeActivePlan(api, { ...terms, ...plan, metadata: { _sandbox_outcome: outcome } });
    }
    const single = {
      amount: 4900,
      currency: 'AUD',
      customer_id: customer,
      payment_method: card,
      confirm: true,
    } as const;
    const { id: payment } = await api.paymentIntents.create({ ...single, description: 'Camp' });
    await api.paymentIntents.create({ ...single, description: 'Excursion' });
    await api.testClocks.advanceAndWait(clock, { frozen_time: '2028-02-04T00:00:00Z' });
    await page.goto(`${baseUrl}/dashboard`);
    await page.goto(`${baseUrl}/dashboard/customers/${customer}`);
    await take(page, 'dashboard');
    await page.goto(`${baseUrl}/dashboard/payments/${payment}`);
    await take(page, 'dashboard-payment');
  } finally {
    await api.testClocks.delete(clock);
  }
}
