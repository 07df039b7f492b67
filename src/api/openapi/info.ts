import { fixtureCards } from '../../domain/cards.ts';
import { type CodeText, fieldCodes } from '../../resources/field-errors.ts';
import { declineCodes, errorCodes } from '../../services/error-codes.ts';

const outcomes = { succeeded: 'succeeds', requires_action: 'needs 3D Secure' };

function testCards(): string {
  const rows = fixtureCards.map(({ token, brand, last4, outcome }) => {
    const told = outcome.kind === 'failed' ? `fails with \`${outcome.code}\`` : outcomes[outcome.kind];
    return `| \`${token}\` | ${brand} ${last4} | ${told} |`;
  });
  return ['| Token | Card | When it is charged |', '| --- | --- | --- |', ...rows].join('\n');
}

/** The rules for all operations, in Markdown. */
export const introductionText = `
Payment collection for billers: customers and their saved payment methods, single payments, recurring plans, webhooks,
and test clocks that simulate time in the sandbox. The guides at \`/docs\` explain it step by step, with
samples for curl, TypeScript, Python and Go. This document has all the facts that they use.

## Where to begin

1. **A charge**: \`POST /customers\`, then \`POST /payment_methods\` with the customer and a test card, then
   \`POST /payment_intents\`, then its \`/confirm\` with the method. The \`status\` in the response is the result.
2. **A plan**: \`POST /payment_plans\` for a customer with a method, then its \`/activate\`. The service charges every
   due date. \`GET …/payments\` shows the results, \`GET …/schedule\` the coming payments.
3. **Months in a second**: \`POST /test_helpers/test_clocks\`, customers with that \`test_clock\`, then the clock’s
   \`/advance\`, up to its \`max_frozen_time\`. Then fetch the clock with \`Prefer: wait=60\` until it is \`ready\`.
   Repeat.
4. **Webhooks**: \`POST /webhook_endpoints\`, and store the \`secret\`. Verify each webhook by its \`webhook-signature\`
   header, return 2xx, and process each event once, by its \`id\`.

All these paths begin with \`/api/v1\`.

## Modes

A key belongs to one account and one mode, and has no access to the other mode. In \`sandbox\` a mock processor takes
the payments; \`live\` is for real money. Objects show their mode in \`livemode\`. Webhooks are sent in both.

In the sandbox you choose the outcome of a charge. The first of these that is given decides:

1. \`metadata._sandbox_outcome\`: \`succeed\`, \`decline\`, \`requires_action\`, \`timeout\`, or a list of them with
   commas in between. Each attempt takes the next one; the last one repeats.
2. The test card, whatever the amount.
3. The last two digits of the amount: \`01\` is declined (\`insufficient_funds\`), \`02\` needs 3D Secure, \`99\` times
   out.

Everything else succeeds. At a charge of a plan or a scheduled payment the payer is not present. A 3D Secure challenge
therefore fails there, with \`authentication_required\`. A refund fails with \`metadata._sandbox_refund_outcome\`
\`fail\`, or if its amount ends in \`03\`. A payout fails if \`metadata._sandbox_payout\` of one of its payments says
\`fail\`: a list of \`paid\` and \`fail\`, one for each payout that the payment is in; the last one repeats.

## Test cards

For \`type\` \`card\`, with \`token_metadata\` \`{"type": "fixture", "token": "…", "data": ""}\`:

${testCards()}

The sandbox also saves any other valid card or bank account. It follows the rules above. A bank account that has a
mandate is charged only while the mandate is active.

## Keys

Send \`Authorization: Bearer <key>\`. Secret keys (\`sk_…\`) are for servers and have scopes; each operation names the
scope that it needs. Publishable keys (\`pk_…\`) may be shown to browsers: they create payment methods. With the
\`client_secret\` of a payment intent, they fetch or confirm it, and accept a mandate for its customer. They see only
what a payer needs. They can confirm only with a method of the payment intent’s own customer, or with a method that has
no customer.

## Ids, time and money

- Ids are a prefix (\`cus_\`, \`pm_\`, \`pi_\`, …) and 32 characters, and sort by creation. Treat them as opaque.
- Instants are ISO 8601 in UTC. Dates are \`YYYY-MM-DD\` in the account’s time zone, by default UTC. A payment that is
  due on a date is due at 00:00 there. Objects of a customer on a test clock carry the time of that clock.
- Amounts are whole numbers of the smallest unit of the currency: 2500 is 25.00 AUD, or 2500 JPY.
- Texts are valid Unicode without the character U+0000. The schemas do not repeat this for each text.

## Pagination

Lists return \`{data, has_more}\`, newest first. To get the next page, pass the last id of a page as \`starting_after\`.
\`limit\` is 1 to 100. A page does not change while objects are added. A page of large objects may have fewer than
\`limit\` items, so rely only on \`has_more\`.

## Idempotency

Any POST accepts an \`Idempotency-Key\`. The first request with a key takes effect. The same request again returns the
same response, byte for byte, with \`Idempotent-Replayed: true\`. The key is kept for \`Idempotency-TTL\` seconds, by
default a day. With another method, path or body, the key returns \`idempotency_key_reused\`. All secret keys of an
account and mode share one set of idempotency keys. Publishable keys share another, where a key is kept for a day at
most. A request that failed without effect does not use up its key.

If a request ends without a response, or with 409, 429 or 5xx, repeat it with the same key. Nothing happens twice.

## Webhooks

Every event is posted to each endpoint that subscribes to it, and stored at \`GET /events\`. It can arrive more than
once, under the same \`id\`, and out of order. \`sequence\` rises by one with each event of an account and mode, without
gaps. For the fields and the signature, see *Webhooks* at the end of this page. For the retries, see
\`POST /webhook_endpoints\`.

## Rate limits

Each key has its own limit: normally 500 requests a second, with bursts of 1,000. \`RateLimit-Policy\` and \`RateLimit\`
in the response show the limit and what is left of it. A request over the limit returns 429, with \`Retry-After\` in
seconds. A body counts as one more request for each 16 KiB that it begins beyond the first. A body has at most 1,000
members, on all levels together, and at most 16 KiB, unless the operation names another limit at its status 413.

## Versioning

This is version 1.0.0, and every path begins with \`/api/v1\`. Fields, event types and codes may be added without a new
version: ignore those that you do not know. Requests are read strictly: an unknown field is refused, never dropped.

## Errors

Every response that is not a success has the same body: \`{error: {message, type, code, details, request_id}}\`. Use
\`code\` in programs. \`details\` has every field error of the request. Every response has a \`Request-Id\` header. No
operation lists 405: a known path with another method returns it, with \`Allow\`. An unknown path returns 404. Both are
described in the member \`x-unmatched-requests\` of this document. HEAD works wherever GET does.
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
  description: [introductionText, codeTables].join('\n\n'),
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
