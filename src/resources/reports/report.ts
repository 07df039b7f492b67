import Type, { type Static, type TObject, type TProperties, type TSchema } from 'typebox';
import { Reference, Strict, type Tag } from '../common.ts';
import { example } from '../examples.ts';

export const reports: Tag = {
  name: 'Reports',
  description:
    'What finance reads, as JSON or as CSV, with the same columns in both. Amounts are minor units, instants are UTC. ' +
    'Reports leave out what is on test clocks, unless `test_clock` names one.',
};

/** Rows on their way to a client: read in batches, shown as JSON or as CSV. */
export interface Table {
  /** The name of the file, without its ending. */
  name: string;
  /** The columns, in their order. */
  columns: readonly string[];
  /** What JSON has besides the rows. */
  members?: object;
  /** The rows, in batches. Each row has a member for each column. Ends its reading if it is left early. */
  batches: AsyncIterable<readonly object[]>;
}

/**
 * The response of a route that returns a table: its members, and its rows as `data`. A report has only the columns that
 * were asked for, so no member of a row is required. `shown` is the example of the documentation.
 */
export function TableOf(row: TObject, title: string, shown: { data: object[] }, members: TProperties = {}) {
  const some = Type.Partial(row, { additionalProperties: false, title: `${title}Row` });
  const table = Type.Unsafe<Table>(Strict({ ...members, data: Type.Array(some) }, { title }));
  example<TSchema>(table, shown);
  return table;
}

const instantOrDate = (description: string) =>
  Type.Union([Type.String({ format: 'date' }), Type.String({ format: 'date-time' })], { description });

const range = {
  from: instantOrDate('The first instant, or the first date in `timezone`.'),
  to: instantOrDate('The instant, or the date in `timezone`, before which it ends. At most 400 days after `from`.'),
};

const someRange = { from: Type.Optional(range.from), to: Type.Optional(range.to) };

const timezone = Type.Optional(
  Type.String({
    maxLength: 100,
    description: 'The time zone of dates, an IANA name. By default that of your account.',
  }),
);

const others = {
  timezone,
  columns: Type.Optional(
    Type.String({ maxLength: 1000, description: 'The columns, separated by commas, in this order. By default all.' }),
  ),
  test_clock: Type.Optional(Reference<'test_clock'>('What is on this test clock, at its time.')),
};

/** The query of a report about what happened in a range. */
export const ReportOfRange = Strict({ ...range, ...others });
/** The query of a report about how things are now, which a range narrows. */
export const ReportOfNow = Strict({ ...someRange, ...others });
/** The query of a report about one customer, who is on one test clock or none. */
export const StatementQuery = Strict({ ...someRange, timezone });

export type ReportQuery = Static<typeof ReportOfNow>;
export type StatementQuery = Static<typeof StatementQuery>;
