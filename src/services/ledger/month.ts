import type { BalanceRow } from '../../db/balance.ts';
import { selectPosition } from '../../db/ledger.ts';
import { listMonth, type MonthRow } from '../../db/ledger-months.ts';
import { addMonths, dateIn, isPlainDate, type PlainDate, startOfDay } from '../../domain/calendar.ts';
import type { Id } from '../../domain/ids.ts';
import { withoutClock } from '../../domain/instants.ts';
import type { Db } from '../../platform/postgres/connection.ts';
import { fieldError } from '../../resources/field-errors.ts';
import { BadParameters } from '../errors.ts';
import type { RequestContext } from '../request-context.ts';
import { frozenTimeOf, getBalance } from './balance.ts';

/** Whose books: those of real time or of a test clock, in the biller's time zone. */
export interface Books extends Pick<RequestContext, 'billerId' | 'livemode' | 'now' | 'timeZone'> {
  testClock: Id<'test_clock'> | undefined;
}

/** A month of the books. */
export interface Month {
  /** Such as `2027-03`. */
  month: string;
  before: string;
  after: string;
  /** From this date on, and before the other, in the time zone of the biller. */
  from: PlainDate;
  to: PlainDate;
  currencies: MonthRow[];
  /** What there is at present, minor units. */
  present: BalanceRow[];
  /** The `sequence` of the last event that is posted. */
  completeUpTo: number;
}

/**
 * Returns a month of the biller's books; without a name the present one.
 * @throws BadParameters for a name that is no month from 2000 to 2099, and for an unknown test clock.
 */
export async function getMonth(db: Db, books: Books, name: string | null): Promise<Month> {
  const { testClock, timeZone } = books;
  const at = testClock === undefined ? withoutClock(books.now) : await frozenTimeOf(db, books, testClock);
  const from = name === null ? `${dateIn(at, timeZone).slice(0, 7)}-01` : `${name}-01`;
  if (!/^20\d\d-\d\d-01$/.test(from) || !isPlainDate(from)) {
    throw new BadParameters([fieldError('query/month', 'invalid_value', 'month must be like 2027-03, from 2000 on.')]);
  }
  const to = addMonths(from, 1);
  const [start, end] = [startOfDay(from, timeZone), startOfDay(to, timeZone)];
  const { posted } = await selectPosition(db, books);
  const currencies = await listMonth(db, books, { testClock: testClock ?? null, from: start, to: end });
  const { data: present } = await getBalance(db, books, testClock);
  const monthOf = (date: PlainDate) => date.slice(0, 7);
  return {
    ...{ month: monthOf(from), before: monthOf(addMonths(from, -1)), after: monthOf(to), from, to },
    ...{ currencies, present, completeUpTo: posted },
  };
}
