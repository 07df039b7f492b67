import Type from 'typebox';
import { withoutClock } from '../../domain/instants.ts';
import { dateQuery, ListOf, listQuery, page, Reference, Strict } from '../../resources/common.ts';
import {
  Mandate,
  MandateByKey,
  MandateStatus,
  MandateText,
  mandateExample,
  mandates,
  presentMandate,
  presentMandateToPayer,
} from '../../resources/mandate.ts';
import { MandateAccept, MandateCancel, MandateCreate, MandateNoticeSent } from '../../resources/mandate-input.ts';
import { getMandateDocument, getMandateText } from '../../services/mandates/mandate-document.ts';
import { cancelMandate, cancelMandateAsPayer } from '../../services/mandates/mandate-ends.ts';
import {
  acceptMandate,
  createMandate,
  getMandate,
  listMandates,
  type MandateNow,
} from '../../services/mandates/mandates.ts';
import { recordNoticeSent } from '../../services/mandates/notices.ts';
import { acceptMandateOfPayer, createMandateOfPayer } from '../../services/payments/payer-mandates.ts';
import { stopDebits } from '../../services/subjects/charge-hook.ts';
import { mandateDocument } from '../documents/mandate.ts';
import { documentPolicy } from '../documents/paper.ts';
import { type KeyIdentity, type Route, route } from '../http/route.ts';

const read = { scope: 'mandates:read' } as const;
const endedExample = { ...mandateExample, next_possible_charge_date: null, ended_at: mandateExample.updated_at };

const create = route({
  method: 'POST',
  path: '/api/v1/mandates',
  operation: 'createMandate',
  tag: mandates,
  summary: 'Create a mandate for a bank account',
  description:
    'Without `acceptance` the mandate is `pending` until you send it. With `acceptance` it is `active` at once. Show ' +
    'the payer the text first, and send its version and hash. An account has at most one mandate that has not ended: ' +
    'a second one is refused with `mandate_exists`, and the error has its `mandate_id`. Sends `mandate.created`, and ' +
    '`mandate.activated` with an acceptance.\n\nA publishable key needs the client_secret of a payment intent that ' +
    'can still be confirmed. It accepts a mandate online for the customer of that payment intent, with a payment ' +
    'method that could confirm it. It cannot set the terms: create the mandate with a secret key if there are any. ' +
    'The response has what a payer needs (`MandateForPayer`).',
  access: { scope: 'mandates:write', publishable: true },
  invalid: 422,
  body: MandateCreate,
  response: { status: 201, schema: MandateByKey, example: mandateExample },
  handle: async ({ context, key, body, deps }) => {
    if (key.kind === 'secret') return shownTo(key, await createMandate(deps.db, context, body));
    return shownTo(key, await createMandateOfPayer(deps.db, deps.vault, context, body));
  },
});

const list = route({
  method: 'GET',
  path: '/api/v1/mandates',
  operation: 'listMandates',
  tag: mandates,
  summary: 'List mandates, newest first',
  access: read,
  invalid: 422,
  query: Strict({
    ...listQuery,
    ...dateQuery,
    customer_id: Type.Optional(Reference<'customer'>('Only mandates of this customer.')),
    payment_method_id: Type.Optional(Reference<'payment_method'>('Only mandates of this bank account.')),
    status: Type.Optional(MandateStatus),
    test_clock: Type.Optional(Reference<'test_clock'>('Only mandates of customers on this test clock.')),
  }),
  response: { status: 200, schema: ListOf(Mandate) },
  handle: async ({ context, query, deps }) => {
    const { customer_id: customerId, payment_method_id: paymentMethodId, status, test_clock: testClock } = query;
    const filter = { customerId, paymentMethodId, status, testClock };
    const rows = await listMandates(deps.db, context, filter, query);
    return page(rows, (row) => presentMandate(row, row.frozen_time ?? withoutClock(context.now)));
  },
});

const fetch = route({
  method: 'GET',
  path: '/api/v1/mandates/:mandate_id',
  operation: 'getMandate',
  tag: mandates,
  summary: 'Fetch a mandate',
  access: read,
  invalid: 422,
  response: { status: 200, schema: Mandate },
  handle: async ({ context, params, deps }) => {
    const mandate = await getMandate(deps.db, context, params.mandate_id);
    return presentMandate(mandate, mandate.frozen_time ?? withoutClock(context.now));
  },
});

const document = route({
  method: 'GET',
  path: '/api/v1/mandates/:mandate_id/document',
  operation: 'getMandateDocument',
  tag: mandates,
  summary: 'Print a mandate with its evidence',
  description:
    'A page to print: names, BSB, the last digits of the account number, the text that the payer agreed to, word for ' +
    'word, and how the payer agreed. It stays the same after the text or the name of the account has changed.',
  access: read,
  invalid: 422,
  response: {
    status: 200,
    schema: Type.String(),
    contentType: 'text/html; charset=utf-8',
    headers: { 'Content-Security-Policy': documentPolicy },
  },
  handle: async ({ context, params, deps }) =>
    mandateDocument(await getMandateDocument(deps.db, context, params.mandate_id)),
});

const accept = route({
  method: 'POST',
  path: '/api/v1/mandates/:mandate_id/accept',
  operation: 'acceptMandate',
  tag: mandates,
  summary: 'Record that the payer has agreed to a mandate',
  description:
    'Allowed from `pending`; the mandate becomes `active`. Sends `mandate.activated`.\n\nA publishable key needs the ' +
    'client_secret of a payment intent of the mandate’s customer that can still be confirmed, and accepts online ' +
    'only. The response then has what a payer needs (`MandateForPayer`).',
  access: { scope: 'mandates:write', publishable: true },
  invalid: 422,
  body: MandateAccept,
  response: { status: 200, schema: MandateByKey, example: mandateExample },
  handle: async ({ context, key, params, body, deps }) => {
    const id = params.mandate_id;
    if (key.kind === 'secret') return shownTo(key, await acceptMandate(deps.db, context, id, body));
    return shownTo(key, await acceptMandateOfPayer(deps.db, deps.vault, context, id, body));
  },
});

const cancel = route({
  method: 'POST',
  path: '/api/v1/mandates/:mandate_id/cancel',
  operation: 'cancelMandate',
  tag: mandates,
  summary: 'Cancel a mandate',
  description:
    'Allowed from `pending` and `active`, for good. After this response the account is not debited. Sends ' +
    '`mandate.canceled`.',
  access: { scope: 'mandates:write' },
  invalid: 422,
  body: MandateCancel,
  response: {
    status: 200,
    schema: Mandate,
    example: {
      ...endedExample,
      status: 'canceled',
      status_reason: 'requested',
      cancellation_reason: 'Membership ended',
    },
  },
  handle: async ({ context, params, body, deps }) =>
    shown(await cancelMandate(deps.db, context, params.mandate_id, body, stopDebits)),
});

const notice = route({
  method: 'POST',
  path: '/api/v1/mandates/:mandate_id/notices',
  operation: 'recordMandateNotice',
  tag: mandates,
  summary: 'Record that you have sent a notice to the payer',
  description:
    'The service sends nothing to payers. `notices` of the mandate says what is due: a confirmation when the mandate ' +
    'becomes active, and a notice when you change the amount of a plan that is debited under it (event ' +
    '`mandate.notice_due`). Send it, and record it here: the open notice of this kind is then sent. If none is open, ' +
    'one more is added. A mandate keeps 100 notices.',
  access: { scope: 'mandates:write' },
  invalid: 422,
  body: MandateNoticeSent,
  response: {
    status: 200,
    schema: Mandate,
    example: {
      ...mandateExample,
      notices: [{ kind: 'confirmation', due_by: '2027-01-05', sent_at: mandateExample.created_at, channel: 'email' }],
    },
  },
  handle: async ({ context, params, body, deps }) =>
    shown(await recordNoticeSent(deps.db, context, params.mandate_id, body)),
});

const payerCancels = route({
  method: 'POST',
  path: '/api/v1/test_helpers/mandates/:mandate_id/payer_cancels',
  operation: 'cancelMandateAsPayer',
  tag: mandates,
  summary: 'Cancel a mandate as the payer would at the bank',
  description: 'Allowed from `active`. Sends `mandate.canceled`.',
  access: { scope: 'mandates:write', sandboxOnly: true },
  invalid: 422,
  response: {
    status: 200,
    schema: Mandate,
    example: { ...endedExample, status: 'canceled', status_reason: 'payer_canceled' },
  },
  handle: async ({ context, params, deps }) =>
    shown(await cancelMandateAsPayer(deps.db, context, params.mandate_id, stopDebits)),
});

const text = route({
  method: 'GET',
  path: '/api/v1/mandate_texts/au_becs',
  operation: 'getMandateText',
  tag: mandates,
  summary: 'Fetch the text that a payer agrees to',
  description:
    'Show the payer `html` as it is, together with the account and the terms of the mandate. Send `version` and ' +
    '`sha256` with the acceptance. The text has the name of your account. No lawyer has checked its words.',
  access: read,
  invalid: 422,
  response: { status: 200, schema: MandateText },
  handle: async ({ context, deps }) => getMandateText(deps.db, context, 'au_becs'),
});

export const mandateRoutes: Route[] = [create, list, fetch, document, accept, cancel, notice, payerCancels, text];

function shown({ mandate, at }: MandateNow): Mandate {
  return presentMandate(mandate, at);
}

/** Presents the mandate as this key may see it. */
function shownTo(key: Pick<KeyIdentity, 'kind'>, { mandate, at }: MandateNow): MandateByKey {
  return key.kind === 'publishable' ? presentMandateToPayer(mandate, at) : presentMandate(mandate, at);
}
