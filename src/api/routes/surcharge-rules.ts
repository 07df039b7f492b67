import { dateIn } from '../../domain/calendar.ts';
import { withoutClock } from '../../domain/instants.ts';
import { rulesHolding } from '../../domain/surcharges/surcharge.ts';
import { accounts } from '../../resources/account.ts';
import { presentSurchargeRule, SurchargeRules } from '../../resources/surcharge-rule.ts';
import { type Route, route } from '../http/route.ts';

const list = route({
  method: 'GET',
  path: '/api/v1/surcharge_rules',
  operation: 'listSurchargeRules',
  tag: accounts,
  summary: 'List the surcharge rules that apply to your account',
  description:
    'Which surcharges the service adds to your payments today, by your country and by your stated ' +
    'cost of acceptance. An operator sets both (`npm run billers -- update`). If two rules apply to one payment, the ' +
    'stricter one counts. A payment on a test clock follows the rules of its clock’s date.',
  access: { scope: 'payment_intents:read' },
  invalid: 400,
  response: { status: 200, schema: SurchargeRules },
  handle: async ({ context }) => {
    const date = dateIn(withoutClock(context.now), context.timeZone);
    const data = rulesHolding(context, date).map(presentSurchargeRule);
    return { country: context.country, date, data, has_more: false };
  },
});

export const surchargeRuleRoutes: Route[] = [list];
