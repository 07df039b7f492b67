import { fixtureCards } from '../../domain/cards.ts';
import { type CodeText, fieldCodes } from '../../resources/field-errors.ts';
import { declineCodes, errorCodes } from '../../services/error-codes.ts';

/** The description of each tag. */
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

const outcomes = { succeeded: 'succeeds', requires_action: 'needs 3D Secure' };

function testCards(): string {
  const rows = fixtureCards.map(({ token, brand, last4, outcome }) => {
    const told = outcome.kind === 'failed' ? `fails with \`${outcome.code}\`` : outcomes[outcome.kind];
    return `| \`${token}\` | ${brand} ${last4} | ${told} |`;
  });
  return ['| Token | Card | When it is charged |', '| --- | --- | --- |', ...rows].join('\n');
}

const introduction = `
Payment collection for billers: customers and their saved payment methods, single payments, recurring plans, webhooks, and
test clocks that make time pass in the sandbox. The guides in \`docs/api\` of the service’s repository go through it step by
step, with samples for curl, TypeScript, Python and Go; all that they need is on this page too.

## Where to begin

1. **A charge**: \`POST /customers\`, then \`POST /payment_methods\` with the customer and a test card, then
   \`POST /payment_intents\`, then its \`/confirm\` with the method. The answer’s \`status\` is what came of it.
2. **A plan**: \`POST /payment_plans\` for a customer with a method, then its \`/activate\`. Every due date is charged by itself;
   \`GET …/payments\` tells what became of each, \`GET …/schedule\` what comes next.
3. **Months in a second**: \`POST /test_helpers/test_clocks\`, customers with that \`test_clock\`, then the clock’s \`/advance\`, as
   far as its \`max_frozen_time\`; then fetch the clock with \`Prefer: wait=60\` until it is \`ready\`. Repeat.
4. **Webhooks**: \`POST /webhook_endpoints\`, keep the \`secret\`, verify what comes by the header \`webhook-signature\`, answer 2xx,
   and take each event once, by its \`id\`.

All of these paths begin with \`/api/v1\`.

## Modes

Every key belongs to one account and to one of two modes, and sees nothing of the other: \`sandbox\`, where a mock processor
takes the payments, and \`live\`. Objects say which in \`livemode\`. Webhooks are sent in both.

In the sandbox the outcome of a charge is yours to choose: by \`metadata._sandbox_outcome\` (\`succeed\`, \`decline\`,
\`requires_action\`, \`timeout\`, or a list of them with commas between, one for each attempt, the last one repeated), else by the
test card, whatever the amount, else by the last two digits of the amount: \`01\` is declined (\`insufficient_funds\`), \`02\` needs
3D Secure, \`99\` times out. Everything else succeeds. Nobody is present at the charge of a plan or a scheduled payment, so that a
3D Secure challenge fails there, with \`authentication_required\`. A refund fails with \`metadata._sandbox_refund_outcome\`
\`fail\`, or when its amount ends in \`03\`.

## Test cards

Of \`type\` \`card\`, with \`token_metadata\` \`{"type": "fixture", "token": "…", "data": ""}\`:

${testCards()}

Any other card or bank account that is well formed can be saved in the sandbox, and follows the rules above.

## Keys

Send \`Authorization: Bearer <key>\`. Secret keys (\`sk_…\`) are for servers and hold scopes; each operation names the one it
needs. Publishable keys (\`pk_…\`) may be shown to browsers: they create payment methods, and fetch or confirm a payment
intent with its \`client_secret\`. They see of it what a payer needs, and confirm it with a method of its own customer or with one
that belongs to no customer.

## Ids, time and money

- Ids are a prefix (\`cus_\`, \`pm_\`, \`pi_\`, …) and 32 characters, and sort by creation. Treat them as opaque.
- Instants are ISO 8601 in UTC; dates are \`YYYY-MM-DD\` in the account’s time zone, which is UTC unless it was made with another,
  and what is due on a date is due at 00:00 there. What belongs to a customer on a test clock carries the time of that clock.
- Amounts are whole numbers of the smallest unit of the currency: 2500 is 25.00 AUD, or 2500 JPY.

## Pagination

Lists answer \`{data, has_more}\`, newest first. Give the last id of a page as \`starting_after\` to get the next one; \`limit\`
is 1 to 100. A page stays what it is while objects are added. A page of large objects may hold fewer than \`limit\`: only
\`has_more\` says whether more follow.

## Idempotency

Any POST takes an \`Idempotency-Key\`. The first request with a key has its effect; the same request again gets the same
answer, byte for byte, with \`Idempotent-Replayed: true\`, for as long as \`Idempotency-TTL\` says (a day). The key with another
method, path or body is \`idempotency_key_reused\`. Secret keys of an account and mode share one space of such keys;
publishable keys share another, where a key lives for a day at most. A request that failed without an effect leaves its key free. Repeat whatever
ended without an answer, or with 409, 429 or 5xx, with the same key: nothing happens twice.

## Webhooks

Every event is posted to each endpoint that subscribes to it, and kept at \`GET /events\`. It can come more than once, under the same
\`id\`, and in another order than it happened: \`sequence\` rises by one from event to event of an account and mode, without gaps.
What each type carries, and how it is signed, is under *Webhooks* at the end of this page; when it is tried again, at
\`POST /webhook_endpoints\`.

## Rate limits

Each key has its own limit: normally 500 requests a second, with bursts of 1,000. \`RateLimit-Policy\` and \`RateLimit\` in
the answers tell the limit and what is left of it; beyond it the answer is 429, with \`Retry-After\` in seconds. A body
counts as one more request for each 16 KiB that it begins beyond the first. Bodies have at most 1,000 members on all levels
together, and at most 16 KiB unless the operation says otherwise, at its status 413.

## Versioning

This is version 1.0.0, and every path begins with \`/api/v1\`. Fields, event types and codes may be added without a new
version: ignore those that you do not know. Requests are read strictly: an unknown field is refused, never dropped.

## Errors

Every answer that is not a success has the same body: \`{error: {message, type, code, details, request_id}}\`. Go by
\`code\`; \`details\` names every fault of the request. The answer to every request carries its \`Request-Id\`. No operation
answers 405, so none lists it: a path with another method does, with \`Allow\`, and an unknown path 404 (the member
\`x-unmatched-requests\` of this document). GET may be HEAD everywhere.
`.trim();

/** Markdown tables of every code, with its meaning and what to do. */
export const codeTables = [
  tableOf('Codes of errors', errorCodes, ({ statuses }) => statuses.join(', ')),
  tableOf('Codes of details', fieldCodes),
  tableOf('Codes of failed payments', declineCodes),
].join('\n\n');

/** The introduction of the document: the rules for all operations, and every code with its meaning. */
export const info = {
  title: 'Payments Service',
  version: '1.0.0',
  description: [introduction, codeTables].join('\n\n'),
};

function tableOf<T extends CodeText>(
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
