import assert from 'node:assert/strict';
import { randomBytes } from 'node:crypto';
import type { AddressInfo } from 'node:net';
import { after, before, describe, it } from 'mocha';
import pino from 'pino';
import { openAccounts, writeAccount } from '../../processors/stripe/accounts.ts';
import { ensureSchema } from '../../processors/stripe/schema.ts';
import { createStripeProcessor } from '../../processors/stripe/server.ts';
import type { StripeClient } from '../../processors/stripe/stripe-client.ts';
import { verifyAccount } from '../../processors/stripe/verify.ts';
import { namedId } from '../../src/domain/ids.ts';
import { checkProcessor } from '../../tools/processor-check/run.ts';
import { useDatabase } from '../support/database.ts';
import { account, sealingKeys } from './support.ts';

/** An account of Stripe's test mode, at Stripe or at a server in its place (`url`). */
export interface TestAccount {
  key: string;
  url?: string;
  /** A card that needs the payer, where the name of Stripe's is not known. */
  challenged?: string;
}

/** Cards of Stripe's test mode that can be attached to a customer (docs.stripe.com/testing). */
const cards = {
  good: 'pm_card_visa',
  declined: 'pm_card_chargeCustomerFail',
  challenged: 'pm_card_authenticationRequired',
} as const;

/**
 * What is asked of Stripe itself, by `npm run test:stripe`, and of a server in its place, so that the run is known to
 * work. It takes money of test mode alone, and gives it back.
 */
export function againstStripe(title: string, open: () => Promise<TestAccount>): void {
  describe(title, function () {
    this.timeout(600_000);
    const database = useDatabase();
    const secret = randomBytes(24).toString('hex');
    const place = { account, livemode: false };
    let stripe: StripeClient;
    let challenged: string = cards.challenged;
    let url = '';
    let close = async () => {};

    before('start the processor service', async () => {
      const { key, url: baseUrl, challenged: other } = await open();
      challenged = other ?? challenged;
      await ensureSchema(database.sql);
      await writeAccount(database.sql, sealingKeys, place, { key, by: 'test' });
      const accounts = openAccounts(database.sql, sealingKeys, baseUrl);
      stripe = await accounts.clientOf(place);
      const logger = pino({ level: 'silent' });
      const server = createStripeProcessor({ db: database.sql, accounts, secret, logger, stripeApiUrl: null });
      await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
      url = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
      close = async () => {
        server.closeAllConnections();
        await new Promise((resolve) => server.close(resolve));
      };
    });
    after('end it', () => close());

    /** Attaches a card to a new customer. Returns its id. */
    async function attached(card: string): Promise<string> {
      const customer = await stripe.customers.create({});
      return (await stripe.paymentMethods.attach(card, { customer: customer.id })).id;
    }

    async function call(
      path: string,
      body: object,
      key: string,
    ): Promise<{ status: number; body: Record<string, unknown> }> {
      const headers = { authorization: `Bearer ${secret}`, 'content-type': 'application/json', 'idempotency-key': key };
      const text = JSON.stringify({ ...place, ...body });
      const response = await fetch(url + path, { method: 'POST', headers, body: text });
      return { status: response.status, body: (await response.json()) as Record<string, unknown> };
    }

    it('keeps every promise of the protocol that can be played', async () => {
      const results = await checkProcessor(
        {
          ...{ url, secret, account: namedId('biller', account), livemode: false, amount: 1000, currency: 'AUD' },
          ...{ token: await attached(cards.good), declinedToken: await attached(cards.declined), restartCommand: null },
          challengeToken: await attached(challenged),
        },
        ({ row, verdict, why }) => console.log(`      ${verdict}: ${row.plays}${why ? ` (${why})` : ''}`),
      );
      assert.deepEqual(
        results.filter(({ verdict }) => verdict === 'broken').map(({ row, why }) => [row.plays, why]),
        [],
      );
    });

    it('tells a card that would need the payer as authentication_required, and cancels the intent', async () => {
      const token = await attached(challenged);
      const key = `att_${randomBytes(12).toString('hex')}`;
      const payment = { payment_intent_id: 'pi_1', amount: 1018, base_amount: 1000, currency: 'AUD', attempt: 1 };
      const body = { ...payment, payment_method: { id: 'pm_1', type: 'card', token }, metadata: {} };
      const { reference } = (await call('/prepare', body, key)).body;
      const answer = await call('/charges', { ...body, reference }, key);
      assert.deepEqual([answer.body.outcome, answer.body.code], ['failed', 'authentication_required']);
      assert.equal((await stripe.paymentIntents.retrieve(String(reference))).status, 'canceled');
    });

    it('has every right that it needs', async () => {
      const findings = await verifyAccount(stripe, place);
      for (const { what, is, says } of findings) console.log(`      ${what}: ${is} (${says})`);
      assert.deepEqual(
        findings.filter(({ is }) => is === 'wrong'),
        [],
      );
    });
  });
}
