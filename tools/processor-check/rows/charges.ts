import type { ChargeOutcome } from '../../../src/domain/charge-outcome.ts';
import { newId } from '../../../src/domain/ids.ts';
import { chargeOutcomeOf, inquiryOf } from '../../../src/processors/http-answers.ts';
import type { HttpAnswer } from '../../../src/processors/http-reading.ts';
import type { Inquiry, Movement, Submitted } from '../../../src/processors/processor.ts';
import { expect, NotTried, type Row } from '../row.ts';
import { allInWords, inWords, known, outcomeIn, type Payment, type Session } from '../session.ts';

const atOnce = 20;
const inquired = 3;

export const chargeRows: readonly Row[] = [
  {
    promise: 'A reservation is charged at most once',
    plays: `${atOnce} charges of one reference at once, and two more`,
    takes: 1,
    async play(session) {
      const payment = await session.reserve();
      const outcomes = await session.chargeAtOnce(payment, atOnce);
      for (let nth = 1; nth <= 2; nth += 1) outcomes.push(await session.charge(payment));
      const isPaid = outcomes.every(({ kind }) => kind === 'succeeded');
      expect(isPaid, `/charges says of one reference: ${allInWords(outcomes)}`);
      const state = await session.settled(payment);
      expect(state.kind === 'succeeded', `/charges says succeeded, /inquire says ${inWords(state)}`);
      await expectNoMoreThanOne(session, payment);
    },
  },
  {
    promise: 'Once it is `canceled`, it is never charged',
    plays: 'a reservation is canceled, then charged',
    takes: 0,
    async play(session) {
      const payment = await session.reserve();
      await session.client.cancel(payment.request, payment.reference);
      expect(lastOutcome(session, '/cancel') === 'canceled', '/cancel of a reservation does not say canceled');
      const outcome = await known(session.charge(payment));
      expect(outcome === null, `/charges of a canceled reservation says ${outcome === null ? '' : inWords(outcome)}`);
      const state = await session.inquire(payment);
      expect(state.kind === 'canceled', `/inquire of a canceled reservation says ${inWords(state)}`);
      expect((await chargesOf(session, payment)).length === 0, '/movements lists a charge of a canceled reservation');
    },
  },
  {
    promise: 'Once it is `canceled`, it is never charged',
    plays: 'charges and a cancellation at once: one of them wins',
    takes: 1,
    async play(session) {
      const payment = await session.reserve();
      const charges = session.chargeAtOnce(payment, atOnce / 2);
      const cancels = known(session.client.cancel(payment.request, payment.reference));
      const outcomes = await charges;
      await cancels;
      const told = lastOutcome(session, '/cancel');
      const state = await session.settled(payment);
      const isPaid = outcomes.length > 0;
      expect(
        state.kind === (isPaid ? 'succeeded' : 'canceled'),
        `/charges says ${allInWords(outcomes)}, /inquire says ${inWords(state)}`,
      );
      expect(told === null || told === state.kind, `/cancel says ${told}, /inquire says ${inWords(state)}`);
      expect((await chargesOf(session, payment)).length <= (isPaid ? 1 : 0), '/movements lists another charge');
    },
  },
  {
    promise: '`canceled`, or the outcome of a charge that came first',
    plays: 'a reservation is charged, then canceled: nothing is taken back',
    takes: 1,
    async play(session) {
      const payment = await session.paid();
      await session.client.cancel(payment.request, payment.reference);
      const told = lastOutcome(session, '/cancel');
      expect(told === 'succeeded', `/charges says succeeded, a later /cancel says ${told}`);
      const state = await session.settled(payment);
      expect(state.kind === 'succeeded', `after a /cancel that came too late, /inquire says ${inWords(state)}`);
      const again = await session.charge(payment);
      expect(again.kind === 'succeeded', `after a /cancel that came too late, /charges says ${inWords(again)}`);
      const back = (await session.listed()).some(({ kind, reference }) => {
        return kind === 'refund' && reference === payment.reference;
      });
      expect(!back, 'a /cancel that came too late has given the money back');
    },
  },
  {
    promise: 'An outcome is final',
    plays: 'a payment that is declined is declined again, and /inquire says so',
    takes: 0,
    async play(session) {
      const payment = await session.reserve(declinedRequest(session));
      const first = await session.charge(payment);
      expect(first.kind === 'failed', `/charges of the declined token says ${inWords(first)}`);
      const states = [await session.charge(payment), await session.charge(payment), await session.settled(payment)];
      const isSame = states.every((state) => inWords(state) === inWords(first));
      expect(isSame, `/charges says ${inWords(first)}, and later: ${allInWords(states)}`);
    },
  },
  {
    promise: '`/inquire` tells at once what `/charges` has done',
    plays: `not_charged before, and the outcome right after, of ${inquired} payments`,
    takes: inquired,
    async play(session) {
      for (let nth = 1; nth <= inquired; nth += 1) {
        const payment = await session.reserve();
        const before = await session.inquire(payment);
        expect(before.kind === 'not_charged', `before the charge, /inquire says ${inWords(before)}`);
        const outcome = await session.charge(payment);
        const state = await session.inquire(payment);
        const isSame = inWords(state) === inWords(outcome);
        expect(isSame, `/charges says ${inWords(outcome)}, and /inquire right after it ${inWords(state)}`);
      }
    },
  },
  {
    promise: 'A reference that your service has not given gets no outcome',
    plays: 'an unknown reference is inquired, charged and canceled',
    takes: 0,
    async play(session) {
      const { request } = await session.reserve();
      const unknown = { request, reference: `ref_unknown_${newId('payment_attempt').slice(4)}` };
      const state = await known(session.inquire(unknown));
      expect(state === null, `/inquire of an unknown reference says ${state === null ? '' : inWords(state)}`);
      const { idempotencyKey: key } = request;
      const answer = await session.post('/charges', { key, body: JSON.stringify(session.chargeBody(unknown)) });
      const outcome = outcomeIn(answer, (each) => chargeOutcomeOf(each, request, unknown.reference));
      expect(outcome === null, `/charges of an unknown reference says ${outcome === null ? '' : inWords(outcome)}`);
      await known(session.client.cancel(request, unknown.reference));
      expect(lastOutcome(session, '/cancel') === null, '/cancel of an unknown reference tells an outcome');
    },
  },
  {
    promise: 'another account’s reference gets no outcome',
    plays: 'a reservation is inquired, canceled and charged for another account',
    takes: 0,
    async play(session) {
      if (session.options.account === null)
        throw new NotTried('it is for services with several accounts: give --account');
      const payment = await session.reserve();
      const body = JSON.stringify({ ...session.chargeBody(payment), account: 'acct_ofanotherbiller' });
      const { request, reference } = payment;
      for (const [path, key, read] of [
        ['/inquire', null, (each: HttpAnswer) => inquiryOf(each, request, reference)],
        ['/cancel', null, (each: HttpAnswer) => inquiryOf(each, request, reference)],
        ['/charges', request.idempotencyKey, (each: HttpAnswer) => chargeOutcomeOf(each, request, reference)],
      ] as const) {
        const told = outcomeIn<Inquiry | ChargeOutcome | Submitted>(await session.post(path, { key, body }), read);
        expect(told === null, `${path} for another account says ${told === null ? '' : inWords(told)}`);
      }
      const state = await session.inquire(payment);
      expect(state.kind === 'not_charged', `after a charge for another account, /inquire says ${inWords(state)}`);
    },
  },
];

/** Judged at the end of the run, when some time has passed. */
export const lateChargeRow: Row = {
  promise: 'An outcome is final',
  plays: 'the first payment, asked for again now and as of 30 days later, and charged again',
  takes: 0,
  async play(session) {
    const payment = session.first;
    const states = [await session.inquire(payment), await session.inquire(payment, 30), await session.charge(payment)];
    const isSame = states.every(({ kind }) => kind === 'succeeded');
    expect(isSame, `/charges said succeeded, and it is now: ${allInWords(states)}`);
    await expectNoMoreThanOne(session, payment);
  },
};

/** A request of the token that is declined. @throws NotTried if there is none */
export function declinedRequest(session: Session) {
  const { declinedToken: token } = session.options;
  if (token === null) throw new NotTried('give --declined-token, of a payment method that your acquirer declines');
  return session.newRequest({ token });
}

/** The charges of a payment that /movements lists. */
async function chargesOf(session: Session, { reference }: Payment): Promise<Movement[]> {
  return (await session.listed()).filter((each) => each.kind === 'charge' && each.reference === reference);
}

/** That it is there at all is judged by the row of /movements. */
export async function expectNoMoreThanOne(session: Session, payment: Payment): Promise<void> {
  const { length } = await chargesOf(session, payment);
  const what = `${length} charges of ${payment.reference}`;
  expect(length <= 1, `/movements lists ${what}: give back all but one at your acquirer`);
}

/** @throws Broken if /movements lists a charge of a payment, such as one `of whom`. */
export async function expectNoCharge(session: Session, payment: Payment, ofWhat: string): Promise<void> {
  expect((await chargesOf(session, payment)).length === 0, `/movements lists a charge of a payment ${ofWhat}`);
}

/** The outcome of the last call of this path; null if it has none. */
export function lastOutcome(session: Session, path: string): string | null {
  const body = session.exchanges.findLast((exchange) => exchange.path === path)?.answer?.body ?? '';
  const [, outcome = null] = /"outcome"\s*:\s*"(\w+)"/.exec(body) ?? [];
  return outcome;
}
