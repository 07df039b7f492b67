import { expect, NotOffered, NotTried, type Row } from '../row.ts';
import type { Charged, Payment, Session } from '../session.ts';
import { inWords, known } from '../session.ts';
import { expectNoCharge, lastOutcome } from './charges.ts';

export const challengeRows: readonly Row[] = [
  {
    promise: 'While the challenge is open, `/inquire` repeats this',
    plays: 'an attended payment waits for its payer: charged again, inquired, and not in the list',
    takes: 0,
    async play(session) {
      const { payment, url } = await challenged(session);
      for (const [path, state] of [
        ['/charges', await session.charge(payment)],
        ['/inquire', await session.inquire(payment)],
      ] as const) {
        const redirect = state.kind === 'requires_action' ? state.redirect : undefined;
        expect(redirect !== undefined, `/charges sent the payer to a page, and then ${path} says ${inWords(state)}`);
        expect(redirect.url === url, `${path} sends the payer elsewhere than the first answer did`);
      }
      await expectNoCharge(session, payment, 'that waits for its payer');
      await known(session.client.cancel(payment.request, payment.reference));
    },
  },
  {
    promise: 'Once it is `canceled`, it is never charged',
    plays: 'a challenge is given up, then the payment is charged',
    takes: 0,
    async play(session) {
      const { payment } = await challenged(session);
      await session.client.cancel(payment.request, payment.reference);
      expect(lastOutcome(session, '/cancel') === 'canceled', '/cancel of an open challenge does not say canceled');
      const outcome = await known(session.charge(payment));
      expect(outcome === null, `/charges of a canceled payment says ${outcome === null ? '' : inWords(outcome)}`);
      const state = await session.inquire(payment);
      expect(state.kind === 'canceled', `/inquire of a canceled payment says ${inWords(state)}`);
      await expectNoCharge(session, payment, 'whose challenge was given up');
    },
  },
];

/** A payment that waits for its payer. @throws NotOffered if the service sends no payer to a challenge */
async function challenged(session: Session): Promise<{ payment: Payment; url: string }> {
  const { challengeToken: token } = session.options;
  if (token === null) throw new NotTried('give --challenge-token, of a card whose bank asks the payer');
  const payment = await session.reserve(session.newRequest({ token, attended: true }));
  const outcome: Charged = await session.charge(payment);
  if (outcome.kind === 'requires_action' && outcome.redirect) return { payment, url: outcome.redirect.url };
  throw new NotOffered(`/charges of ${token} says ${inWords(outcome)}, and sends its payer nowhere`);
}
