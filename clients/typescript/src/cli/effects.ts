import type { ClockEffect } from '../generated/models.ts';
import { columns } from './terminal.ts';

const widths = [16, 26, 43, 12];

export const effectsHeading = columns([['WHEN', 'WHAT', 'OBJECT', 'AMOUNT', 'THEN']], widths);

/** Returns one effect of an advance as a row of the table. */
export function effectRow(effect: ClockEffect): string {
  const { at, event_type, object_id } = effect;
  const amount = 'amount' in effect.changes ? `${effect.changes.currency} ${effect.changes.amount}` : '';
  return columns([[at.slice(0, 16).replace('T', ' '), event_type, object_id ?? '', amount, thenOf(effect)]], widths);
}

function thenOf(effect: ClockEffect): string {
  if (effect.object === 'payout') return payoutThen(effect.changes);
  const { changes } = effect;
  if ('last_payment_error' in changes) {
    const again = changes.next_attempt_at === null ? '' : `again ${changes.next_attempt_at.slice(0, 16)}`;
    return [changes.last_payment_error?.code ?? '', again].filter((word) => word !== '').join(', ');
  }
  if ('next_payment_date' in changes) {
    const next = changes.next_payment_date === null ? '' : `next ${changes.next_payment_date}`;
    return [changes.state_reason ?? '', next].filter((word) => word !== '').join(', ');
  }
  return 'status_reason' in changes ? (changes.status_reason ?? '') : '';
}

function payoutThen({
  status,
  arrives_on,
  failure_code,
}: Extract<ClockEffect, { object: 'payout' }>['changes']): string {
  return status === 'in_transit' ? `arrives on ${arrives_on}` : (failure_code ?? '');
}
