import { inParallel, range } from '../../../lab/parallel.ts';
import { newId } from '../../../src/domain/ids.ts';
import { addMs } from '../../../src/domain/instants.ts';
import { expect, type Row } from '../row.ts';
import { known } from '../session.ts';

const atOnce = 10;

export const reservationRows: readonly Row[] = [
  {
    promise: 'A reservation is charged at most once',
    plays: 'a payment is reserved, and charged',
    takes: 1,
    isFirst: true,
    async play(session) {
      session.first = await session.paid();
    },
  },
  {
    promise: 'A key reserves one payment',
    plays: `${atOnce} times at once, and again with another payment_intent_id, attempt, opened_at and metadata`,
    takes: 0,
    async play(session) {
      const request = session.newRequest();
      const first = await inParallel(range(atOnce), atOnce, () => known(session.reserve(request)));
      const other = {
        ...request,
        paymentIntentId: newId('payment_intent', session.options),
        attempt: 2,
        openedAt: addMs(request.openedAt, 60_000),
        metadata: { restored: 'yes' },
      };
      const again = [await session.reserve(request), await session.reserve(other)];
      const references = new Set([...first, ...again].flatMap((payment) => payment?.reference ?? []));
      expect(references.size === 1, `/prepare gave ${references.size} references under one key`);
    },
  },
  {
    promise: 'A key reserves one payment',
    plays: 'with another amount or another currency, not as if it were the same',
    takes: 0,
    async play(session) {
      const { request, reference } = await session.reserve();
      const { totalAmount, currency } = request;
      for (const [what, other] of [
        ['amount', { amount: totalAmount + 100, totalAmount: totalAmount + 100 }],
        ['currency', { currency: currency === 'AUD' ? 'NZD' : 'AUD' }],
      ] as const) {
        const answer = await known(session.client.prepare({ ...request, ...other }));
        const isTheSame = answer?.kind === 'reserved' && answer.reference === reference;
        expect(!isTheSame, `/prepare gave the same reference for another ${what} under the key`);
      }
    },
  },
];
