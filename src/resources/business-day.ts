import Type from 'typebox';
import { Strict } from './common.ts';
import { example } from './examples.ts';
import { Scheme } from './mandate.ts';

/** How many business days a response has, unless the query says otherwise. */
export const defaultDays = 20;

export const businessDayQuery = {
  scheme: Scheme,
  from: Type.String({ format: 'date', description: 'The first date, which is included if it is a business day.' }),
  count: Type.Optional(
    Type.Integer({ minimum: 1, maximum: 100, description: `How many, 1 to 100; by default ${defaultDays}.` }),
  ),
};

export const BusinessDays = Strict(
  {
    data: Type.Array(Type.String({ format: 'date' }), { description: 'On the scheme’s clock, in order.' }),
    has_more: Type.Boolean({ description: 'Whether more follow: false at the end of the calendar, in 2099.' }),
  },
  { title: 'BusinessDays' },
);
example(BusinessDays, { data: ['2027-03-30', '2027-03-31', '2027-04-01'], has_more: true });
