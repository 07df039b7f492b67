// What an error of Stripe's library says of a request.
import Stripe from 'stripe';

/** Returns what Stripe has said, if it refuses the key or lacks a right for it. Null: it does not. */
export function refusalOf(error: unknown): string | null {
  if (!(error instanceof Stripe.errors.StripeError)) return null;
  const { statusCode } = error;
  return statusCode === 401 || statusCode === 403 ? inWords(error) : null;
}

/** What Stripe has said, for logs and people: its status and its code. Its message may repeat what it was sent. */
export function inWords({ statusCode, type, code }: Stripe.errors.StripeError): string {
  if (statusCode === undefined) return 'Stripe gave no answer';
  return `Stripe responded ${statusCode} (${/^[a-z_]{1,60}$/.test(code ?? '') ? code : type})`;
}

/**
 * Whether Stripe has refused a request as it stands: 400 or 404, and not for its key. On a reservation nothing was
 * made.
 */
export function isRefusal(error: unknown): boolean {
  if (error instanceof Stripe.errors.StripeIdempotencyError) return false;
  if (error instanceof Stripe.errors.StripeCardError) return true;
  if (!(error instanceof Stripe.errors.StripeError)) return false;
  return error.statusCode === 400 || error.statusCode === 404;
}
