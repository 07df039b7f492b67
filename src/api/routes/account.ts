import { Account, accounts, presentAccount } from '../../resources/account.ts';
import { getBillerProfile } from '../../services/accounts/biller-profile.ts';
import { type Route, route } from '../http/route.ts';

const fetch = route({
  method: 'GET',
  path: '/api/v1/account',
  operation: 'getAccount',
  tag: accounts,
  summary: 'Fetch your account as payers see it',
  description:
    'What the pages for payers show about you, your time zone, your country and your tax. An operator changes it (`npm run ' +
    'billers -- update`). It is the same in both modes.',
  access: { scope: 'payment_intents:read' },
  invalid: 400,
  response: { status: 200, schema: Account },
  handle: async ({ context, deps }) => presentAccount(await getBillerProfile(deps.db, context.billerId)),
});

export const accountRoutes: Route[] = [fetch];
