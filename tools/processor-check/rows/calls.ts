import { chargeOutcomeOf, refundOutcomeOf } from '../../../src/processors/http-answers.ts';
import { expect, type Row } from '../row.ts';
import { outcomeIn } from '../session.ts';
import { partOf } from './refunds.ts';

const optional = ['/notices', '/setups', '/setups/inquire', '/methods/inquire'];
const needed = ['/prepare', '/charges', '/inquire', '/cancel', '/refunds', '/refunds/inquire', '/movements'];
const paths = [...needed, ...optional];
const mostBytes = 1024 * 1024;

export const callRows: readonly Row[] = [
  {
    promise: 'A call with a wrong secret takes nothing',
    plays: `all ${paths.length} calls with another secret, and a charge without one: 401 or 403`,
    takes: 0,
    async play(session) {
      const payment = await session.reserve();
      const { idempotencyKey: key } = payment.request;
      const body = JSON.stringify({ ...session.chargeBody(payment), after: null, token: session.options.token });
      const { secret } = session.options;
      const calls = [...paths.map((path) => [path, `${secret.slice(0, -1)}~`] as const), ['/charges', null] as const];
      for (const [path, wrong] of calls) {
        const answer = await session.post(path, { key, body, secret: wrong });
        const isMissing = optional.includes(path) && answer?.status === 404;
        const isRefused = answer?.status === 401 || answer?.status === 403 || isMissing;
        const what = wrong === null ? 'without a secret' : 'with a wrong secret';
        expect(isRefused, `${path} ${what} responds ${answer?.status ?? 'nothing'}, not 401 or 403`);
      }
      const state = await session.inquire(payment);
      expect(state.kind === 'not_charged', `after calls with a wrong secret, /inquire says ${state.kind}`);
    },
  },
  {
    promise: 'Nothing is taken by a call that is not whole',
    plays: 'JSON that breaks off, a body of 1 MiB and one byte, and no Idempotency-Key',
    takes: 0,
    async play(session) {
      const payment = await session.reserve();
      const { idempotencyKey: key } = payment.request;
      const charge = JSON.stringify(session.chargeBody(payment));
      session.mayBeCharged(payment);
      for (const [what, body, sentKey] of spoiled(charge, key)) {
        const answer = await session.post('/charges', { key: sentKey, body });
        const outcome = outcomeIn(answer, (each) => chargeOutcomeOf(each, payment.request, payment.reference));
        expect(outcome === null, `/charges with ${what} says ${outcome?.kind}`);
        const state = await session.inquire(payment);
        expect(state.kind === 'not_charged', `after /charges with ${what}, /inquire says ${state.kind}`);
      }
      const asked = session.newRefund(session.first, partOf(session));
      await session.inquireRefund(asked);
      const refund = JSON.stringify(session.refundBody(asked));
      for (const [what, body, sentKey] of spoiled(refund, asked.idempotencyKey)) {
        const answer = await session.post('/refunds', { key: sentKey, body });
        const outcome = outcomeIn(answer, (each) => refundOutcomeOf(each, asked.idempotencyKey));
        expect(outcome?.kind !== 'succeeded', `/refunds with ${what} says succeeded`);
        const state = await session.inquireRefund(asked);
        expect(state.kind !== 'succeeded', `after /refunds with ${what}, /refunds/inquire says ${state.kind}`);
      }
    },
  },
];

/** The call in three ways in which it is not whole. */
function spoiled(body: string, key: string): [what: string, body: string, key: string | null][] {
  const padding = ' '.repeat(mostBytes + 1 - body.length);
  return [
    ['JSON that breaks off', body.slice(0, -2), key],
    ['a body of 1 MiB and one byte', `${body}${padding}`, key],
    ['no Idempotency-Key', body, null],
  ];
}
