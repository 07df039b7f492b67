import { businessDaysFrom } from '../../domain/business-days/business-days.ts';
import { schemes } from '../../domain/schemes/schemes.ts';
import { BusinessDays, businessDayQuery, defaultDays } from '../../resources/business-day.ts';
import { Strict } from '../../resources/common.ts';
import { fieldError } from '../../resources/field-errors.ts';
import { mandates } from '../../resources/mandate.ts';
import { BadParameters } from '../../services/errors.ts';
import { type Route, route } from '../http/route.ts';

const list = route({
  method: 'GET',
  path: '/api/v1/business_days',
  operation: 'listBusinessDays',
  tag: mandates,
  summary: 'List the business days of a debit scheme',
  description:
    'The days on which the banks of the scheme settle, from a date on, oldest first. They are not a country’s ' +
    'working days. The calendar has the years 2000 to 2099.',
  access: { scope: 'mandates:read' },
  invalid: 422,
  query: Strict(businessDayQuery),
  response: { status: 200, schema: BusinessDays },
  handle: async ({ query: { scheme, from, count = defaultDays } }) => {
    if (from < '2000-01-01' || from > '2099-12-31') {
      throw new BadParameters([fieldError('query/from', 'out_of_range', 'from must be in the years 2000 to 2099.')]);
    }
    const days = businessDaysFrom(schemes[scheme].calendar, from, count + 1);
    return { data: days.slice(0, count), has_more: days.length > count };
  },
});

export const businessDayRoutes: Route[] = [list];
