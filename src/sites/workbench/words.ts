import type { TimelineEventRow } from '../../db/workbench.ts';
import { type Html, html, isolated } from '../../platform/html.ts';

/** How a mark looks. Each has a form of its own, so that nothing depends on its colour. */
export type Look = 'paid' | 'failed' | 'waiting' | 'back' | 'begun' | 'changed' | 'ended' | 'clock';

/** What the marks mean, in the order of the legend. */
export const looks: Readonly<Record<Look, string>> = {
  paid: 'collected',
  failed: 'failed',
  waiting: 'waits',
  back: 'came back',
  begun: 'begun',
  changed: 'changed',
  ended: 'ended',
  clock: 'clock',
};

const lookOfVerb: Readonly<Record<string, Look>> = {
  succeeded: 'paid',
  paid: 'paid',
  recovered: 'paid',
  won: 'paid',
  failed: 'failed',
  past_due: 'failed',
  suspended: 'failed',
  disabled: 'failed',
  processing: 'waiting',
  requires_action: 'waiting',
  trial_ending: 'waiting',
  notice_due: 'waiting',
  pause_scheduled: 'waiting',
  cancel_scheduled: 'waiting',
  returned: 'back',
  lost: 'back',
  opened: 'waiting',
  created: 'begun',
  started: 'begun',
  activated: 'begun',
  canceled: 'ended',
  closed: 'ended',
  completed: 'ended',
  deactivated: 'ended',
  expired: 'ended',
  deleted: 'ended',
};

/** Returns how the mark of an event of this type looks. */
export function lookOf(eventType: string): Look {
  const [group = '', verb = ''] = eventType.split('.');
  if (group === 'test_clock') return 'clock';
  return lookOfVerb[verb] ?? 'changed';
}

/**
 * Returns what an event says, in a few words: an amount and an outcome, or a new state with its reason. `money` writes
 * an amount of minor units with its currency.
 */
export function inWords(
  eventType: string,
  data: Readonly<Record<string, unknown>>,
  money: (minorUnits: unknown, currency: unknown) => string = amountOf,
): string {
  const [group = '', verb = ''] = eventType.split('.');
  const plain = `${group.replace('payment_plan', 'plan').replaceAll('_', ' ')} ${verb.replaceAll('_', ' ')}`;
  if (group === 'payment_intent' || group === 'refund') {
    const amount = money(data.total_amount ?? data.amount, data.currency);
    return `${amount} ${group === 'refund' ? `refund ${verb}` : paymentInWords(verb, data)}`;
  }
  if (group === 'payout' || group === 'dispute') return `${money(data.amount, data.currency)} ${group} ${verb}`;
  const reason = data.state_reason ?? data.status_reason ?? null;
  return typeof reason === 'string' ? `${plain}: ${reason}` : plain;
}

/** As `inWords`, with what a payment or refund was for. */
export function happenedInWords(
  {
    event_type: type,
    data,
    paid_for: name,
    paid_part: part,
  }: Pick<TimelineEventRow, 'event_type' | 'data' | 'paid_for' | 'paid_part'>,
  money = amountOf,
): string {
  const words = inWords(type, data, money);
  if (!/^(payment_intent|refund)\./.test(type)) return words;
  if (name === null) return `${words}, for a single payment`;
  return `${words}, for “${isolated(name)}”${part === null ? '' : `, ${part}`}`;
}

function paymentInWords(verb: string, data: Readonly<Record<string, unknown>>): string {
  const code = codeOf(data);
  if (verb === 'succeeded') return 'collected';
  if (verb === 'failed') return `failed: ${code}${againInWords(data)}`;
  if (verb === 'returned') return `came back: ${code}${againInWords(data)}`;
  if (verb === 'processing') return `with the bank, result ${String(data.expected_result_date ?? 'later')}`;
  if (verb === 'requires_action') return 'waits for the payer (3D Secure)';
  return verb;
}

function codeOf({ last_payment_error: error }: Readonly<Record<string, unknown>>): string {
  return typeof error === 'object' && error !== null && 'code' in error ? String(error.code) : 'unknown';
}

function againInWords({ next_attempt_at: at }: Readonly<Record<string, unknown>>): string {
  return typeof at === 'string' ? `, again ${shortTime(new Date(at))}` : '';
}

/** Returns an amount of minor units with its currency, such as `AUD 25.00`; without a known currency as it is. */
export function amountOf(minorUnits: unknown, currency: unknown): string {
  if (typeof minorUnits !== 'number' || typeof currency !== 'string') return '';
  const format = new Intl.NumberFormat('en', { style: 'currency', currency, currencyDisplay: 'code' });
  const decimals = format.resolvedOptions().maximumFractionDigits ?? 2;
  return format.format(minorUnits / 10 ** decimals).replace('\u00a0', ' ');
}

const months = ['Jan', 'Feb', 'Mar', 'Apr', 'May', 'Jun', 'Jul', 'Aug', 'Sep', 'Oct', 'Nov', 'Dec'];

/** `29 Feb 2028`, in UTC. */
function shortDate(at: Date): string {
  return `${at.getUTCDate()} ${months[at.getUTCMonth()]} ${at.getUTCFullYear()}`;
}

/** `29 Feb 2028 09:00`, in UTC; without the time at midnight. */
export function shortTime(at: Date): string {
  const time = at.toISOString().slice(11, 16);
  return time === '00:00' ? shortDate(at) : `${shortDate(at)} ${time}`;
}

/** `29 Feb` or, on the first of a year, `2028`. In UTC. */
export function tickLabel(at: Date, unit: 'hour' | 'day' | 'month' | 'year'): string {
  if (unit === 'hour' && at.getUTCHours() !== 0) return at.toISOString().slice(11, 16);
  if (unit === 'year' || (unit === 'month' && at.getUTCMonth() === 0)) return String(at.getUTCFullYear());
  if (unit === 'month') return months[at.getUTCMonth()] ?? '';
  return `${at.getUTCDate()} ${months[at.getUTCMonth()]}`;
}

/** An instant for people, and for programs in its attribute. */
export function time(at: Date): Html {
  return html`<time datetime="${at.toISOString()}">${shortTime(at)}</time>`;
}

/** How the deliveries of an event stand, in a few words. */
export function deliveriesInWords({
  pending,
  delivered,
  failed,
}: Pick<TimelineEventRow, 'pending' | 'delivered' | 'failed'>): string {
  const parts = [
    delivered > 0 ? `${delivered} delivered` : '',
    pending > 0 ? `${pending} pending` : '',
    failed > 0 ? `${failed} failed` : '',
  ];
  return parts.filter((part) => part !== '').join(', ') || 'no webhook';
}
