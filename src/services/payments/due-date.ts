import type { PaymentIntentRow } from '../../db/payment-intents.ts';
import { startOfDay } from '../../domain/calendar.ts';
import type { CustomerInstant } from '../../domain/instants.ts';

/** The rules of a time zone may change after an instant was stored, by an hour or two. In milliseconds. */
const zoneToleranceMs = 2 * 3_600_000;

/**
 * A row says that a payment is due, and another one that its date has not come. Nothing is charged before that date; a
 * retry succeeds once it has come.
 */
export class BeforeItsDate extends Error {
  override name = 'BeforeItsDate';
  readonly dueAt: CustomerInstant;

  /** @param date what the other row says, as part of a sentence. */
  constructor(date: string, dueAt: CustomerInstant) {
    super(
      `its stored instant has come, but ${date}, which begins at ${dueAt.toISOString()}. The row was changed by hand. ` +
        'Nothing is charged before that instant, and it is charged then. To change the date, its biller cancels the payment and makes another.',
    );
    this.dueAt = dueAt;
  }
}

/**
 * Throws unless the date of a scheduled payment has come, by its biller’s clock. Its instant `scheduled_at` is derived
 * from that date, so the two can only differ if a row was changed by hand. A payment for the day of its creation has no
 * date: it is due at once.
 * @throws BeforeItsDate
 */
export function assertDateHasCome(
  { scheduled_payment_date: date }: Pick<PaymentIntentRow, 'scheduled_payment_date'>,
  timeZone: string,
  at: CustomerInstant,
): void {
  if (date === null) return;
  const dueAt = startOfDay(date, timeZone);
  if (dueAt.getTime() - at.getTime() > zoneToleranceMs) throw new BeforeItsDate(`its date is ${date}`, dueAt);
}
