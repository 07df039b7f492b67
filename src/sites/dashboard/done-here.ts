import type { AuditRow } from '../../db/audit-log.ts';
import type { Currency } from '../../domain/currencies.ts';
import { type Html, html } from '../../platform/html.ts';
import type { AuditAction } from '../../services/accounts/audit.ts';
import type { RequestContext } from '../../services/request-context.ts';
import { amount, moment } from './words.ts';

/** What people can do on the dashboard, as the page of its object lists it. */
const deeds: Readonly<Partial<Record<AuditAction, string>>> = {
  'payment_intent.refunded': 'Refund',
  'payment_intent.retried': 'Tried again',
  'payment_plan.suspended': 'Suspended',
  'payment_plan.resumed': 'Resumed',
  'subscription.paused': 'Paused',
  'subscription.resumed': 'Resumed',
  'subscription.canceled': 'Canceled',
  'payment_link.created': 'Made a link',
};

/** The list of what people have done with an object on the dashboard, or nothing. */
export function doneHere(done: readonly AuditRow[], currency: Currency, context: RequestContext): Html | null {
  if (done.length === 0) return null;
  const lines = done.map(({ action, actor_id: person, at, changes }) => {
    const value = changes.amount?.to;
    const of = typeof value === 'number' ? html` ${amount(value, currency)}` : null;
    return html`<li>${moment(at, context)}: ${deeds[action as AuditAction] ?? action}${of} by <strong>${person}</strong></li>
`;
  });
  return html`<section class="card" id="done"><h2>Done here</h2><ul class="plain">${lines}</ul></section>`;
}
