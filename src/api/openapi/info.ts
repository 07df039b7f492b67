import { detailCodes } from '../../services/detail-codes.ts';
import { type CodeText, declineCodes, errorCodes } from '../../services/error-codes.ts';

/** What each tag of the routes is about. */
export const tagDescriptions: Readonly<Record<string, string>> = {
  Customers: 'The payers, with their saved payment methods.',
  'Payment methods':
    'Saved instruments. Cards and Australian bank accounts can be made here; Klarna, PayID and PayPal can be read, and in ' +
    'the sandbox a test helper makes them.',
  'Payment intents':
    'Single charges: created on your server, confirmed with a saved payment method. `payment_intent.succeeded` is what ' +
    'completes a payment.',
  Refunds: 'Money given back, in whole or in part.',
  'Payment plans':
    'Recurring schedules. The service makes a payment intent for each due date, charges the saved method, and tries again ' +
    'after failures.',
  'Test clocks':
    'Sandbox only: simulated time for chosen customers, so that renewals, retries and expiry happen when you ask for them.',
  Events: 'What has happened, kept and numbered, whether a webhook told of it or not.',
  Webhooks: 'Where events are posted to, and how each delivery went.',
  Health: 'For whoever runs the service.',
  Reference: 'This documentation.',
};

const introduction = `
Payment collection for billers: customers and their saved payment methods, single payments, recurring plans, webhooks, and
test clocks that make time pass in the sandbox.

## Modes

Every key belongs to one account and to one of two modes, and sees nothing of the other: \`sandbox\`, where a mock processor
takes the payments, and \`live\`. Objects say which in \`livemode\`. Webhooks are sent in both.

In the sandbox the outcome of a charge is yours to choose: by \`metadata._sandbox_outcome\` (\`succeed\`, \`decline\`,
\`requires_action\`, \`timeout\`, or a list of them, one for each attempt), else by the fixture token of the saved method,
else by the last two digits of the amount: \`01\` is declined, \`02\` needs 3D Secure, \`99\` times out. Everything else succeeds.

## Keys

Send \`Authorization: Bearer <key>\`. Secret keys (\`sk_…\`) are for servers and hold scopes; each operation names the one it
needs. Publishable keys (\`pk_…\`) may be shown to browsers: they create payment methods, and fetch or confirm a payment
intent with its \`client_secret\`.

## Ids, time and money

- Ids are a prefix (\`cus_\`, \`pm_\`, \`pi_\`, …) and 32 characters, and sort by creation. Treat them as opaque.
- Instants are ISO 8601 in UTC; dates are \`YYYY-MM-DD\` in the account’s time zone. What belongs to a customer on a test clock
  carries the time of that clock.
- Amounts are whole numbers of the smallest unit of the currency: 2500 is 25.00 AUD, or 2500 JPY.

## Pagination

Lists answer \`{data, has_more}\`, newest first. Give the last id of a page as \`starting_after\` to get the next one; \`limit\`
is 1 to 100. A page stays what it is while objects are added.

## Idempotency

Any POST takes an \`Idempotency-Key\`. The first request with a key has its effect; the same request again gets the same
answer, byte for byte, with \`Idempotent-Replayed: true\`, for as long as \`Idempotency-TTL\` says (a day). The key with another
method, path or body is \`idempotency_key_reused\`. A request that failed without an effect leaves its key free. Repeat whatever
ended without an answer, or with 409, 429 or 5xx, with the same key: nothing happens twice.

## Rate limits

Each key has its own limit: normally 500 requests a second, with bursts of 1,000. \`RateLimit-Policy\` and \`RateLimit\` in
the answers tell the limit and what is left of it; beyond it the answer is 429, with \`Retry-After\` in seconds.

## Versioning

This is version 1.0.0, and every path begins with \`/api/v1\`. Fields, event types and codes may be added without a new
version: ignore those that you do not know. Requests are read strictly: an unknown field is refused, never dropped.

## Errors

Every answer that is not a success has the same body: \`{error: {message, type, code, details, request_id}}\`. Go by
\`code\`; \`details\` names every fault of the request. The answer to every request carries its \`Request-Id\`. No operation
answers 405, so none lists it: a path with another method does, with \`Allow\`, and an unknown path 404 (the member
\`x-unmatched-requests\` of this document). GET may be HEAD everywhere.
`.trim();

/** What stands before the operations: the rules that hold for all of them, and every code with its meaning. */
export const info = {
  title: 'Payments Service',
  version: '1.0.0',
  description: [
    introduction,
    section('Codes of errors', errorCodes, ({ statuses }) => statuses.join(', ')),
    section('Codes of details', detailCodes),
    section('Codes of failed payments', declineCodes),
  ].join('\n\n'),
};

function section<T extends CodeText>(
  title: string,
  codes: Readonly<Record<string, T>>,
  statuses?: (code: T) => string,
) {
  const rows = Object.entries(codes).map(([code, text]) =>
    ['', `\`${code}\``, ...(statuses ? [statuses(text)] : []), text.meaning, text.remedy, ''].join(' | ').trim(),
  );
  const head = ['', 'Code', ...(statuses ? ['Status'] : []), 'Meaning', 'What to do', ''];
  const rule = head.map((cell) => (cell === '' ? '' : '---'));
  return [`### ${title}`, '', head.join(' | ').trim(), rule.join(' | ').trim(), ...rows].join('\n');
}
