import { Type } from 'typebox';

/** What the routes of tests have in common: public, and in a document of their own. */
export const testRoute = {
  method: 'GET',
  tag: { name: 'Test', description: 'For tests.' },
  summary: 'For tests',
  access: 'public',
  invalid: 400,
  response: { status: 200, schema: Type.Unknown() },
} as const;
