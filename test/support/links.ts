import assert from 'node:assert/strict';
import type { PaymentLinkRow } from '../../src/db/payment-links.ts';
import { realNow } from '../../src/platform/real-time.ts';
import type { PaymentLinkCreate } from '../../src/resources/payment-link-input.ts';
import { createPaymentLink, deactivatePaymentLink, getPaymentLink } from '../../src/services/links/payment-links.ts';
import { findSession } from '../../src/services/links/public-tokens.ts';
import { paySession } from '../../src/services/links/session-payment.ts';
import { saveSessionMethod } from '../../src/services/links/session-setup.ts';
import { startSession } from '../../src/services/links/session-start.ts';
import type { FormResult, Submission } from '../../src/services/links/submission.ts';
import { tokenOf } from '../../src/services/links/tokens.ts';
import { linkedSubjects } from '../../src/services/subjects/charge-hook.ts';
import type { Stage } from './stage.ts';
import { makeCall } from './webhooks.ts';

/** The body that saves a test card. */
export function card(token = 'tok_sandbox_visa_succeed') {
  return {
    data: {
      type: 'card',
      payment_method_data: {
        expiry_month: 12,
        expiry_year: 2099,
        token_metadata: { type: 'fixture', token, data: '' },
      },
    },
  } as const;
}

const details = { name: 'Jo Nguyen', email: 'jo@example.com' };

/** Links and their payers, by the services that the pages call. */
export function useLinks(stage: Stage) {
  const { vault } = stage;
  const deps = () => ({ charging: stage.charging, vault, ...linkedSubjects });
  const payer = () => ({ requestId: 'req_test', now: realNow() });
  const links = {
    vault,
    call: () => makeCall(stage.db.sql, { billerId: stage.keys.biller.id, now: realNow() }),
    /** A link over 25.00 AUD for one payment, unless it says otherwise. */
    async link(input: Partial<PaymentLinkCreate> = {}): Promise<PaymentLinkRow> {
      const isSetup = input.mode === 'setup';
      const terms = isSetup || input.amount_range ? {} : { amount: 2500 };
      const currency = isSetup ? {} : { currency: 'AUD' as const };
      const body = { name: 'Invoice 1042', ...currency, ...terms, ...input };
      return createPaymentLink(stage.db.sql, vault, await links.call(), body, { setsDefaults: true });
    },
    read: async ({ id }: { id: string }) => getPaymentLink(stage.db.sql, await links.call(), id),
    deactivate: async ({ id }: { id: string }) => deactivatePaymentLink(stage.db.sql, await links.call(), id),
    tokenOf: (link: PaymentLinkRow) => tokenOf(vault, 'payment_link_tokens', link),
    start: (link: PaymentLinkRow) => startSession(stage.db.sql, vault, links.tokenOf(link), payer()),
    /** Opens the page of a link: returns the token of the session. */
    async open(link: PaymentLinkRow): Promise<string> {
      const started = await links.start(link);
      assert.equal(started.kind, 'started', JSON.stringify(started));
      return started.kind === 'started' ? started.token : '';
    },
    find: (token: string) => findSession(stage.db.sql, token, realNow()),
    /** Sends the form of a session: with a card that succeeds, unless it says otherwise. */
    pay: (token: string, input: Partial<Submission> = {}): Promise<FormResult> =>
      paySession(stage.db.sql, deps(), token, { version: 0, method: card(), details, ...input }, payer()),
    save: (token: string, input: Partial<Submission> = {}): Promise<FormResult> =>
      saveSessionMethod(stage.db.sql, deps(), token, { version: 0, method: card(), details, ...input }, payer()),
    /** The result of a submission: the state of the session, or the kind of the refusal. */
    outcome: (submitted: FormResult): string =>
      submitted.kind === 'done' ? submitted.session.state : Object.values(submitted).join(' '),
    /** The types of the biller's events, oldest first; each is compared with the document. */
    events: async (): Promise<string[]> => (await stage.merchant.events()).map(({ event_type: type }) => type),
  };
  return links;
}
