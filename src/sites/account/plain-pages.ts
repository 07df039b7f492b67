import type { Context } from '../../api/http/context.ts';
import { type Html, html } from '../../platform/html.ts';
import type { Logger } from '../../platform/logger.ts';
import { isOutage } from '../../platform/postgres/transaction.ts';
import { IdempotencyKeyInUse, NotFound, ServiceError } from '../../services/errors.ts';
import type { Page } from './account-request.ts';

/** A page of one heading and some text. */
export function plainPage(status: number, title: string, text: Html): Page {
  return { status, title, main: html`<h1>${title}</h1>\n${text}` };
}

export const notFound = plainPage(
  404,
  'Not found',
  html`<p>It does not exist in this account, or its clock was deleted.</p>`,
);

/** The page when the first sending of a form is still at work. It may yet change something. */
const underWay = plainPage(
  409,
  'This is still being done',
  html`<p>The form was sent twice, and the first sending is still at work. Do not send it again. Open the page of the
payment, plan or subscription in a minute, and see what has changed.</p>`,
);

/** A message about what went wrong, which a screen reader reads at once. */
export function alert(text: string | Html): Html {
  return html`<p class="alert" role="alert">${text}</p>`;
}

/** The page for an error. What is no refusal is logged, and its details are hidden. */
export function problemPage(ctx: Context, logger: Logger, error: unknown): Page {
  if (error instanceof NotFound) return notFound;
  if (error instanceof IdempotencyKeyInUse) return underWay;
  if (error instanceof ServiceError && error.status < 500) {
    for (const [name, value] of Object.entries(error.headers)) ctx.res.setHeader(name, value);
    const message = error.fieldErrors[0]?.message ?? error.message;
    return plainPage(
      error.status,
      'The request was refused',
      html`${alert(message)}<p>Nothing has changed. Go back and try again.</p>`,
    );
  }
  const { requestId } = ctx.state;
  const isAway = isOutage(error) || (error instanceof ServiceError && error.status === 503);
  logger.child({ request_id: requestId })[isAway ? 'warn' : 'error']({ err: error }, 'page failed');
  if (!isAway) {
    const text = html`<p>The request id is <code>${requestId}</code>.</p>`;
    return plainPage(500, 'Something went wrong on our side', text);
  }
  const why = error instanceof ServiceError ? error.message : 'The service cannot reach its database.';
  return plainPage(503, 'Not available at the moment', html`<p>${why} Load the page again in a moment.</p>`);
}
