import { lockCustomer } from '../../db/customers.ts';
import { listIntentsOfLink, type PaymentIntentRow } from '../../db/payment-intents.ts';
import {
  insertPaymentLink,
  listPaymentLinks as listLinkRows,
  lockPaymentLink,
  type PaymentLinkFilter,
  type PaymentLinkRow,
  selectPaymentLink,
  updatePaymentLink,
} from '../../db/payment-links.ts';
import { millisecondsPerDay } from '../../domain/calendar.ts';
import { newId } from '../../domain/ids.ts';
import { addMs, type CustomerInstant, customerInstant } from '../../domain/instants.ts';
import type { Db, Tx, Writer } from '../../platform/postgres/connection.ts';
import { atomically } from '../../platform/postgres/transaction.ts';
import type { RealInstant } from '../../platform/real-time.ts';
import { type FieldError, fieldError } from '../../resources/field-errors.ts';
import type { PaymentLinkCreate, PaymentLinkRenew, PaymentLinkUpdate } from '../../resources/payment-link-input.ts';
import { auditOrigin, recordAudit } from '../accounts/audit.ts';
import type { Vault } from '../accounts/vault.ts';
import { timeOf } from '../customer-time.ts';
import { metadataErrors, resolveCustomer } from '../customers/resolve-references.ts';
import { assertNoErrors, InvalidState, orNotFound } from '../errors.ts';
import { paymentLinkEvent, record, transact } from '../events.ts';
import { type PageQuery, type Rows, rowsOfPage } from '../paging.ts';
import { parsedUrl } from '../payer-urls.ts';
import type { RequestContext, Tenant } from '../request-context.ts';
import { wake } from '../wake.ts';
import { stateOfLink } from './availability.ts';
import { deactivateLink } from './changes.ts';
import { errorsOfOffer, type OfferingKey, offerOf, takesLiveCards, urlErrors } from './offers.ts';
import { newToken } from './tokens.ts';

/** How far ahead a link may expire: 366 days, in milliseconds. */
const furthestMs = 366 * millisecondsPerDay;

/**
 * Creates a link.
 * @throws ValidationFailed with every field error of the body; InvalidState while the customer's clock is advancing.
 */
export async function createPaymentLink(
  db: Writer,
  vault: Vault,
  context: RequestContext,
  input: PaymentLinkCreate,
  key: OfferingKey,
): Promise<PaymentLinkRow> {
  return transact(db, context, async (tx) => {
    const { customer_id: customerId } = input;
    const named = customerId === undefined ? null : await resolveCustomer(tx, context, customerId, '/customer_id');
    const customer = named?.value ?? null;
    const at = timeOf(customer, context.now);
    const expiresAt = dateOf(input.expires_at) ?? null;
    assertNoErrors([
      ...(named?.error ? [named.error] : []),
      ...(await errorsOfOffer(tx, context, input, customer)),
      ...expiryErrors(expiresAt, at),
    ]);
    const id = newId('payment_link');
    const row: PaymentLinkRow = {
      id,
      biller_id: context.billerId,
      livemode: context.livemode,
      test_clock_id: customer?.test_clock_id ?? null,
      customer_id: customer?.id ?? null,
      ...offerOf(input, customer, key, await takesLiveCards(tx, context, input, key)),
      name: input.name,
      reference: input.reference ?? null,
      max_payments: input.max_payments === undefined ? 1 : input.max_payments,
      ...newToken(vault, 'payment_link_tokens', context, id).columns,
      status: 'open',
      status_reason: null,
      payments_count: 0,
      collected_amount: 0,
      expires_at: expiresAt,
      wake_at: expiresAt,
      completed_at: null,
      expired_at: null,
      throttled_until: null,
      throttlings: 0,
      created_at: at,
      updated_at: at,
    };
    await insertPaymentLink(tx, row);
    await wakeLink(tx, row, context.now);
    record(tx, paymentLinkEvent('payment_link.created', row, at));
    return row;
  });
}

/** @throws NotFound */
export async function getPaymentLink(db: Db, tenant: Tenant, id: string): Promise<PaymentLinkRow> {
  return orNotFound(await selectPaymentLink(db, tenant, id), 'payment link', id);
}

/** Returns a page of links, newest first. Those on a test clock are listed only when the filter names the clock. */
export async function listPaymentLinks(
  db: Db,
  tenant: Tenant,
  filter: PaymentLinkFilter,
  query: PageQuery,
): Promise<Rows<PaymentLinkRow>> {
  return rowsOfPage(db, 'payment_links', tenant, query, (page) => listLinkRows(db, tenant, filter, page));
}

/**
 * Returns a page of the intents of a link on which an attempt was made, newest first.
 * @throws NotFound
 */
export async function listPaymentsOfLink(
  db: Db,
  tenant: Tenant,
  id: string,
  query: PageQuery,
): Promise<Rows<PaymentIntentRow>> {
  await getPaymentLink(db, tenant, id);
  return rowsOfPage(db, 'payment_intents', tenant, query, (page) => listIntentsOfLink(db, tenant, id, page));
}

/**
 * Changes an open link.
 * @throws NotFound; ValidationFailed with every field error; InvalidState if the link is not open, and while its clock
 * is advancing.
 */
export async function updateLink(
  db: Writer,
  context: RequestContext,
  id: string,
  input: PaymentLinkUpdate,
): Promise<PaymentLinkRow> {
  return atomically(db, async (tx) => {
    const { link, at } = await lockLinkForUpdate(tx, context, id);
    const expiresAt = dateOf(input.expires_at);
    assertNoErrors([
      ...metadataErrors(input.metadata, context.livemode),
      ...urlErrors(input, context.livemode),
      ...expiryErrors(expiresAt ?? null, at),
    ]);
    assertState(link, at, ['open'], 'changed');
    const { expires_at: _, success_url: success, cancel_url: cancel, ...others } = input;
    const urls = {
      ...(success === undefined ? {} : { success_url: success && parsedUrl(success) }),
      ...(cancel === undefined ? {} : { cancel_url: cancel && parsedUrl(cancel) }),
    };
    const dates = expiresAt === undefined ? {} : { expires_at: expiresAt, wake_at: expiresAt };
    const row = await updatePaymentLink(tx, id, { ...others, ...urls, ...dates, updated_at: at });
    if (expiresAt !== undefined) await wakeLink(tx, row, context.now);
    return row;
  });
}

/**
 * Deactivates an open link: after the commit no attempt is opened. One in flight runs on, and counts if it succeeds.
 * @throws NotFound; InvalidState if the link is not open, and while its clock is advancing.
 */
export async function deactivatePaymentLink(db: Writer, context: RequestContext, id: string): Promise<PaymentLinkRow> {
  return transact(db, context, async (tx) => {
    const { link, at } = await lockLinkForUpdate(tx, context, id);
    assertState(link, at, ['open'], 'deactivated');
    return deactivateLink(tx, link, 'requested', { at, now: context.now });
  });
}

/**
 * Opens a link again that has expired or was deactivated, under the same URL.
 * @throws NotFound; InvalidState in any other state, if the customer was deleted, if it has all its payments, and while
 * its clock is advancing; ValidationFailed if `expires_at` is out of range, or missing although the old one has passed.
 */
export async function renewPaymentLink(
  db: Writer,
  context: RequestContext,
  id: string,
  input: PaymentLinkRenew,
): Promise<PaymentLinkRow> {
  return transact(db, context, async (tx) => {
    const { link, customer, at } = await lockLinkForUpdate(tx, context, id);
    assertState(link, at, ['expired', 'deactivated'], 'renewed');
    if (customer !== null && customer.deleted_at !== null) {
      throw new InvalidState(`The customer of payment link ${id} has been deleted, so the link stays ${link.status}.`);
    }
    // A payment that was under way when the link was deactivated may have been its last.
    if (link.max_payments !== null && link.payments_count >= link.max_payments) {
      throw new InvalidState(
        `Payment link ${id} has taken all its payments (${link.payments_count}). Create a new link.`,
      );
    }
    const given = dateOf(input.expires_at);
    const expiresAt = given === undefined ? link.expires_at : given;
    const hasPassed = given === undefined && expiresAt !== null && expiresAt <= at;
    const message = 'expires_at is required, because the old date has passed. Send null for none.';
    assertNoErrors(
      hasPassed ? [fieldError('/expires_at', 'parameter_missing', message)] : expiryErrors(given ?? null, at),
    );
    const row = await updatePaymentLink(tx, id, {
      status: 'open',
      status_reason: null,
      expires_at: expiresAt,
      wake_at: expiresAt,
      expired_at: null,
      updated_at: at,
    });
    await wakeLink(tx, row, context.now);
    record(tx, paymentLinkEvent('payment_link.renewed', row, at));
    return row;
  });
}

/**
 * Gives a link another URL, in any state. The old one is unknown from then on.
 * @throws NotFound; InvalidState while its clock is advancing.
 */
export async function rotateLinkUrl(
  db: Writer,
  vault: Vault,
  context: RequestContext,
  id: string,
): Promise<PaymentLinkRow> {
  return atomically(db, async (tx) => {
    const { at } = await lockLinkForUpdate(tx, context, id);
    const entry = { ...auditOrigin(context), subjectId: id, changes: {} };
    await recordAudit(tx, { action: 'payment_link.url_rotated', ...entry });
    return updatePaymentLink(tx, id, {
      ...newToken(vault, 'payment_link_tokens', context, id).columns,
      updated_at: at,
    });
  });
}

async function lockLinkForUpdate(tx: Tx, context: RequestContext, id: string) {
  const { customer_id: customerId } = await getPaymentLink(tx, context, id);
  const customer = customerId === null ? null : await lockCustomer(tx, context, customerId);
  const link = orNotFound(await lockPaymentLink(tx, id), 'payment link', id);
  return { link, customer, at: timeOf(customer, context.now) };
}

/** @throws InvalidState */
function assertState(
  link: PaymentLinkRow,
  at: CustomerInstant,
  allowed: readonly PaymentLinkRow['status'][],
  done: string,
): void {
  const state = stateOfLink(link, at);
  if (allowed.includes(state) && allowed.includes(link.status)) return;
  throw new InvalidState(`Payment link ${link.id} is ${state}; it can be ${done} while ${allowed.join(' or ')}.`);
}

/** Makes the workflow of a link look at its date again. A link without a date needs none. */
async function wakeLink(tx: Tx, link: PaymentLinkRow, now: RealInstant): Promise<void> {
  await wake.paymentLink(tx, link, now, { start: link.expires_at !== null });
}

function expiryErrors(expiresAt: CustomerInstant | null, at: CustomerInstant): FieldError[] {
  if (expiresAt === null) return [];
  const last = addMs(at, furthestMs);
  if (expiresAt > at && expiresAt <= last) return [];
  const message = `expires_at must be after ${at.toISOString()}, the customer’s time, and at most ${last.toISOString()}.`;
  return [fieldError('/expires_at', 'out_of_range', message)];
}

/** Returns the instant of a field; null and undefined stay. */
function dateOf(text: string | null | undefined): CustomerInstant | null | undefined {
  return text == null ? text : customerInstant(text);
}
