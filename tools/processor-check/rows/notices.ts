import { isDeepStrictEqual } from 'node:util';
import { namedId } from '../../../src/domain/ids.ts';
import type { Notices } from '../../../src/processors/processor.ts';
import { expect, NotOffered, type Row } from '../row.ts';
import { known, type Session } from '../session.ts';

/** How long a call for notices is let wait here. A service that does not wait answers at once. */
const patienceMs = 500;

export const noticeRows: readonly Row[] = [
  {
    promise: 'Without a cursor there are no notices',
    plays: 'none, and the cursor of the present end',
    takes: 0,
    async play(session) {
      const { notices, hasMore } = await noticesOf(session, null);
      expect(notices.length === 0, `/notices without a cursor has ${notices.length}`);
      expect(!hasMore, '/notices without a cursor says has_more');
    },
  },
  {
    promise: 'it waits for the first',
    plays: 'a call without a notice is not answered within half a second',
    takes: 0,
    async play(session) {
      const { cursor } = await noticesOf(session, null);
      const startedAt = performance.now();
      const page = await known(session.client.notices(cursor, AbortSignal.timeout(patienceMs)));
      const waitedMs = Math.round(performance.now() - startedAt);
      const isNew = page === null || page.notices.length > 0;
      expect(isNew, `/notices has none, and answers after ${waitedMs} ms: it would be asked all the time`);
    },
  },
  {
    promise: 'A notice names a payment that your service has given',
    plays: 'each notice of this run, and the same ones after the same cursor',
    takes: 1,
    async play(session) {
      const { cursor } = await noticesOf(session, null);
      const payment = await session.paid();
      const { account } = session.options;
      const first = await session.noticesSince(cursor, patienceMs);
      const again = await session.noticesSince(cursor, patienceMs);
      expect(isDeepStrictEqual(again.slice(0, first.length), first), 'two lists after the same cursor differ');
      for (const { reference, billerId } of first.filter((each) => account === null || each.billerId === account)) {
        const request = { ...payment.request, billerId: namedId('biller', billerId) };
        const state = await known(session.inquire({ request, reference }));
        expect(state !== null, `a notice names ${reference} of ${billerId}, and /inquire does not know it`);
      }
    },
  },
];

/** @throws NotOffered if the service has no notices */
async function noticesOf(session: Session, after: string | null): Promise<Notices> {
  const page = await session.client.notices(after, AbortSignal.timeout(35_000));
  if (page === null) throw new NotOffered('the service has no /notices');
  return page;
}
